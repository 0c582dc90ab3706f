// SPDX-License-Identifier: GPL-3.0-or-later
// Every verb, its output and its exit code.
#include "process.hpp"
#include "report/json.hpp"
#include "scenarios.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace narrows::testing {
namespace {

using Json = nlohmann::json;

class Verbs : public ::testing::Test {
protected:
    Folder folder;
    std::string small = folder.write("small.yaml", kSmall);
};

TEST_F(Verbs, AloneItExplainsItselfInAScreen) {
    const auto said = narrows({});
    EXPECT_EQ(said.code, 0);
    EXPECT_LE(std::count(said.out.begin(), said.out.end(), '\n'), 24);
    for (const char* text : {"narrows run ", "narrows sweep ", "narrows plan "})
        EXPECT_NE(said.out.find(text), std::string::npos) << text;
}

TEST_F(Verbs, HelpOfEveryVerbHasExamples) {
    for (const char* verb :
         {"run", "compare", "sweep", "check", "plan", "explain", "audit", "plot", "schema", "list"}) {
        const auto said = narrows({verb, "--help"});
        EXPECT_EQ(said.code, 0) << verb;
        EXPECT_NE(said.out.find(std::string("narrows ") + verb), std::string::npos) << said.out;
        EXPECT_NE(said.out.find("Example"), std::string::npos) << verb;
    }
    EXPECT_EQ(narrows({"--version"}).code, 0);
}

TEST_F(Verbs, WrongUsageEndsWith2) {
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"nothing"},
                                                      {"run"},
                                                      {"run", small, "--nothing"},
                                                      {"run", small, "--set", "users"},
                                                      {"run", small, "--engine", "simgrid"},
                                                      {"run", small, "--engine", "quick"},
                                                      {"run", small, "--threads", "green"},
                                                      {"run", small, "--threads", "platform,virtual"},
                                                      {"run", small, "-j", "many"},
                                                      {"run", small, "--assert", "p99_ms"},
                                                      {"run", small, "--assert", "p98_ms < 5"},
                                                      {"run", small, "--set", "load.usres=5"},
                                                      {"run", folder.file("missing.yaml")},
                                                      {"run", small, "--seed", "x"}}) {
        const auto said = narrows(arguments);
        EXPECT_EQ(said.code, 2) << arguments.back() << said.err;
        EXPECT_FALSE(said.err.empty()) << arguments.back();
        EXPECT_EQ(said.out, "") << arguments.back();
    }
    EXPECT_NE(narrows({"run", small, "--engine", "simgrid"}).err.find("not in this version"), std::string::npos);
}

TEST_F(Verbs, ABrokenScenarioNamesPlaceAndEveryError) {
    const auto broken = folder.write(
        "broken.yaml", "narrows: 1\nname: X\nrequest:\n  - cpu: 100 parsecs\nload: {users: -1}\nnonsense: 1\n");
    for (const char* verb : {"run", "check", "sweep", "plan", "compare", "explain"}) {
        const auto said = narrows({verb, broken});
        EXPECT_EQ(said.code, 2) << verb;
        for (const char* place : {"broken.yaml:4:", "broken.yaml:5:", "broken.yaml:6:"})
            EXPECT_NE(said.err.find(place), std::string::npos) << verb << ": " << said.err;
        EXPECT_LT(said.seconds, 5) << verb;
    }
}

TEST_F(Verbs, RunHasTheKeysOfTheDesign) {
    const auto said = narrows({"run", small, "--json", "-", "--threads", "virtual"});
    ASSERT_EQ(said.code, 0) << said.err;
    const auto json = Json::parse(said.out);
    for (const char* key :
         {"threads", "engine", "seed", "throughput_rps", "goodput_rps", "latency_ms", "confidence", "outcomes",
          "resources", "stages", "memory", "peak_in_flight", "bottleneck", "bounds", "warnings", "manifest"})
        EXPECT_TRUE(json.contains(key)) << key;
    for (const char* key : {"mean", "p50", "p90", "p95", "p99", "p999", "max"})
        EXPECT_TRUE(json["latency_ms"].contains(key)) << key;
    for (const char* key : {"ok", "pool_timeout", "refused", "client_timeout"})
        EXPECT_TRUE(json["outcomes"].contains(key)) << key;
    for (const char* key : {"name", "capacity", "utilization", "queue_mean", "queue_max", "wait_ms_mean"})
        for (const auto& resource : json["resources"])
            EXPECT_TRUE(resource.contains(key)) << key;
    for (const char* key : {"resource", "bound_rps", "evidence"})
        EXPECT_TRUE(json["bottleneck"].contains(key)) << key;
    for (const char* key : {"version", "scenario_sha256"})
        EXPECT_TRUE(json["manifest"].contains(key)) << key;
    EXPECT_EQ(json["threads"], "virtual");
    EXPECT_EQ(json["seed"], 7);
    EXPECT_GT(json["throughput_rps"], 0);
    EXPECT_EQ(json["confidence"]["throughput_rps"].size(), 2U);
}

TEST_F(Verbs, OpenAndFiniteLoadsHaveTheirOwnKeys) {
    const auto open = folder.write("open.yaml", "narrows: 1\nname: Open\nrequest:\n  - cpu: 1ms\nload: "
                                                "{rate: 100}\nmeasure: {duration: 1s, replications: 2}\n");
    const auto said = narrows({"run", open, "--json", "-"});
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_TRUE(Json::parse(said.out).contains("latency_planned_ms"));
    const auto burst = folder.write(
        "burst.yaml",
        "narrows: 1\nname: Burst\nrequest:\n  - cpu: 1ms\nload: {burst: 60}\nmeasure: {replications: 2}\n");
    const auto finite = narrows({"run", burst, "--json", "-"});
    ASSERT_EQ(finite.code, 0) << finite.err;
    EXPECT_GT(Json::parse(finite.out).value("makespan_ms", 0.0), 0);
}

TEST_F(Verbs, RunForPeopleSaysTheBottleneck) {
    const auto said = narrows({"run", small});
    EXPECT_EQ(said.code, 0) << said.err;
    for (const char* text :
         {"throughput", "latency p99", "hikari", "tomcat.threads", "bottleneck:", "beside the published figures"})
        EXPECT_NE(said.out.find(text), std::string::npos) << text << said.out;
    EXPECT_EQ(said.out.find('\x1b'), std::string::npos) << "no colours into a pipe";
    EXPECT_EQ(said.err, "") << "progress only on a terminal";
    EXPECT_EQ(narrows({"run", small, "--quiet"}).out, "");
    // The published figure is for 40 users under platform threads only.
    EXPECT_EQ(narrows({"run", small, "--set", "load.users=39"}).out.find("published"), std::string::npos);
    EXPECT_EQ(narrows({"run", small, "--threads", "virtual"}).out.find("published"), std::string::npos);
}

TEST_F(Verbs, AssertionsDecideTheExitCode) {
    EXPECT_EQ(narrows({"run", small, "--assert", "p99_ms < 100000", "--assert", "throughput_rps > 1"}).code, 0);
    const auto said = narrows({"run", small, "--assert", "p99_ms < 100000", "--assert", "throughput_rps > 1e9"});
    EXPECT_EQ(said.code, 99);
    EXPECT_NE(said.err.find("fails: throughput_rps > 1e9"), std::string::npos) << said.err;
    EXPECT_EQ(narrows({"sweep", small, "--quiet", "--assert", "throughput_rps > 600"}).code, 99)
        << "one point of four fails";
}

TEST_F(Verbs, PrecisionNotReachedEndsWith5) {
    const auto said = narrows({"run", small, "--replications", "auto", "--precision", "0.000001%", "--set",
                               "measure.duration=20ms", "--set", "measure.warmup=0s"});
    EXPECT_EQ(said.code, 5) << said.err;
    EXPECT_NE(said.out.find("was not reached"), std::string::npos) << said.out;
}

TEST_F(Verbs, AutoSaysHowManyItTookAndKeepsToItsLimit) {
    const auto said = narrows({"run", small, "--replications", "auto", "--precision", "20%"});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_NE(said.out.find("auto: the precision of 20 % was reached with "), std::string::npos) << said.out;
    const auto limited = narrows(
        {"run", small, "--replications", "auto", "--precision", "0.001%", "--max-replications", "5", "--json", "-"});
    EXPECT_EQ(limited.code, 5) << limited.err;
    const auto json = Json::parse(limited.out);
    EXPECT_EQ(json["replications"], 5);
    EXPECT_EQ(json["precision"]["reached"], false);
    EXPECT_EQ(json["precision"]["limit"], 5);
    EXPECT_EQ(json["precision"]["looks"], 2);
    EXPECT_EQ(narrows({"run", small, "--max-replications", "3"}).code, 2) << "at least 4";
    // Compare and sweep take it as well, with the same bytes whatever -j is.
    const auto sweep = [&](const char* jobs) {
        return narrows({"sweep", small, "--replications", "auto", "--precision", "10%", "--json", "-", "-j", jobs}).out;
    };
    const auto one = sweep("1");
    EXPECT_EQ(one, sweep("3"));
    for (const auto& result : report::from_json_lines(one))
        EXPECT_TRUE(result.precision.has_value());
    const auto compare = narrows({"compare", small, "--replications", "auto", "--precision", "10%", "--json", "-"});
    const auto results = report::from_json_lines(compare.out);
    ASSERT_EQ(results.size(), 3U) << compare.err;
    EXPECT_TRUE(results[0].against.empty());
    ASSERT_EQ(results[1].against.size(), 2U);
    EXPECT_EQ(results[1].against[1].figure, "p99");
    EXPECT_TRUE(results[1].against[1].interval.has_value());
}

TEST_F(Verbs, SeriesGoToAFileAndIntoTheJson) {
    const auto said = narrows({"run", small, "--series", "-", "--series-step", "100ms"});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(std::count(said.out.begin(), said.out.end(), '\n'), 13) << "heading, 1.2 s in steps of 100 ms";
    EXPECT_EQ(said.out.find("threads,from_s,step_s,answered,throughput_rps,goodput_rps,p50_ms,p99_ms,in_flight,queue."),
              0U)
        << said.out;
    EXPECT_NE(said.out.find("\nplatform,0.3,0.1,"), std::string::npos) << said.out;
    const auto plain = Json::parse(narrows({"run", small, "--json", "-"}).out);
    EXPECT_FALSE(plain.contains("series"));
    auto with = Json::parse(narrows({"run", small, "--json", "-", "--series-step", "100ms"}).out);
    EXPECT_EQ(with["series"]["step_ms"], 100);
    EXPECT_EQ(with["series"]["throughput_rps"].size(), 12U);
    EXPECT_EQ(with["series"]["queue_mean"]["tomcat.threads"].size(), 12U);
    with.erase("series");
    EXPECT_EQ(with, plain) << "nothing else changes";
    EXPECT_EQ(narrows({"run", small, "--series-step", "100"}).code, 2) << "no unit";
    EXPECT_EQ(narrows({"run", small, "--series", "-", "--csv", "-"}).code, 2);
}

TEST_F(Verbs, SweepAndCompareAndExplainAndPlanAndCheckAndList) {
    const auto sweep = narrows({"sweep", small});
    EXPECT_EQ(sweep.code, 0) << sweep.err;
    EXPECT_NE(sweep.out.find("How the bottleneck moved with load.users: platform: "), std::string::npos) << sweep.out;
    const auto lines = narrows({"sweep", small, "--json", "-"});
    const auto results = report::from_json_lines(lines.out);
    ASSERT_EQ(results.size(), 4U);
    EXPECT_EQ(results[3].at, (decltype(results[3].at){{"load.users", "40"}, {"threads", "virtual"}}));
    EXPECT_EQ(report::from_json_lines(narrows({"sweep", small, "--json", "-", "--threads", "virtual"}).out).size(), 2U);
    const auto compare = narrows({"compare", small});
    EXPECT_EQ(compare.code, 0) << compare.err;
    for (const char* text : {"platform threads", "virtual threads", "event loop", "against platform"})
        EXPECT_NE(compare.out.find(text), std::string::npos);
    const auto explain = narrows({"explain", small});
    EXPECT_EQ(explain.code, 0) << explain.err;
    for (const char* text : {"Where the queue is", "Little's law", "What to change next"})
        EXPECT_NE(explain.out.find(text), std::string::npos);
    const auto plan = narrows({"plan", small});
    EXPECT_EQ(plan.code, 0) << plan.err;
    EXPECT_NE(plan.out.find("run on  tomcat.threads  [20]"), std::string::npos) << plan.out;
    EXPECT_NE(plan.out.find("run on  carriers  [2]"), std::string::npos) << plan.out;
    EXPECT_NE(narrows({"plan", small, "--sweep"}).out.find("4 points, 8 replications"), std::string::npos);
    EXPECT_NE(narrows({"check", small}).out.find("4 points"), std::string::npos);
    EXPECT_EQ(narrows({"list"}).code, 0);
    EXPECT_EQ(Json::parse(narrows({"schema"}).out).at("$schema"), "https://json-schema.org/draft/2020-12/schema");
}

TEST_F(Verbs, FilesAreCompleteOrAbsent) {
    EXPECT_EQ(narrows({"sweep", small, "--json", folder.file("r.jsonl"), "--csv", folder.file("r.csv"), "-q"}).code, 0);
    EXPECT_EQ(report::from_json_lines(read_whole(folder.file("r.jsonl"))).size(), 4U);
    const auto csv = read_whole(folder.file("r.csv"));
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
    const auto said = narrows({"run", small, "-q", "--csv", folder.file("no/such/folder.csv")});
    EXPECT_EQ(said.code, 4);
    EXPECT_NE(said.err.find("folder.csv"), std::string::npos);
    EXPECT_EQ(narrows({"run", small, "-q", "--json", "/dev/full"}).code, 4);
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
}

TEST_F(Verbs, NothingThatIsReadOrWrittenTwiceIsReplaced) {
    const auto before = read_whole(small);
    const auto replaced = narrows({"run", small, "-q", "--json", small});
    EXPECT_EQ(replaced.code, 2);
    EXPECT_NE(replaced.err.find("would replace what is read"), std::string::npos) << replaced.err;
    EXPECT_EQ(read_whole(small), before);
    const auto out = folder.file("b.out"), same = folder.file("./b.out");
    EXPECT_EQ(narrows({"run", small, "-q", "--json", out, "--csv", same}).code, 2);
    const auto table = folder.write("a.csv", "label,users,throughput_rps,mean_ms\n\x1b[31mx,100,1000,200\n");
    EXPECT_EQ(narrows({"audit", table, "-q", "--json", table}).code, 2);
    EXPECT_EQ(narrows({"audit", table}).out.find('\x1b'), std::string::npos)
        << "control characters are shown, not sent";
    const auto in_folder = narrows({"audit", folder.path().string()});
    EXPECT_EQ(in_folder.code, 2);
    EXPECT_NE(in_folder.err.find("is a folder"), std::string::npos) << in_folder.err;
}

#ifdef NARROWS_HAS_PLOTS
TEST_F(Verbs, PlotDrawsResultsAndScenarios) {
    ASSERT_EQ(narrows({"sweep", small, "--json", folder.file("r.jsonl"), "-q"}).code, 0);
    for (const char* ending : {"png", "svg", "pdf"}) {
        const auto file = folder.file(std::string("chart.") + ending);
        const auto said = narrows({"plot", folder.file("r.jsonl"), "--published", small, "-o", file});
        EXPECT_EQ(said.code, 0) << said.err;
        EXPECT_GT(read_whole(file).size(), 1000U) << ending;
    }
    EXPECT_EQ(narrows({"plot", small, "-o", folder.file("direct.svg")}).code, 0);
    std::string plain = kSmall; // no formula speaks of steps in parallel
    plain.erase(plain.find("  - parallel:"), plain.find("load:") - plain.find("  - parallel:"));
    const auto drawn = folder.file("formula.svg");
    EXPECT_EQ(narrows({"plot", folder.write("plain.yaml", plain), "-o", drawn}).code, 0);
    EXPECT_NE(read_whole(drawn).find("MVA"), std::string::npos) << "what a formula says is in the chart";
    ASSERT_EQ(narrows({"compare", small, "--series-step", "100ms", "--json", folder.file("s.jsonl"), "-q"}).code, 0);
    EXPECT_EQ(narrows({"plot", folder.file("s.jsonl"), "-o", folder.file("series.svg")}).code, 0);
    const auto series = read_whole(folder.file("series.svg"));
    for (const char* text : {"time, s", "Waiting", "tomcat.threads"})
        EXPECT_NE(series.find(text), std::string::npos) << text;
    EXPECT_EQ(narrows({"plot", small, "-o", folder.file("chart.gif")}).code, 2);
    EXPECT_EQ(narrows({"plot", folder.write("bad.jsonl", "{\"threads\": 1}\n"), "-o", folder.file("bad.svg")}).code, 2);
}
#else
TEST_F(Verbs, PlotSaysThatThereAreNoCharts) {
    EXPECT_EQ(narrows({"plot", small, "-o", folder.file("chart.svg")}).code, 2);
}
#endif

} // namespace
} // namespace narrows::testing
