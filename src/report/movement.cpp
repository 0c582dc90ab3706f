// SPDX-License-Identifier: GPL-3.0-or-later
// How the bottleneck moved along a sweep.
#include "report/explain.hpp"
#include "report/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace narrows::report {

namespace {

using measure::Result;

std::optional<double> numeric(const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end == text.data()) return {};
    return value; // "100ms": its number orders the points of one axis well enough only if units agree
}

/// The axis along which to tell the story: the first one whose values are numbers and vary.
std::string story_axis(std::span<const Result> results) {
    for (const auto& [path, first] : results.front().at) {
        if (path == "threads" || !numeric(first)) continue;
        for (const auto& r : results)
            for (const auto& [other, value] : r.at)
                if (other == path && value != first) return path;
    }
    return "";
}

struct Course {
    std::string label;                                      ///< thread model and the other settings
    std::vector<std::pair<std::string, std::string>> steps; ///< value of the axis, bottleneck
};

std::vector<Course> courses(std::span<const Result> results, const std::string& axis) {
    std::vector<Course> out;
    for (const auto& r : results) {
        std::string label = r.threads;
        std::string at;
        for (const auto& [path, value] : r.at) {
            if (path == axis)
                at = value;
            else if (path != "threads")
                label += fmt::format(", {} = {}", path, value);
        }
        auto it = std::find_if(out.begin(), out.end(), [&](const Course& c) { return c.label == label; });
        if (it == out.end()) it = out.insert(out.end(), Course{label, {}});
        it->steps.emplace_back(at, bottleneck_word(r));
    }
    for (auto& course : out)
        std::stable_sort(course.steps.begin(), course.steps.end(), [](const auto& a, const auto& b) {
            return numeric(a.first).value_or(0) < numeric(b.first).value_or(0);
        });
    return out;
}

std::string grouped(const std::string& text) {
    const auto value = numeric(text);
    const bool plain = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    return value && plain ? whole(*value) : text;
}

std::string tell(const Course& course) {
    std::string out = fmt::format("{}: ", course.label);
    const auto& steps = course.steps;
    const bool moved =
        std::any_of(steps.begin(), steps.end(), [&](const auto& s) { return s.second != steps[0].second; });
    if (!moved) return out + fmt::format("{} throughout", steps[0].second);
    out += fmt::format("from {}", steps[0].second);
    const char* joint = "";
    for (std::size_t i = 1; i < steps.size(); ++i)
        if (steps[i].second != steps[i - 1].second) {
            out += fmt::format("{} to {} at {}", joint, steps[i].second, grouped(steps[i].first));
            joint = ", then";
        }
    return out;
}

} // namespace

std::string how_the_bottleneck_moved(std::span<const Result> results) {
    if (results.empty()) return "";
    const std::string axis = story_axis(results);
    if (axis.empty()) return "";
    std::vector<std::string> told;
    for (const auto& course : courses(results, axis))
        told.push_back(tell(course));
    return fmt::format("How the bottleneck moved with {}: {}.", axis, fmt::join(told, "; "));
}

} // namespace narrows::report
