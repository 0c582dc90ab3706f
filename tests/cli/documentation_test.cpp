// SPDX-License-Identifier: GPL-3.0-or-later
// What the documents say about scenarios is what the program takes: every YAML block is checked, and every
// key and word of the schema is named in docs/scenario.md.
#include "process.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <sstream>

namespace narrows::testing {
namespace {

using Json = nlohmann::json;

struct Block {
    int line = 0; ///< of its first line in the document
    std::string text;
};

std::string document(const std::string& name) {
    return read_whole(std::filesystem::path(NARROWS_SOURCE_DIR) / name);
}

/// The fenced blocks of a document that are marked as YAML.
std::vector<Block> yaml_blocks(const std::string& markdown) {
    std::vector<Block> all;
    std::istringstream in(markdown);
    bool inside = false;
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        if (!inside && line == "```yaml") {
            inside = true;
            all.push_back({number + 1, ""});
        } else if (inside && line == "```") {
            inside = false;
        } else if (inside) {
            all.back().text += line + "\n";
        }
    }
    EXPECT_FALSE(inside) << "a block is not closed";
    return all;
}

bool has_key(const std::string& yaml, const std::string& key) {
    return yaml.starts_with(key + ":") || yaml.find("\n" + key + ":") != std::string::npos;
}

/// A block as a whole scenario: a list is the steps of a request, and what is not said is added. The names
/// that steps may use are declared only here, so a wrong one is found.
std::string whole_scenario(const std::string& block) {
    std::string out = block;
    if (block.starts_with("- "))
        out = "services: {enrichment: {latency: 100ms}}\npools: {http-client: {size: 5}}\n"
              "executors: {mail: {threads: virtual}}\nrequest:\n" +
              block;
    if (!has_key(out, "request") && !has_key(out, "requests")) out += "request: [cpu: 1ms]\n";
    if (!has_key(out, "load")) out += "load: {users: 10}\n";
    return out;
}

TEST(Documentation, EveryYamlBlockIsAScenarioOrAPartOfOne) {
    const Folder folder;
    (void)folder.write("latencies.csv", "took\n10\n12\n30\n");
    (void)folder.write("application.yml", "server.tomcat.threads.max: 100\n");
    const auto blocks = yaml_blocks(document("docs/scenario.md"));
    EXPECT_GT(blocks.size(), 20U);
    for (const auto& block : blocks) {
        const auto said =
            narrows({"check", "--fatal-warnings", folder.write("block.yaml", whole_scenario(block.text))});
        EXPECT_EQ(said.code, 0) << "docs/scenario.md:" << block.line << ":\n" << block.text << said.err;
    }
}

TEST(Documentation, TheFirstScenarioOfTheReadmeIsValid) {
    const std::string readme = document("README.md");
    const auto from = readme.find("    narrows: 1\n");
    ASSERT_NE(from, std::string::npos);
    std::string scenario;
    std::istringstream in(readme.substr(from));
    for (std::string line; std::getline(in, line) && line.starts_with("    ");)
        scenario += line.substr(4) + "\n";
    const Folder folder;
    const auto said = narrows({"check", folder.write("service.yaml", scenario)});
    EXPECT_EQ(said.code, 0) << scenario << said.err;
}

/// Every key that a scenario may have, and every word that a key may take.
void collect(const Json& schema, std::set<std::string>& words) {
    if (schema.is_array())
        for (const auto& item : schema)
            collect(item, words);
    if (!schema.is_object()) return;
    if (schema.contains("properties") && schema["properties"].is_object())
        for (const auto& [key, value] : schema["properties"].items())
            words.insert(key);
    if (schema.contains("enum") && schema["enum"].is_array())
        for (const auto& value : schema["enum"])
            if (value.is_string()) words.insert(value.get<std::string>());
    for (const auto& [key, value] : schema.items())
        collect(value, words);
}

/// Whether `word` stands in `text` in a row of code (`word` or `word: …`) or as a key of an example.
bool named(const std::string& text, const std::string& word) {
    const auto part_of_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    };
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        const char before = at > 0 ? text[at - 1] : ' ';
        const char after = at + word.size() < text.size() ? text[at + word.size()] : ' ';
        if (part_of_word(before) || part_of_word(after)) continue;
        if (before == '`' || before == '.' || after == '`' || after == ':' || after == '.') return true;
    }
    return false;
}

TEST(Documentation, NamesEveryKeyAndWordOfTheSchema) {
    const auto said = narrows({"schema"});
    ASSERT_EQ(said.code, 0) << said.err;
    std::set<std::string> words;
    collect(Json::parse(said.out), words);
    EXPECT_GT(words.size(), 100U);
    const std::string text = document("docs/scenario.md");
    for (const auto& word : words)
        EXPECT_TRUE(named(text, word)) << "docs/scenario.md does not name " << word;
    EXPECT_FALSE(named(text, "no-such-key"));
}

} // namespace
} // namespace narrows::testing
