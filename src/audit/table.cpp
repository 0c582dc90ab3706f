// SPDX-License-Identifier: GPL-3.0-or-later
#include "audit/table.hpp"

#include "scenario/problems.hpp"
#include "scenario/quantity.hpp"
#include "scenario/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace narrows::audit {

namespace {

using scenario::Mark;

struct Column {
    const char* name;
    std::optional<double> Row::* figure;
    bool may_be_zero;
};

constexpr std::array kColumns{Column{"users", &Row::users, false},
                              Column{"throughput_rps", &Row::throughput_rps, false},
                              Column{"mean_ms", &Row::mean_ms, false},
                              Column{"think_ms", &Row::think_ms, true},
                              Column{"threads", &Row::threads, false},
                              Column{"hold_ms", &Row::hold_ms, false},
                              Column{"pool", &Row::pool, false},
                              Column{"pool_hold_ms", &Row::pool_hold_ms, false},
                              Column{"cores", &Row::cores, false},
                              Column{"demand_ms", &Row::demand_ms, false},
                              Column{"utilization_pct", &Row::utilization_pct, true},
                              Column{"cycle_ms", &Row::cycle_ms, false},
                              Column{"errors", &Row::errors, true}};
constexpr int kNoColumn = -1, kLabel = -2, kSource = -3;
constexpr std::size_t kMaxBytes = 16U << 20;

struct Cell {
    std::string text;
    Mark mark;
};
struct Line {
    int number = 0;
    std::vector<Cell> cells;
};

/// Cuts a text into cells. Quoted cells may hold commas, line breaks and doubled quotes.
class Cutter {
public:
    Cutter(std::string_view text, scenario::Problems& problems) : text_(text), problems_(problems) {}

    std::vector<Line> lines() {
        std::vector<Line> all;
        while (at_ < text_.size()) {
            if (text_[at_] == '#' || blank()) {
                skip_line();
                continue;
            }
            all.push_back(line());
        }
        return all;
    }

private:
    bool blank() const {
        const auto rest = text_.substr(at_);
        const auto first = rest.find_first_not_of(" \t\r");
        return first == std::string_view::npos || rest[first] == '\n';
    }
    void skip_line() {
        at_ = std::min(text_.find('\n', at_), text_.size());
        end_line();
    }
    void end_line() {
        if (at_ < text_.size()) ++at_;
        ++number_;
        begin_ = at_;
    }
    Mark here() const { return {number_, static_cast<int>(at_ - begin_) + 1}; }

    Line line() {
        Line out{number_, {}};
        for (;;) {
            while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t'))
                ++at_;
            out.cells.push_back(at_ < text_.size() && text_[at_] == '"' ? quoted() : plain());
            if (at_ >= text_.size() || text_[at_] != ',') break;
            ++at_;
        }
        end_line();
        return out;
    }
    Cell plain() {
        const auto mark = here();
        const auto end = std::min(text_.find_first_of(",\n", at_), text_.size());
        const auto cell = scenario::trimmed(text_.substr(at_, end - at_));
        at_ = end;
        return {std::string(cell), mark};
    }
    Cell quoted() {
        Cell out{"", here()};
        ++at_;
        for (; at_ < text_.size(); ++at_) {
            if (text_[at_] == '"' && (at_ + 1 >= text_.size() || text_[at_ + 1] != '"')) break;
            if (text_[at_] == '"') ++at_;
            if (text_[at_] == '\n') {
                ++number_;
                begin_ = at_ + 1;
            }
            out.text += text_[at_];
        }
        if (at_ >= text_.size()) {
            problems_.error(0, out.mark, "the quotation that begins here has no end");
            return out;
        }
        ++at_;
        const auto behind = here();
        if (!plain().text.empty()) problems_.error(0, behind, "a comma must follow the quotation's end");
        return out;
    }

    std::string_view text_;
    scenario::Problems& problems_;
    std::size_t at_ = 0, begin_ = 0;
    int number_ = 1;
};

std::vector<std::string> known_names() {
    std::vector<std::string> out{"label", "source"};
    for (const auto& column : kColumns)
        out.emplace_back(column.name);
    return out;
}

int column_of(const std::string& name) {
    if (name == "label") return kLabel;
    if (name == "source") return kSource;
    for (std::size_t i = 0; i < kColumns.size(); ++i)
        if (name == kColumns[i].name) return static_cast<int>(i);
    return kNoColumn;
}

std::vector<int> heading(const Line& line, scenario::Problems& problems) {
    const auto known = known_names();
    std::vector<int> out;
    for (const auto& cell : line.cells) {
        const int column = column_of(cell.text);
        if (column == kNoColumn)
            problems.error(0, cell.mark,
                           fmt::format("'{}' is no column; there are {}{}", cell.text, scenario::listed(known),
                                       scenario::did_you_mean(cell.text, known)));
        else if (std::find(out.begin(), out.end(), column) != out.end())
            problems.error(0, cell.mark, fmt::format("the column '{}' is there twice", cell.text));
        out.push_back(column);
    }
    return out;
}

void take(Row& row, int column, const Cell& cell, scenario::Problems& problems) {
    if (column == kLabel) row.label = cell.text;
    if (column == kSource) row.source = cell.text;
    if (column < 0 || cell.text.empty()) return;
    const auto& [name, figure, may_be_zero] = kColumns[static_cast<std::size_t>(column)];
    const bool share = figure == &Row::errors;
    const auto value = share ? scenario::parse_share(cell.text) : scenario::parse_number(cell.text);
    if (!value)
        problems.error(0, cell.mark,
                       fmt::format("{}: '{}' is no {}; write digits with a point at most, without unit and without "
                                   "separators of thousands, or leave it empty",
                                   name, cell.text, share ? "share such as 11.8% or 0.118" : "number"));
    else if (*value < 0 || (*value == 0 && !may_be_zero))
        problems.error(0, cell.mark,
                       fmt::format("{}: {} must be {}", name, cell.text, may_be_zero ? "at least 0" : "above 0"));
    else if (share && *value > 1)
        problems.error(0, cell.mark, fmt::format("errors: {} is above 100 %; write 11.8% or 0.118", cell.text));
    else
        row.*figure = *value;
}

Row row_of(const Line& line, const std::vector<int>& columns, scenario::Problems& problems) {
    Row row;
    row.line = line.number;
    if (line.cells.size() != columns.size())
        problems.error(0, line.cells.back().mark,
                       fmt::format("{} cells, but the heading has {} columns", line.cells.size(), columns.size()));
    for (std::size_t i = 0; i < std::min(line.cells.size(), columns.size()); ++i)
        take(row, columns[i], line.cells[i], problems);
    if (row.label.empty()) row.label = fmt::format("line {}", line.number);
    return row;
}

} // namespace

Table read_csv(std::string_view text, const std::string& file) {
    scenario::Problems problems;
    problems.add_origin(file);
    Table out;
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3); // spreadsheets write this mark
    if (text.size() > kMaxBytes) {
        problems.error(0, {1, 1}, "the table is larger than 16 MiB");
    } else if (const auto bad = scenario::first_bad_utf8(text); bad != std::string_view::npos) {
        problems.error(0, scenario::mark_at(text, bad), "the text is not UTF-8");
    } else {
        const auto lines = Cutter(text, problems).lines();
        if (lines.size() < 2)
            problems.error(0, {1, 1}, "a table is a line of column names and at least one line of figures");
        const auto columns = lines.empty() ? std::vector<int>{} : heading(lines.front(), problems);
        for (std::size_t i = 1; i < lines.size() && !problems.full(); ++i)
            out.rows.push_back(row_of(lines[i], columns, problems));
    }
    out.problems = problems.sorted();
    if (!out.problems.empty()) out.rows.clear();
    return out;
}

} // namespace narrows::audit
