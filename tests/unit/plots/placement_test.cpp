// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/palette.hpp"
#include "plots/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace narrows::plots {
namespace {

double letters(const std::string& text) {
    return static_cast<double>(text.size());
}

TEST(Spread, LeavesLabelsThatDoNotTouch) {
    EXPECT_EQ(spread({{10, 8}, {50, 8}}, 0, 100), (std::vector<double>{10, 50}));
}

TEST(Spread, MovesTouchingLabelsApartEvenlyAndKeepsTheirOrder) {
    EXPECT_EQ(spread({{52, 10}, {50, 10}}, 0, 100), (std::vector<double>{56, 46}));
    EXPECT_EQ(spread({{50, 10}, {50, 10}}, 0, 100), (std::vector<double>{45, 55})) << "equal wishes: order given";
}

TEST(Spread, StaysWithinTheColumn) {
    EXPECT_EQ(spread({{0, 10}, {2, 10}}, 0, 100), (std::vector<double>{5, 15}));
    EXPECT_EQ(spread({{99, 10}, {100, 10}}, 0, 100), (std::vector<double>{85, 95}));
}

TEST(Spread, NeverOverlaps) {
    std::vector<Wish> wishes;
    for (int i = 0; i < 12; ++i)
        wishes.push_back({static_cast<double>((i * 37) % 90), 7.0 + i % 3});
    std::vector<double> centers = spread(wishes, 0, 200);
    for (std::size_t i = 0; i < wishes.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            EXPECT_GE(std::abs(centers[i] - centers[j]), (wishes[i].height + wishes[j].height) / 2 - 1e-9);
}

TEST(Stagger, UsesOneRowWhenTextsHaveRoom) {
    const auto places = stagger({{10, 50}, {100, 50}}, 0, 300, 10);
    EXPECT_EQ(places[0].row, 0);
    EXPECT_EQ(places[1].row, 0);
}

TEST(Stagger, TheEarlierOfTwoCloseTextsStandsHigher) {
    const auto places = stagger({{10, 80}, {40, 80}}, 0, 300, 10);
    EXPECT_EQ(places[0].row, 1) << "its text passes above the later line's start";
    EXPECT_EQ(places[1].row, 0);
}

TEST(Stagger, TurnsTheLastTextBackAtTheRightEdge) {
    const auto places = stagger({{280, 80}}, 0, 300, 10);
    EXPECT_LE(places[0].left + 80, 280);
}

TEST(Stagger, NoTextTouchesAnotherAndNoLineStrikesOne) {
    std::vector<Flag> flags;
    for (int i = 0; i < 9; ++i)
        flags.push_back({20.0 + (i * 61) % 270, 40.0 + (i * 23) % 70});
    const auto places = stagger(flags, 0, 300, 6);
    for (std::size_t i = 0; i < flags.size(); ++i) {
        for (std::size_t j = 0; j < flags.size(); ++j) {
            if (i == j) continue;
            const double left = places[j].left, right = places[j].left + flags[j].width;
            if (places[i].row == places[j].row) {
                EXPECT_TRUE(places[i].left >= right || places[i].left + flags[i].width <= left) << i << " " << j;
            }
            if (places[i].row > places[j].row && places[i].joined) {
                EXPECT_FALSE(flags[i].anchor > left && flags[i].anchor < right) << i << " " << j;
            }
        }
    }
}

TEST(Thin, KeepsTheEndsAndWhatFitsBetween) {
    EXPECT_EQ(thin({{0, 20}, {15, 20}, {40, 20}, {60, 20}}, 2), (std::vector<bool>{true, false, false, true}));
    EXPECT_EQ(thin({{0, 10}, {30, 10}, {60, 10}}, 2), (std::vector<bool>{true, true, true}));
    EXPECT_TRUE(thin({}, 2).empty());
}

TEST(Wrap, BreaksAtSpacesAndKeepsLongWordsWhole) {
    EXPECT_EQ(wrap("aa bb cc", 5, letters), (std::vector<std::string>{"aa bb", "cc"}));
    EXPECT_EQ(wrap("abcdefgh ij", 4, letters), (std::vector<std::string>{"abcdefgh", "ij"}));
    EXPECT_EQ(wrap("a\nb", 9, letters), (std::vector<std::string>{"a", "b"}));
    EXPECT_TRUE(wrap("", 9, letters).empty());
}

TEST(Wrap, EvenlyLeavesNoShortLastLine) {
    EXPECT_EQ(wrap("aaaa bbbb cccc dddd", 15, letters).back(), "dddd");
    EXPECT_EQ(wrap_evenly("aaaaaaa bbbbbbb ccccccc ddddddd", 24, letters),
              (std::vector<std::string>{"aaaaaaa bbbbbbb", "ccccccc ddddddd"}));
}

TEST(Flow, StartsANewRowWhenTheWidthIsUsedUp) {
    const auto cells = flow({40, 40, 40}, 100, 10);
    EXPECT_EQ(cells[1].left, 50);
    EXPECT_EQ(cells[1].row, 0);
    EXPECT_EQ(cells[2].left, 0);
    EXPECT_EQ(cells[2].row, 1);
}

TEST(Palette, WordsAndLinesStandOutFromTheBackground) {
    for (Theme theme : {Theme::light, Theme::dark}) {
        const Palette colors = palette(theme);
        EXPECT_GE(contrast(colors.text, colors.background), 7);
        EXPECT_GE(contrast(colors.muted, colors.background), 4.5);
        for (int style = 0; style < 6; ++style) {
            EXPECT_GE(contrast(series_style(style, theme).text, colors.background), 4.5) << style;
            EXPECT_GE(contrast(series_style(style, theme).line, colors.background), 3) << style;
        }
    }
}

TEST(Palette, ContrastIsThatOfWcag) {
    EXPECT_NEAR(contrast(0xFFFFFF, 0x000000), 21, 1e-9);
    EXPECT_NEAR(contrast(0x777777, 0xFFFFFF), 4.48, 0.005); // the well-known grey just below 4.5
}

TEST(Palette, TheThreeThreadModelsDifferInColourDashAndMarker) {
    std::set<Rgb> colors;
    std::set<std::vector<double>> dashes;
    std::set<Marker> markers;
    for (int style = 0; style < 3; ++style) {
        const SeriesStyle look = series_style(style, Theme::light);
        colors.insert(look.line);
        dashes.insert(look.dash);
        markers.insert(look.marker);
    }
    EXPECT_EQ(colors.size(), 3U);
    EXPECT_EQ(dashes.size(), 3U);
    EXPECT_EQ(markers.size(), 3U);
    EXPECT_NO_FATAL_FAILURE(series_style(-7, Theme::dark));
}

} // namespace
} // namespace narrows::plots
