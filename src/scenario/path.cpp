// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/path.hpp"

#include "scenario/property_names.hpp"
#include "scenario/quantity.hpp"
#include "scenario/spring.hpp"
#include "scenario/steps.hpp"

#include <fmt/format.h>

namespace narrows::scenario {

namespace {

constexpr std::size_t kMaxPath = 1000;

/// One key or "quoted key" from the front of `rest`.
std::optional<std::string> take_key(std::string_view& rest) {
    std::string key;
    if (!rest.empty() && (rest[0] == '"' || rest[0] == '\'')) {
        const std::size_t end = rest.find(rest[0], 1);
        if (end == std::string_view::npos) return std::nullopt;
        key = std::string(rest.substr(1, end - 1));
        rest.remove_prefix(end + 1);
    } else {
        const std::size_t end = std::min(rest.find_first_of(".["), rest.size());
        key = std::string(rest.substr(0, end));
        rest.remove_prefix(end);
    }
    return key.empty() ? std::nullopt : std::optional(std::move(key));
}

/// Any [n] that follow a key.
bool take_indices(std::string_view& rest, std::vector<PathPart>& into) {
    while (rest.starts_with('[')) {
        const std::size_t end = rest.find(']');
        if (end == std::string_view::npos) return false;
        const auto index = parse_integer(rest.substr(1, end - 1));
        if (!index || *index < 0 || *index > 1'000'000) return false;
        into.push_back({"", static_cast<int>(*index)});
        rest.remove_prefix(end + 1);
    }
    return true;
}

/// Where a part leads from `node`; nothing when it leads nowhere. A step's plain value may be
/// entered by the key that stands for it: query.cpu in `query: 1ms`.
Node* follow(Node& node, const PathPart& part, const std::string& word) {
    if (part.index >= 0) {
        const auto index = static_cast<std::size_t>(part.index);
        return node.is_sequence() && index < node.items.size() ? &node.items[index] : nullptr;
    }
    if (node.is_mapping()) return node.find(part.key);
    const bool plain = node.is_scalar() || node.is_sequence();
    return plain && !part.key.empty() && part.key == step_shorthand(word) ? &node : nullptr;
}

/// `query: 1ms` -> `query: {cpu: 1ms}`
void spell_out(Node& node, const std::string& shorthand) {
    Node inner = std::move(node);
    node = Node{};
    node.kind = Node::Kind::mapping;
    node.mark = inner.mark;
    node.origin = inner.origin;
    node.entries.push_back({shorthand, inner.mark, inner.origin, std::move(inner)});
}

std::string nowhere(const Node& node, const PathPart& part) {
    if (part.index >= 0 && node.is_sequence()) {
        return fmt::format("there is no item [{}]; the list has {} (counted from 0)", part.index, node.items.size());
    }
    if (part.index >= 0) return fmt::format("[{}] asks for an item of {}", part.index, node.shown());
    return fmt::format("'{}' asks for a part of {}", part.key, node.shown());
}

/// The place of a Spring property: an entry of its own in application:, which is made a mapping.
std::string put_property(Node& root, const std::string& name, Node value) {
    Node* application = root.find("application");
    if (!application) {
        root.entries.push_back({"application", value.mark, value.origin, Node{}});
        application = &root.entries.back().value;
    }
    if (application->is_scalar()) spell_out(*application, "file");
    if (application->is_null()) {
        application->kind = Node::Kind::mapping;
        application->origin = value.origin;
        application->mark = value.mark;
    }
    if (!application->is_mapping()) return "application is " + application->shown();
    const Mark mark = value.mark;
    const int origin = value.origin;
    // A later setting of the same origin replaces; one in the file stays and is overridden in reading.
    for (Node::Entry& entry : application->entries) {
        if (entry.key == name) return entry.value = std::move(value), entry.origin = origin, entry.mark = mark, "";
    }
    application->entries.push_back({name, mark, origin, std::move(value)});
    return "";
}

Node* make_entry(Node& node, const std::string& key, const Node& value) {
    node.kind = Node::Kind::mapping;
    Node made;
    made.mark = value.mark;
    made.origin = value.origin;
    node.entries.push_back({key, value.mark, value.origin, std::move(made)});
    return &node.entries.back().value;
}

} // namespace

std::optional<std::vector<PathPart>> parse_path(std::string_view path, std::string& error) {
    std::vector<PathPart> parts;
    std::string_view rest = trimmed(path);
    error = fmt::format("'{}' is no path such as load.users or request[0].cpu", path.substr(0, 100));
    if (rest.empty() || rest.size() > kMaxPath) return std::nullopt;
    while (!rest.empty()) {
        const bool first = parts.empty();
        if (!first && !rest.starts_with('.')) return std::nullopt;
        if (!first) rest.remove_prefix(1);
        auto key = take_key(rest);
        if (!key) return std::nullopt;
        parts.push_back({std::move(*key), -1});
        if (!take_indices(rest, parts)) return std::nullopt;
    }
    error.clear();
    // Below these the keys are paths themselves: sweep.load.users.
    const std::string& top = parts.front().key;
    if (parts.size() > 2 && (top == "sweep" || top == "guessed" || top == "fitted")) {
        return std::vector<PathPart>{{top, -1}, {std::string(trimmed(path).substr(top.size() + 1)), -1}};
    }
    std::string name;
    const bool named = parts.front().key == "application" && parts.size() > 1;
    for (std::size_t i = named ? 1 : 0; i < parts.size(); ++i) {
        name += parts[i].index >= 0 ? fmt::format("[{}]", parts[i].index) : (name.empty() ? "" : ".") + parts[i].key;
    }
    if (named || is_spring_property(name)) return std::vector<PathPart>{{"application", -1}, {name, -1}};
    return parts;
}

bool leads_somewhere(const Node& root, const std::vector<PathPart>& path) {
    if (path.size() == 2 && path[0].key == "application") {
        const Node* application = root.find("application");
        return application && gives_property(*application, path[1].key);
    }
    Node* node = const_cast<Node*>(&root); // follow() changes nothing
    std::string word;
    for (const PathPart& part : path) {
        node = follow(*node, part, word);
        if (!node) return false;
        word = part.key;
    }
    return true;
}

bool lies_within(std::string_view path, std::string_view whole) {
    std::string error;
    const auto inner = parse_path(path, error);
    const auto outer = parse_path(whole, error);
    if (!inner || !outer || outer->size() > inner->size()) return false;
    for (std::size_t i = 0; i < outer->size(); ++i) {
        const PathPart& a = (*inner)[i];
        const PathPart& b = (*outer)[i];
        if (i == 1 && outer->front().key == "application") {
            const std::string property = uniform_name(b.key);
            const std::string name = uniform_name(a.key);
            if (name != property && !name.starts_with(property + ".")) return false;
        } else if (a.key != b.key || a.index != b.index) {
            return false;
        }
    }
    return true;
}

std::string put(Node& root, const std::vector<PathPart>& path, Node value) {
    if (path.size() == 2 && path[0].key == "application") return put_property(root, path[1].key, std::move(value));
    Node* node = &root;
    std::string word;
    for (const PathPart& part : path) {
        const std::string shorthand = step_shorthand(word);
        if (part.index < 0 && !shorthand.empty() && (node->is_scalar() || node->is_sequence())) {
            spell_out(*node, shorthand);
        }
        Node* next = follow(*node, part, "");
        if (!next && part.index < 0 && (node->is_mapping() || node->is_null()))
            next = make_entry(*node, part.key, value);
        if (!next) return nowhere(*node, part);
        node = next;
        word = part.key;
    }
    *node = std::move(value);
    return "";
}

} // namespace narrows::scenario
