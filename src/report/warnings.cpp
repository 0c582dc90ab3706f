// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace narrows::report {

namespace {

using Indices = std::vector<std::size_t>;

bool contains(const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

/// A coordinate of the points: the thread model (first), then the axes. `values` in order of appearance.
struct Axis {
    std::string path;
    std::vector<std::string> values; ///< of all points
    std::vector<std::string> at;     ///< by point
};

class Merger {
public:
    explicit Merger(std::span<const PointWarnings> points) : points_(points) {
        axes_.push_back({"threads", {}, {}});
        for (const auto& point : points)
            for (const auto& [path, value] : point.at)
                if (std::none_of(axes_.begin(), axes_.end(), [&](const Axis& a) { return a.path == path; }))
                    axes_.push_back({path, {}, {}});
        for (Axis& axis : axes_)
            for (const auto& point : points) {
                axis.at.push_back(value_of(point, axis.path));
                if (!contains(axis.values, axis.at.back())) axis.values.push_back(axis.at.back());
            }
    }

    std::vector<WarningLine> lines() const {
        std::vector<std::string> texts;
        for (const auto& point : points_)
            for (const auto& text : point.texts)
                if (!contains(texts, text)) texts.push_back(text);
        std::vector<WarningLine> out;
        for (const auto& text : texts) {
            Indices where;
            for (std::size_t i = 0; i < points_.size(); ++i)
                if (contains(points_[i].texts, text)) where.push_back(i);
            add(out, where, text);
        }
        return out;
    }

private:
    static std::string value_of(const PointWarnings& point, const std::string& path) {
        if (path == "threads") return point.threads;
        for (const auto& [at, value] : point.at)
            if (at == path) return value;
        return "";
    }

    /// One line when the points are all of some values of each axis; else one a model.
    void add(std::vector<WarningLine>& out, const Indices& where, const std::string& text) const {
        if (const auto values = block(where); !values.empty()) {
            out.push_back({block_text(values), text});
            return;
        }
        for (const auto& model : axes_[0].values) {
            Indices of_model;
            std::copy_if(where.begin(), where.end(), std::back_inserter(of_model),
                         [&](std::size_t i) { return axes_[0].at[i] == model; });
            if (of_model.empty()) continue;
            const auto values = block(of_model);
            out.push_back({values.empty() ? list_text(model, of_model) : block_text(values), text});
        }
    }

    /// By axis the values that the points have, when every point with such values is among them; else nothing.
    std::vector<std::vector<std::string>> block(const Indices& where) const {
        std::vector<std::vector<std::string>> values(axes_.size());
        for (std::size_t a = 0; a < axes_.size(); ++a)
            for (const std::size_t i : where)
                if (!contains(values[a], axes_[a].at[i])) values[a].push_back(axes_[a].at[i]);
        std::size_t inside = 0;
        for (std::size_t i = 0; i < points_.size(); ++i) {
            bool all = true;
            for (std::size_t a = 0; a < axes_.size(); ++a)
                all = all && contains(values[a], axes_[a].at[i]);
            inside += all ? 1U : 0U;
        }
        return inside == where.size() ? values : std::vector<std::vector<std::string>>{};
    }

    std::string block_text(const std::vector<std::vector<std::string>>& values) const {
        std::vector<std::string> parts;
        for (std::size_t a = 0; a < axes_.size(); ++a) {
            const bool all = values[a].size() == axes_[a].values.size();
            const bool model = a == 0;
            if (all && (!model || values[a].size() > 1)) continue;
            parts.push_back(model ? fmt::format("{}", fmt::join(values[a], " and "))
                                  : fmt::format("{} = {}", name(axes_[a].path), few(values[a])));
        }
        return fmt::format("{}", fmt::join(parts, ", "));
    }

    std::string list_text(const std::string& model, const Indices& where) const {
        constexpr std::size_t kShown = 3;
        std::vector<std::string> shown;
        for (std::size_t n = 0; n < std::min(kShown, where.size()); ++n) {
            std::vector<std::string> parts;
            for (std::size_t a = 1; a < axes_.size(); ++a)
                parts.push_back(fmt::format("{} = {}", name(axes_[a].path), axes_[a].at[where[n]]));
            shown.push_back(fmt::format("{}", fmt::join(parts, ", ")));
        }
        std::string out = fmt::format("{}, {}", model, fmt::join(shown, "; "));
        if (where.size() > kShown) out += fmt::format("; and {} more points", where.size() - kShown);
        return out;
    }

    static std::string few(const std::vector<std::string>& values) {
        constexpr std::size_t kShown = 6;
        if (values.size() <= kShown) return fmt::format("{}", fmt::join(values, ", "));
        return fmt::format("{} … {} ({} values)", fmt::join(values.begin(), values.begin() + 3, ", "), values.back(),
                           values.size());
    }

    /// Short where that stays clear.
    std::string name(const std::string& path) const {
        const auto same = [&](const Axis& a) { return short_path(a.path) == short_path(path); };
        return std::count_if(axes_.begin(), axes_.end(), same) == 1 ? short_path(path) : path;
    }

    std::span<const PointWarnings> points_;
    std::vector<Axis> axes_;
};

} // namespace

std::string short_path(const std::string& path) {
    const auto dot = path.rfind('.');
    return dot == std::string::npos ? path : path.substr(dot + 1);
}

std::vector<WarningLine> merged_warnings(std::span<const PointWarnings> points) {
    return Merger(points).lines();
}

} // namespace narrows::report
