// SPDX-License-Identifier: GPL-3.0-or-later
// The shipped scenarios, and the JSON Schema against them.
#include "scenario/catalogue.hpp"
#include "scenario/quantity.hpp"
#include "scenario/tree.hpp"
#include "support.hpp"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

namespace narrows::scenario::testing {
namespace {

using Json = nlohmann::ordered_json;

TEST(Shipped, AllCanBeReadWithoutAWord) {
    std::set<std::string> names;
    for (const Shipped& shipped : catalogue()) {
        const Reading read = narrows::scenario::read(std::string(shipped.name));
        EXPECT_TRUE(read.problems.empty()) << problems(read);
        EXPECT_TRUE(read.scenario);
        EXPECT_FALSE(shipped.about.empty()) << shipped.name;
        EXPECT_TRUE(names.emplace(shipped.name).second) << shipped.name << " twice";
    }
    for (const char* seed :
         {"order-summary", "order-summary-held", "boot41-io", "boot41-cpu", "pinning-jep491", "blocking-100ms"}) {
        const Shipped* shipped = find_shipped(seed);
        ASSERT_TRUE(shipped) << seed;
        EXPECT_EQ(shipped->folder, "seeds");
    }
    EXPECT_EQ(find_shipped("nowhere"), nullptr);
    EXPECT_EQ(catalogue().front().folder, "seeds");
}

TEST(Shipped, TheTextIsThatOfTheFile) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(NARROWS_SOURCE_DIR "/configs")) {
        if (entry.path().extension() != ".yaml") continue;
        ++files;
        std::ifstream in(entry.path(), std::ios::binary);
        const std::string text(std::istreambuf_iterator<char>(in), {});
        const Shipped* shipped = find_shipped(entry.path().stem().string());
        ASSERT_TRUE(shipped) << entry.path();
        EXPECT_EQ(shipped->yaml, text);
        EXPECT_EQ(shipped->folder, entry.path().parent_path().filename().string());
    }
    EXPECT_EQ(files, catalogue().size());
}

TEST(Shipped, SeedsCiteTheirSourceAndPublishFigures) {
    for (const Shipped& shipped : catalogue()) {
        if (shipped.folder != "seeds") continue;
        const auto read = narrows::scenario::read(std::string(shipped.name));
        ASSERT_TRUE(read.scenario);
        EXPECT_FALSE(read.scenario->source_title.empty()) << shipped.name;
        EXPECT_FALSE(read.scenario->source_figures.empty()) << shipped.name;
        EXPECT_FALSE(read.scenario->published.empty()) << shipped.name;
        EXPECT_FALSE(read.scenario->sweep.axes.empty()) << shipped.name;
    }
}

TEST(Shipped, PublishedCasesCiteTheirSourceAndMarkWhatIsAssumed) {
    std::size_t cases = 0;
    for (const Shipped& shipped : catalogue()) {
        if (shipped.folder != "published") continue;
        ++cases;
        const auto read = narrows::scenario::read(std::string(shipped.name));
        ASSERT_TRUE(read.scenario) << shipped.name;
        EXPECT_FALSE(read.scenario->source_title.empty()) << shipped.name;
        EXPECT_FALSE(read.scenario->source_figures.empty()) << shipped.name;
        EXPECT_FALSE(read.scenario->published.empty()) << shipped.name;
        const bool fits = std::any_of(read.scenario->published.begin(), read.scenario->published.end(),
                                      [](const Published& one) { return one.fitted; });
        EXPECT_TRUE(!fits || !read.scenario->fitted.empty())
            << shipped.name << " fits a parameter and does not say which";
    }
    EXPECT_GT(cases, 10u);
}

TEST(Published, TakesOutcomesAndMarks) {
    const auto read = reading("request: [cpu: 1ms]\nload: {users: 1}\n"
                              "published: [{at: {}, outcome: stall, pinned: true, bottleneck: hikari, agrees: true, "
                              "fitted: true, remark: why}]\n");
    ASSERT_TRUE(read.scenario) << problems(read);
    const Published& one = read.scenario->published.at(0);
    EXPECT_EQ(one.outcome, ReportedOutcome::stall);
    EXPECT_EQ(one.pinned, true);
    EXPECT_EQ(one.bottleneck, "hikari");
    EXPECT_TRUE(one.agrees);
    EXPECT_TRUE(one.fitted);
    EXPECT_EQ(one.remark, "why");
    EXPECT_FALSE(reading("request: [cpu: 1ms]\nload: {users: 1}\npublished: [{at: {}, outcome: fine}]\n").scenario);
}

TEST(Published, AReasonStaysValidWhereAPointReplacesTheHandler) {
    const std::string text =
        "request: [{sleep: 1s}, {cpu: 1ms}]\nload: {users: 1}\nguessed: {\"request[1].cpu\": why}\n";
    EXPECT_TRUE(reading(text, {{"request", "[{sleep: 5ms}]"}}).scenario);
    EXPECT_FALSE(reading(text + "fitted: {\"request[2].cpu\": why}\n", {{"request", "[{sleep: 5ms}]"}}).scenario);
}

TEST(Published, APointMayHaveAnotherHandler) {
    const auto with = [](const std::string& request) {
        return reading("request: [cpu: 1ms]\nload: {users: 1}\npublished: [{at: {request: \"" + request + "\"}}]\n");
    };
    EXPECT_TRUE(with("[{sleep: 5ms}]").scenario);
    EXPECT_FALSE(with("[{sleep: 5}]").scenario);
    EXPECT_FALSE(with("[{sleep: 5ms}").scenario);
    EXPECT_FALSE(with("[{call: nobody}]").scenario);
    EXPECT_FALSE(with("5ms").scenario);
}

/// A tree as an editor's YAML 1.2 parser would see it.
Json json_of(const Node& node) {
    Json all;
    switch (node.kind) {
    case Node::Kind::null: return nullptr;
    case Node::Kind::sequence:
        all = Json::array();
        for (const Node& item : node.items)
            all.push_back(json_of(item));
        return all;
    case Node::Kind::mapping:
        all = Json::object();
        for (const Node::Entry& entry : node.entries)
            all[entry.key] = json_of(entry.value);
        return all;
    case Node::Kind::scalar: break;
    }
    if (node.quoted) return node.text;
    if (node.text == "true" || node.text == "false") return node.text == "true";
    if (const auto whole = parse_integer(node.text)) return *whole;
    if (const auto number = parse_number(node.text)) return *number;
    return node.text;
}

Json json_of(std::string_view yaml) {
    Problems problems;
    problems.add_origin("x");
    const auto documents = parse_yaml(yaml, 0, problems);
    EXPECT_EQ(documents.size(), 1u);
    return json_of(documents.at(0));
}

/// "valid" or "invalid" for each case, by another's implementation of JSON Schema.
std::vector<std::string> verdicts(const Json& cases) {
    const Folder folder;
    folder.write("schema.json", json_schema());
    folder.write("cases.json", cases.dump());
    const std::string in = folder.path().string();
    const std::string command =
        fmt::format("python3 '{}/tests/unit/scenario/schema_check.py' '{}/schema.json' '{}/cases.json' > '{}/out'",
                    NARROWS_SOURCE_DIR, in, in, in);
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::ifstream out(folder.path() / "out");
    std::vector<std::string> lines;
    for (std::string line; std::getline(out, line);)
        lines.push_back(line);
    return lines;
}

class Schema : public ::testing::Test {
protected:
    void SetUp() override {
        if (std::system("python3 -c 'import jsonschema' 2> /dev/null") != 0) {
            GTEST_SKIP() << "python3 or its module jsonschema is not installed";
        }
    }
};

TEST_F(Schema, AcceptsEveryShippedScenario) {
    Json cases = Json::array();
    for (const Shipped& shipped : catalogue())
        cases.push_back(json_of(shipped.yaml));
    const auto said = verdicts(cases);
    ASSERT_EQ(said.size(), catalogue().size());
    for (std::size_t i = 0; i < said.size(); ++i)
        EXPECT_EQ(said[i], "valid") << catalogue()[i].name;
}

/// Every way to put an unknown key into a mapping, or a list of lists where a scalar stands.
void mutate(const Json& whole, const Json::json_pointer& at, std::vector<Json>& into) {
    const Json& here = whole.at(at);
    if (here.is_object()) {
        Json changed = whole;
        changed[at]["zzz"] = nullptr;
        into.push_back(std::move(changed));
        for (const auto& [key, value] : here.items()) {
            if (key != "application") mutate(whole, at / key, into); // where Spring's own names are open
        }
    } else if (here.is_array()) {
        for (std::size_t i = 0; i < here.size(); ++i)
            mutate(whole, at / i, into);
    } else {
        Json changed = whole;
        changed[at] = Json::array({Json::array()});
        into.push_back(std::move(changed));
    }
}

TEST_F(Schema, RejectsWhatTheReaderRejects) {
    std::vector<Json> cases;
    for (const char* name : {"order-summary", "pinning-jep491", "shop", "morning"})
        mutate(json_of(find_shipped(name)->yaml), Json::json_pointer(), cases);
    for (const char* text :
         {"load: {users: -1}\nrequest: [cpu: 1ms]", "load: {users: 1, rate: 2/s}\nrequest: [cpu: 1ms]",
          "load: {users: 1}\nrequest: [cpu: 5]", "load: {users: 1}\nrequest: [cpu: 5 parsecs]", "load: {users: 1}",
          "request: [cpu: 1ms]", "load: {users: 1}\nrequest: []", "load: {users: 1}\nrequest: [{cpu: 1ms, sleep: 1ms}]",
          "load: {users: 1}\nrequest: [{name: x}]",
          "load: {users: 1}\nrequest: [cpu: 1ms]\nrequests: {a: {steps: [cpu: 1ms]}}",
          "load: {users: 1.5}\nrequest: [cpu: 1ms]", "load: {users: 1}\nrequest: [cpu: 1ms]\nthreads: green",
          "load: {users: 1}\nrequest: [cpu: 1ms]\napplication: {server.tomcat.threads.max: many}",
          "load: {users: 1}\nrequest: [cpu: 1ms]\napplication: {server: {tomcat: {threads: {max: 0}}}}"})
        cases.push_back(json_of(text));
    ASSERT_GT(cases.size(), 200u);
    const auto said = verdicts(Json(cases));
    ASSERT_EQ(said.size(), cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const std::string text = cases[i].dump();
        EXPECT_FALSE(reading(text).scenario) << text;
        EXPECT_EQ(said[i], "invalid") << text;
    }
}

} // namespace
} // namespace narrows::scenario::testing
