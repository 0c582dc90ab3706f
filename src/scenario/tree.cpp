// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/tree.hpp"

#include "scenario/source_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <istream>
#include <streambuf>
#include <unordered_map>
#include <unordered_set>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

namespace narrows::scenario {

const Node* Node::find(std::string_view key) const {
    for (const Entry& entry : entries) {
        if (entry.key == key) return &entry.value;
    }
    return nullptr;
}

Node* Node::find(std::string_view key) {
    return const_cast<Node*>(static_cast<const Node*>(this)->find(key));
}

std::string Node::shown() const {
    switch (kind) {
    case Kind::null: return "nothing";
    case Kind::sequence: return "a list";
    case Kind::mapping: return "a mapping";
    case Kind::scalar: break;
    }
    return text.size() <= 60 ? fmt::format("'{}'", text) : fmt::format("'{}…'", text.substr(0, 57));
}

Node scalar_node(std::string text, Mark mark, int origin) {
    Node node;
    node.kind = Node::Kind::scalar;
    node.text = std::move(text);
    node.mark = mark;
    node.origin = origin;
    return node;
}

namespace {

struct Refused {
    Mark mark;
    std::string message;
};

Mark from_yaml(const YAML::Mark& mark) {
    return mark.is_null() ? Mark{1, 1} : Mark{mark.line + 1, mark.column + 1};
}

/// Builds the tree from yaml-cpp's events; throws Refused where the text cannot be taken.
class Builder : public YAML::EventHandler {
public:
    Builder(int origin, Problems& problems) : origin_(origin), problems_(problems) {}

    Node root;
    Mark start;

    void OnDocumentStart(const YAML::Mark& mark) override {
        start = from_yaml(mark);
        anchors_.clear();
        root = Node{};
        root.mark = start;
        root.origin = origin_;
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        Node node = make(Node::Kind::null, mark);
        // yaml-cpp gives the place of what follows; what is empty is the key (or list) before it.
        if (!open_.empty()) node.mark = open_.back().has_key ? open_.back().key_mark : open_.back().node.mark;
        add(std::move(node), anchor);
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        Node node = make(Node::Kind::scalar, mark);
        node.text = value;
        node.quoted = tag == "!";
        add(std::move(node), anchor);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto known = anchors_.find(anchor);
        if (known == anchors_.end()) {
            throw Refused{from_yaml(mark), "an alias to a value that contains itself; a scenario has no loops"};
        }
        count(known->second.nodes, from_yaml(mark));
        if (depth() + known->second.depth > kMaxTreeDepth) too_deep(from_yaml(mark));
        if (!open_.empty()) open_.back().deepest = std::max(open_.back().deepest, known->second.depth + 1);
        add(Node(known->second.node), 0);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(Node::Kind::sequence, mark, anchor);
    }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(Node::Kind::mapping, mark, anchor);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapEnd() override { close(); }

private:
    struct Open {
        Node node;
        YAML::anchor_t anchor = 0;
        bool has_key = false;
        std::string key;
        Mark key_mark;
        std::unordered_map<std::string, Mark> keys;
        std::size_t first_node = 0;
        int deepest = 1;
    };
    struct Anchored {
        Node node;
        std::size_t nodes;
        int depth;
    };

    [[nodiscard]] int depth() const { return static_cast<int>(open_.size()); }

    [[noreturn]] static void too_deep(Mark mark) {
        throw Refused{mark, fmt::format("nested more than {} levels deep", kMaxTreeDepth)};
    }
    void count(std::size_t nodes, Mark mark) {
        nodes_ += nodes;
        if (nodes_ > kMaxNodes) {
            throw Refused{mark, fmt::format("more than {} values (those that aliases repeat included)", kMaxNodes)};
        }
    }
    Node make(Node::Kind kind, const YAML::Mark& mark) {
        count(1, from_yaml(mark));
        Node node;
        node.kind = kind;
        node.mark = from_yaml(mark);
        node.origin = origin_;
        return node;
    }
    void open(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
        if (depth() >= kMaxTreeDepth) too_deep(from_yaml(mark));
        if (!open_.empty() && open_.back().node.is_mapping() && !open_.back().has_key) {
            throw Refused{from_yaml(mark), "a key must be a plain word, not a list or a mapping"};
        }
        Open& entered = open_.emplace_back();
        entered.first_node = nodes_;
        entered.node = make(kind, mark);
        entered.anchor = anchor;
    }
    void close() {
        Open done = std::move(open_.back());
        open_.pop_back();
        if (!open_.empty()) open_.back().deepest = std::max(open_.back().deepest, done.deepest + 1);
        if (done.anchor != 0) {
            const std::size_t nodes = nodes_ - done.first_node;
            count(nodes, done.node.mark);
            anchors_[done.anchor] = {done.node, nodes, done.deepest};
        }
        place(std::move(done.node));
    }
    void add(Node node, YAML::anchor_t anchor) {
        if (anchor != 0) anchors_[anchor] = {node, 1, 1};
        place(std::move(node));
    }
    void place(Node node) {
        if (open_.empty()) {
            root = std::move(node);
            return;
        }
        Open& parent = open_.back();
        if (parent.node.is_sequence()) {
            parent.node.items.push_back(std::move(node));
        } else if (!parent.has_key) {
            take_key(parent, node);
        } else {
            parent.has_key = false;
            const auto [first, fresh] = parent.keys.emplace(parent.key, parent.key_mark);
            if (fresh) {
                parent.node.entries.push_back({parent.key, parent.key_mark, origin_, std::move(node)});
            } else {
                problems_.error(origin_, parent.key_mark,
                                fmt::format("duplicate key '{}'; it stands at {}:{} already", parent.key,
                                            first->second.line, first->second.column));
            }
        }
    }
    static void take_key(Open& parent, const Node& node) {
        if (!node.is_scalar()) throw Refused{node.mark, "a key must be a plain word"};
        parent.has_key = true;
        parent.key = node.text;
        parent.key_mark = node.mark;
    }

    int origin_;
    Problems& problems_;
    std::vector<Open> open_;
    std::unordered_map<YAML::anchor_t, Anchored> anchors_;
    std::size_t nodes_ = 0;
};

/// A stream over text that is not copied.
struct ViewBuffer : std::streambuf {
    explicit ViewBuffer(std::string_view text) {
        char* begin = const_cast<char*>(text.data()); // only read
        setg(begin, begin, begin + text.size());
    }
};

bool acceptable(std::string_view text, int origin, Problems& problems) {
    if (text.size() > kMaxTextBytes) {
        problems.error(origin, {1, 1},
                       fmt::format("the text has {} bytes; at most {} are read", text.size(), kMaxTextBytes));
        return false;
    }
    if (const std::size_t bad = first_bad_utf8(text); bad != std::string_view::npos) {
        problems.error(origin, mark_at(text, bad),
                       fmt::format("byte 0x{:02X} is not UTF-8 text; save the file as UTF-8",
                                   static_cast<unsigned char>(text[bad])));
        return false;
    }
    if (const auto tab = first_indenting_tab(text)) {
        problems.error(origin, *tab, "a tab in the indentation; YAML is indented with spaces only");
        return false;
    }
    return true;
}

} // namespace

std::vector<Node> parse_yaml(std::string_view text, int origin, Problems& problems) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    if (!acceptable(text, origin, problems)) return {};
    std::vector<Node> documents;
    try {
        ViewBuffer buffer(text);
        std::istream stream(&buffer);
        YAML::Parser parser(stream);
        Builder builder(origin, problems);
        while (parser.HandleNextDocument(builder))
            documents.push_back(std::move(builder.root));
        return documents;
    } catch (const Refused& refused) {
        problems.error(origin, refused.mark, refused.message);
    } catch (const YAML::Exception& failed) {
        problems.error(origin, from_yaml(failed.mark), "not YAML: " + failed.msg);
    } catch (const std::exception& failed) {
        problems.error(origin, {1, 1}, std::string("not YAML: ") + failed.what());
    }
    return {};
}

} // namespace narrows::scenario
