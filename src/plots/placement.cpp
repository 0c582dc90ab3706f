// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/placement.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

namespace narrows::plots {

namespace {

constexpr double kBesideLine = 4; // between a note's line and its text

/// Neighbouring labels that touch and therefore move as one.
struct Block {
    double offset_sum = 0; // of (wished top - height above it in the block)
    double height = 0;
    std::size_t count = 0;
    double top = 0;
};

struct Placed {
    Flag flag;
    FlagPlace place;
};

bool strikes(double line, const Placed& other) {
    return line > other.place.left - 2 && line < other.place.left + other.flag.width + 2;
}

bool free_place(const Flag& flag, const FlagPlace& place, const std::vector<Placed>& others, double gap) {
    return std::none_of(others.begin(), others.end(), [&](const Placed& other) {
        if (other.place.row == place.row)
            return place.left < other.place.left + other.flag.width + gap &&
                   other.place.left < place.left + flag.width + gap;
        if (other.place.row < place.row) return strikes(flag.anchor, other);
        return other.place.joined && strikes(other.flag.anchor, {flag, place});
    });
}

FlagPlace find_place(const Flag& flag, const std::vector<Placed>& others, double left, double right, double gap) {
    double start = flag.anchor + kBesideLine;
    if (start + flag.width > right) start = flag.anchor - kBesideLine - flag.width;
    start = std::max(left, start);
    const int rows = static_cast<int>(others.size()) + 1;
    for (int row = 0; row < rows; ++row)
        if (const FlagPlace place{row, start, true}; free_place(flag, place, others, gap)) return place;
    // No row lets its line through: the highest row is free of texts, and the line stays below.
    int top = 0;
    for (const Placed& other : others)
        top = std::max(top, other.place.row + 1);
    return {top, start, false};
}

} // namespace

std::vector<double> spread(const std::vector<Wish>& wishes, double top, double bottom) {
    std::vector<std::size_t> order(wishes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return wishes[a].center < wishes[b].center; });
    // Pool adjacent violators: a block stands at the mean of what its labels wish.
    std::vector<Block> blocks;
    const auto settle = [&](Block& block) {
        block.top = block.offset_sum / static_cast<double>(block.count);
        block.top = std::max(top, std::min(block.top, bottom - block.height));
    };
    for (std::size_t index : order) {
        const Wish& wish = wishes[index];
        Block block{wish.center - wish.height / 2, wish.height, 1, 0};
        settle(block);
        while (!blocks.empty() && blocks.back().top + blocks.back().height > block.top) {
            const Block above = blocks.back();
            blocks.pop_back();
            block.offset_sum = above.offset_sum + block.offset_sum - above.height * static_cast<double>(block.count);
            block.height += above.height;
            block.count += above.count;
            settle(block);
        }
        blocks.push_back(block);
    }
    std::vector<double> centers(wishes.size());
    std::size_t next = 0;
    for (const Block& block : blocks) {
        double y = block.top;
        for (std::size_t i = 0; i < block.count; ++i, ++next) {
            centers[order[next]] = y + wishes[order[next]].height / 2;
            y += wishes[order[next]].height;
        }
    }
    return centers;
}

std::vector<FlagPlace> stagger(const std::vector<Flag>& flags, double left, double right, double gap) {
    std::vector<std::size_t> order(flags.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // From right to left: a text stands right of its line, so the later line must start lower.
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return flags[a].anchor > flags[b].anchor; });
    std::vector<FlagPlace> places(flags.size());
    std::vector<Placed> placed;
    for (std::size_t index : order) {
        places[index] = find_place(flags[index], placed, left, right, gap);
        placed.push_back({flags[index], places[index]});
    }
    return places;
}

std::vector<bool> thin(const std::vector<Word>& words, double gap) {
    std::vector<bool> kept(words.size(), false);
    std::vector<std::size_t> order(words.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (words.size() > 1) std::rotate(order.begin() + 1, order.end() - 1, order.end());
    for (std::size_t candidate : order) {
        const Word& word = words[candidate];
        bool clear = true;
        for (std::size_t i = 0; i < words.size() && clear; ++i) {
            if (!kept[i]) continue;
            const double apart = std::abs(words[i].center - word.center);
            clear = apart >= (words[i].width + word.width) / 2 + gap;
        }
        kept[candidate] = clear;
    }
    return kept;
}

std::vector<std::string> wrap(const std::string& text, double width, const Measure& measure) {
    std::vector<std::string> lines;
    std::istringstream paragraphs(text);
    for (std::string paragraph; std::getline(paragraphs, paragraph);) {
        std::istringstream words(paragraph);
        std::string line;
        for (std::string word; words >> word;) {
            const std::string longer = line.empty() ? word : line + ' ' + word;
            if (!line.empty() && measure(longer) > width) {
                lines.push_back(line);
                line = word;
            } else {
                line = longer;
            }
        }
        lines.push_back(line);
    }
    return lines;
}

std::vector<std::string> wrap_evenly(const std::string& text, double width, const Measure& measure) {
    std::vector<std::string> best = wrap(text, width, measure);
    const std::size_t lines = best.size();
    if (lines < 2) return best;
    double narrow = width / 2, wide = width;
    while (wide - narrow > 4) {
        const double middle = (narrow + wide) / 2;
        std::vector<std::string> candidate = wrap(text, middle, measure);
        if (candidate.size() == lines) {
            best = std::move(candidate);
            wide = middle;
        } else {
            narrow = middle;
        }
    }
    return best;
}

std::vector<Cell> flow(const std::vector<double>& widths, double width, double gap) {
    std::vector<Cell> cells;
    double left = 0;
    int row = 0;
    for (double item : widths) {
        if (left > 0 && left + item > width) {
            left = 0;
            ++row;
        }
        cells.push_back({left, row});
        left += item + gap;
    }
    return cells;
}

} // namespace narrows::plots
