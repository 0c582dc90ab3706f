// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/reader.hpp"

#include "scenario/catalogue.hpp"
#include "scenario/limits.hpp"
#include "scenario/mean_time.hpp"
#include "scenario/own_calls.hpp"
#include "scenario/path.hpp"
#include "scenario/reserved_names.hpp"
#include "scenario/root.hpp"
#include "scenario/source_text.hpp"

#include <fmt/format.h>

#include <set>

namespace narrows::scenario {

namespace {

constexpr std::size_t kMostWork = 2'000'000; ///< values read to check published figures

std::size_t count_nodes(const Node& node) {
    std::size_t count = 1;
    for (const Node& item : node.items)
        count += count_nodes(item);
    for (const Node::Entry& entry : node.entries)
        count += count_nodes(entry.value);
    return count;
}

/// Refuses what would act on a terminal wherever it is printed. Prose may have several lines.
void refuse_controls(Node& node, Problems& problems) {
    const auto refuse = [&](std::string& text, bool prose, int origin, Mark mark) {
        if (first_control(text, prose) == std::string::npos) return;
        problems.error(
            origin, mark,
            fmt::format("'{}' has a control character, which is not allowed", printable(text).substr(0, 60)));
        text = printable(text);
    };
    refuse(node.text, true, node.origin, node.mark);
    for (Node& item : node.items)
        refuse_controls(item, problems);
    for (Node::Entry& entry : node.entries) {
        refuse(entry.key, false, entry.origin, entry.mark);
        refuse_controls(entry.value, problems);
    }
}

/// Gives misspelt keys the names that they were taken for: what is checked later must find them.
void mend(Node& node, const std::vector<Misspelt>& all) {
    for (Node& item : node.items)
        mend(item, all);
    for (Node::Entry& entry : node.entries) {
        for (const Misspelt& one : all) {
            if (one.mark == entry.mark && one.origin == entry.origin && one.key == entry.key && !node.find(one.meant))
                entry.key = one.meant;
        }
        mend(entry.value, all);
    }
}

class Reader {
public:
    Reader(std::string_view text, const std::string& file, std::filesystem::path folder, const Settings& overrides)
        : text_(text), folder_(std::move(folder)), overrides_(overrides) {
        problems_.add_origin(file);
        draft_.scenario.file = file;
    }

    Reading run() {
        if (!load_tree()) return {std::nullopt, problems_.sorted()};
        if (!overrides_.empty()) written_ = root_;
        for (const auto& [path, value] : overrides_)
            override_with(path, value);
        refuse_controls(root_, problems_);
        Context context = make_context();
        read_fields(context, root_, root_table(), draft_);
        for (Node* tree : {&root_, &written_}) {
            if (!context.misspelt.empty()) mend(*tree, context.misspelt);
        }
        check_presence();
        check_references(context);
        check_own_calls(context);
        refuse_reserved_names(root_, problems_);
        check_reasons("guessed", draft_.scenario.guessed);
        check_reasons("fitted", draft_.scenario.fitted);
        check_progress();
        check_processors(context);
        if (!problems_.full()) try_axes();
        Reading reading;
        reading.problems = problems_.sorted();
        if (problems_.has_errors()) return reading;
        draft_.scenario.sweep = std::move(draft_.sweep.sweep);
        draft_.scenario.sha256 = checksum(context.included);
        reading.scenario = std::move(draft_.scenario);
        return reading;
    }

private:
    Context make_context() { return Context{problems_, folder_, {}, 0, 0, {}, {}, {}, {}, 0, {}, {}, false, {}}; }

    bool load_tree() {
        auto documents = parse_yaml(text_, 0, problems_);
        if (problems_.has_errors() && documents.empty()) return false;
        if (documents.empty() || (documents.size() == 1 && documents[0].is_null())) {
            problems_.error(0, {1, 1}, "the file is empty; a scenario has at least request: and load:");
        } else if (documents.size() > 1) {
            problems_.error(0, documents[1].mark, "a second document; a scenario is one, so without '---' inside");
        } else if (!documents[0].is_mapping()) {
            problems_.error(0, documents[0].mark,
                            "a scenario is a mapping such as 'load: {users: 100}'; found " + documents[0].shown());
        } else {
            root_ = std::move(documents[0]);
            return true;
        }
        return false;
    }

    void override_with(const std::string& path, const std::string& value) {
        const int origin = problems_.add_origin("--set " + path);
        std::string error;
        const auto parts = parse_path(path, error);
        if (!parts) return problems_.error(origin, {}, error);
        if (value.empty()) return problems_.error(origin, {}, "has no value; write " + path + "=VALUE");
        auto node = value_node(value, {}, origin);
        if (!node) return;
        error = put(root_, *parts, std::move(*node));
        if (!error.empty()) problems_.error(origin, {}, error);
    }

    /// What a setting says: a scalar, or a list or mapping as in YAML. Nothing after an error.
    std::optional<Node> value_node(const std::string& value, const Mark& mark, int origin) {
        if (!is_compound(value)) return scalar_node(value, mark, origin);
        auto documents = parse_yaml(value, origin, problems_);
        if (documents.size() != 1) return std::nullopt;
        return std::move(documents[0]);
    }
    static bool is_compound(const std::string& value) { return !value.empty() && (value[0] == '[' || value[0] == '{'); }

    void check_presence() {
        const bool one = root_.find("request") != nullptr;
        const bool many = root_.find("requests") != nullptr;
        if (one && many) problems_.error(0, mark_of("requests"), "request and requests exclude each other");
        if (!one && !many) problems_.error(0, root_.mark, "'request' is missing: the handler, as a list of steps");
        if (!root_.find("load"))
            problems_.error(0, root_.mark, "'load' is missing: who sends requests, as in load: {users: 100}");
    }

    Mark mark_of(std::string_view key) const {
        for (const Node::Entry& entry : root_.entries) {
            if (entry.key == key) return entry.mark;
        }
        return root_.mark;
    }

    /// Names used in steps must be declared, whether or not their declaration could be read.
    void check_references(const Context& context) {
        for (const Reference& reference : context.references) {
            const auto [what, where] = declared_as(reference.to);
            const Node* declared = root_.find(where);
            std::vector<std::string> known;
            if (declared) {
                for (const Node::Entry& entry : declared->entries)
                    known.push_back(entry.key);
            } else if (reference.to == Reference::To::endpoint) {
                known.emplace_back("request"); // the only one's name
            }
            if (std::find(known.begin(), known.end(), reference.name) != known.end()) continue;
            std::string help = did_you_mean(reference.name, known);
            if (known.size() <= 20 && !known.empty()) help += fmt::format("; declared are {}", listed(known));
            if (known.empty()) help += fmt::format("; declare it under {}:", where);
            problems_.error(reference.origin, reference.mark,
                            fmt::format("there is no {} '{}'{}", what, reference.name.substr(0, 60), help));
        }
    }

    static std::pair<const char*, const char*> declared_as(Reference::To to) {
        switch (to) {
        case Reference::To::service: return {"service", "services"};
        case Reference::To::pool: return {"pool", "pools"};
        case Reference::To::executor: return {"executor", "executors"};
        case Reference::To::endpoint: break;
        }
        return {"endpoint", "requests"};
    }

    void check_reasons(std::string_view key, const std::map<std::string, std::string>& reasons) {
        const Node* node = root_.find(key);
        for (const auto& [path, reason] : reasons) {
            std::string error;
            const auto parts = parse_path(path, error);
            // A setting may have put another handler where the file's own was explained.
            if (parts && (leads_somewhere(root_, *parts) || leads_somewhere(written_, *parts))) continue;
            for (const Node::Entry& entry : node->entries) {
                if (entry.key != path) continue;
                if (error.empty())
                    error = fmt::format("{}: '{}' leads to nothing in this file", key, path.substr(0, 100));
                problems_.error(entry.origin, entry.mark, error);
            }
        }
    }

    /// A user who neither thinks nor waits for anything would go round in no time.
    void check_progress() {
        const Scenario& s = draft_.scenario;
        const bool loops = s.load.kind == LoadKind::closed || s.load.kind == LoadKind::stages;
        for (const char* needed : {"request", "requests", "services", "load"}) {
            if (draft_.broken.contains(needed) || !loops) return;
        }
        for (const Endpoint& endpoint : s.endpoints) {
            if (s.load.think.mean() + mean_time(endpoint.steps, s) >= 1) continue;
            problems_.error(origin_of(endpoint), endpoint.mark,
                            fmt::format("'{}' takes no time at all, so a user who does not think would send for ever; "
                                        "give a step a time, or the load a think time",
                                        endpoint.name));
        }
    }

    /// Where an endpoint's steps come from: the file or an option.
    int origin_of(const Endpoint& endpoint) const {
        const Node* all = root_.find("requests");
        const Node* one = all ? all->find(endpoint.name) : root_.find("request");
        return one ? one->origin : 0;
    }

    /// An engine keeps its processors in 64 bits; services count when they are called.
    void check_processors(const Context& context) {
        const Node* services = root_.find("services");
        if (!services) return;
        std::set<std::string> called;
        for (const Reference& reference : context.references) {
            if (reference.to == Reference::To::service) called.insert(reference.name);
        }
        std::size_t count = context.queries ? 2 : 1;
        for (const Node::Entry& entry : services->entries) {
            const auto service = draft_.scenario.services.find(entry.key);
            if (service == draft_.scenario.services.end() || !called.contains(entry.key)) continue;
            if (!service->second.cores || service->second.cpu.is_zero() || ++count <= kMaxProcessors) continue;
            return problems_.error(entry.origin, entry.mark,
                                   fmt::format("with the cpu of '{}' there are more than {} processors, those of the "
                                               "application and the database included",
                                               entry.key, kMaxProcessors));
        }
    }

    /// Reads the scenario once more with every axis' first value in place and the others beside it:
    /// so each is checked by the very field that will take it. Published points the same way.
    void try_axes();
    void try_published(const Node& plain);
    void try_compound(Node& root, const std::string& path, const std::string& value, const Mark& mark);
    Node root_without_figures() const {
        Node root = root_;
        std::erase_if(root.entries, [](const Node::Entry& entry) {
            return entry.key == "sweep" || entry.key == "published" || entry.key == "guessed" || entry.key == "fitted";
        });
        return root;
    }
    void try_axis(Node& root, const std::string& path, const std::vector<std::string>& values,
                  const std::vector<Mark>& marks, int axis, bool generated);

    std::string checksum(const std::string& included) const {
        std::string all(text_);
        for (const auto& [path, value] : overrides_)
            all += '\0' + path + '=' + value;
        if (!included.empty()) all += '\0' + included;
        return sha256_hex(all);
    }

    std::string_view text_;
    std::filesystem::path folder_;
    const Settings& overrides_;
    Problems problems_;
    Node root_;
    Node written_; ///< without overrides, if there are any
    Draft draft_;
};

void Reader::try_axis(Node& root, const std::string& path, const std::vector<std::string>& values,
                      const std::vector<Mark>& marks, int axis, bool generated) {
    std::string error;
    const auto parts = parse_path(path, error);
    const Mark first = marks.front();
    if (!parts) return problems_.error(0, first, error);
    const auto make = [&](std::size_t i) {
        Node node = scalar_node(values[i], i < marks.size() ? marks[i] : first, 0);
        node.generated = generated;
        return node;
    };
    Node node = make(0);
    node.probe = axis + 1;
    // Computed values are all of one form and in order, so the two ends stand for them.
    for (std::size_t i = generated ? std::max<std::size_t>(values.size(), 2) - 1 : 1; i < values.size(); ++i)
        node.alternatives.push_back(make(i));
    error = put(root, *parts, std::move(node));
    if (!error.empty()) problems_.error(0, first, path + ": " + error);
}

void Reader::try_compound(Node& root, const std::string& path, const std::string& value, const Mark& mark) {
    std::string error;
    const auto parts = parse_path(path, error);
    if (!parts) return problems_.error(0, mark, error);
    // Places inside the value are its own; the origin says which figure it belongs to.
    auto node = value_node(value, mark, problems_.add_origin(fmt::format("published, line {}: {}", mark.line, path)));
    if (!node) return;
    error = put(root, *parts, std::move(*node));
    if (!error.empty()) problems_.error(0, mark, path + ": " + error);
}

void Reader::try_axes() {
    SweepDraft& sweep = draft_.sweep;
    if (sweep.sweep.axes.empty() && draft_.scenario.published.empty()) return;
    Node root = root_without_figures();
    const std::size_t axes = sweep.sweep.axes.size();
    for (std::size_t i = 0; i < axes; ++i) {
        const Axis& axis = sweep.sweep.axes[i];
        try_axis(root, axis.path, axis.values, sweep.marks[i], static_cast<int>(i), sweep.generated[i]);
    }
    Context context = make_context();
    context.whole.assign(axes, false);
    Draft ignored;
    read_fields(context, root, root_table(), ignored);
    check_references(context);
    check_own_calls(context);
    for (std::size_t i = 0; i < axes; ++i) {
        if (sweep.generated[i] && context.whole[i]) round_generated(sweep.sweep.axes[i].values);
    }
    if (!problems_.full()) try_published(root_without_figures());
}

void Reader::try_published(const Node& plain) {
    const auto& all = draft_.scenario.published;
    if (all.size() * count_nodes(plain) > kMostWork) {
        return problems_.error(0, mark_of("published"), "too many figures to check for a scenario of this size");
    }
    // Each point as a whole: it may belong to another load than the file's.
    for (const Published& published : all) {
        if (published.at.empty() || problems_.full()) continue;
        Node point = plain;
        for (const auto& [path, value] : published.at)
            if (is_compound(value))
                try_compound(point, path, value, published.mark);
            else
                try_axis(point, path, {value}, {published.mark}, -1, false);
        Context context = make_context();
        Draft ignored;
        read_fields(context, point, root_table(), ignored);
        check_references(context);
        check_own_calls(context);
    }
}

} // namespace

Reading read_text(std::string_view text, const std::string& file, const std::filesystem::path& folder,
                  const Settings& overrides) {
    return Reader(text, file, folder, overrides).run();
}

Reading read(const std::string& file_or_name, const Settings& overrides) {
    std::error_code failed;
    const std::filesystem::path path(file_or_name);
    const Shipped* shipped = find_shipped(file_or_name);
    if (!std::filesystem::exists(path, failed) && shipped) {
        return read_text(shipped->yaml, file_or_name + " (shipped)", std::filesystem::path("."), overrides);
    }
    std::string error;
    const auto text = read_file(path, kMaxTextBytes, error);
    if (text) {
        const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
        return read_text(*text, file_or_name, folder, overrides);
    }
    if (!std::filesystem::exists(path, failed)) {
        std::vector<std::string> names;
        for (const Shipped& known : catalogue())
            names.emplace_back(known.name);
        error = "there is neither such a file nor a shipped scenario of that name" + did_you_mean(file_or_name, names) +
                "; shipped are " + listed(names);
    }
    return {std::nullopt, {Problem{true, file_or_name, {}, error}}};
}

} // namespace narrows::scenario
