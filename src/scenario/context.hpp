// SPDX-License-Identifier: GPL-3.0-or-later
// What a reading carries with it while it walks the tree.
#pragma once

#include "scenario/problems.hpp"
#include "scenario/tree.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace narrows::scenario {

inline constexpr int kMaxStepDepth = 64; ///< steps inside steps

/// A name used in a step that must be declared elsewhere.
struct Reference {
    enum class To { service, pool, endpoint, executor };
    To to = To::service;
    std::string name;
    Mark mark;
    int origin = 0;
    std::string from; ///< the endpoint whose step it is in
};

/// A key that nothing has, and the one it was taken for so that what stands below it is checked as well.
struct Misspelt {
    int origin = 0;
    Mark mark;
    std::string key, meant;
};

struct Context {
    Problems& problems;
    std::filesystem::path folder;
    std::string included; ///< bytes of included files, for the checksum
    int next_step_id = 0;
    int step_depth = 0;
    std::vector<Reference> references;
    std::map<std::string, std::pair<std::int64_t, Mark>> semaphores; ///< permits, and where first said
    std::vector<bool> whole;       ///< by sweep axis: its path takes whole numbers only
    std::vector<std::string> path; ///< keys from the top to the value being read, for messages
    int retry_depth = 0;           ///< retries around what is being read, in its own strand
    std::string endpoint;          ///< whose steps are being read
    std::map<std::string, std::pair<std::string, Mark>> breakers; ///< their settings, and where first said
    bool queries = false;                                         ///< whether some step uses the database's CPU
    std::vector<Misspelt> misspelt;

    void error(const Node& node, const std::string& message) {
        problems.error(node.origin, node.mark, located(message));
    }
    void error_at(const Node::Entry& entry, const std::string& message) {
        problems.error(entry.origin, entry.mark, located(message));
    }
    /// At a byte inside a scalar.
    void error_inside(const Node& node, std::size_t offset, const std::string& message);
    void warning(const Node& node, const std::string& message) {
        problems.warning(node.origin, node.mark, located(message));
    }
    /// Remembers that `entry` is read as `meant`.
    void take_for(const Node::Entry& entry, const std::string& meant) {
        misspelt.push_back({entry.origin, entry.mark, entry.key, meant});
    }
    [[nodiscard]] std::string located(const std::string& message) const;
};

/// Adds a key to the context's path for as long as it lives.
class Within {
public:
    Within(Context& context, std::string key) : context_(context) { context_.path.push_back(std::move(key)); }
    ~Within() { context_.path.pop_back(); }
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;

private:
    Context& context_;
};

} // namespace narrows::scenario
