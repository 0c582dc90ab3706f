// SPDX-License-Identifier: GPL-3.0-or-later
// Files as they come out: decoded again and looked at.
#include "plots/atomic_file.hpp"
#include "plots/chart.hpp"
#include "plots/palette.hpp"

#include "samples.hpp"

#include <QGuiApplication>
#include <QImage>

#include <gtest/gtest.h>

#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <stdexcept>
#include <sys/resource.h>
#include <unistd.h>

namespace narrows::plots {
namespace {

namespace fs = std::filesystem;

class Draw : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "narrows-plots-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { fs::remove_all(folder_); }

    [[nodiscard]] fs::path file(const std::string& name) const { return folder_ / name; }
    static std::string read(const fs::path& path) {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    std::string drawn(const Chart& chart, const std::string& name, int width = 960, int height = 720,
                      Theme theme = Theme::light) const {
        draw(chart, file(name), width, height, theme);
        return read(file(name));
    }
    [[nodiscard]] QImage picture(const Chart& chart, Theme theme = Theme::light, double scale = 1) const {
        draw(chart, file("picture.png"), 960, 720, theme, scale);
        return QImage(QString::fromStdString(file("picture.png").string()));
    }
    static std::string reason(const Chart& chart, const fs::path& path, int width = 960, int height = 720) {
        try {
            draw(chart, path, width, height);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "";
    }
    [[nodiscard]] std::size_t files() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }

    fs::path folder_;
};

int count(const QImage& image, QRgb color) {
    int found = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            found += (image.pixel(x, y) | 0xFF000000U) == (color | 0xFF000000U);
    return found;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

Chart one_line(std::vector<Point> points) {
    Chart chart;
    chart.title = "One line";
    chart.panels.emplace_back();
    chart.panels[0].title = "Panel";
    chart.panels[0].lines = {{"the line", 0, std::move(points)}};
    return chart;
}

TEST_F(Draw, PngHasTheAskedSizeTimesScaleAndIsNotBlank) {
    const QImage image = picture(samples::order_summary(), Theme::light, 2);
    EXPECT_EQ(image.size(), QSize(1920, 1440));
    std::set<QRgb> colors;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            colors.insert(image.pixel(x, y));
    EXPECT_GT(colors.size(), 100U);
    EXPECT_EQ(image.pixel(0, 0), qRgb(255, 255, 255));
    for (int style : {0, 1})
        EXPECT_GT(count(image, series_style(style, Theme::light).line), 200) << style;
    EXPECT_EQ(picture(samples::order_summary(), Theme::dark).pixel(0, 0) & 0xFFFFFFU, palette(Theme::dark).background);
}

TEST_F(Draw, SvgKeepsItsWordsAsWords) {
    const std::string svg = drawn(samples::order_summary(), "chart.svg");
    EXPECT_TRUE(contains(svg, "<svg"));
    EXPECT_TRUE(contains(svg, "viewBox=\"0 0 960 720\""));
    for (const char* words :
         {"Order summary: virtual threads", ">Throughput<", "requests per second", "p99 latency", "platform threads",
          "virtual threads", "6 cores / 0.35 ms", "users / 95.9 ms", "queue moves to Tomcat", "printed (virtual)",
          "concurrent users", ">2,500<", ">15,000<", "order-summary 3f9a1c2", "95 % interval"})
        EXPECT_TRUE(contains(svg, words)) << words;
}

TEST_F(Draw, PdfHasOnePageOfExactlyTheChartsSize) {
    const std::string pdf = drawn(samples::pool_sweep(), "chart.pdf", 800, 640);
    EXPECT_EQ(pdf.substr(0, 5), "%PDF-");
    EXPECT_TRUE(contains(pdf, "/Count 1\n")) << "one page";
    EXPECT_TRUE(contains(pdf, "/MediaBox [0 0 600.000000 480.000000]")) << "800 x 640 CSS pixels in points";
    EXPECT_TRUE(contains(pdf, "/FontFile2")) << "text as text, with its font";
}

TEST_F(Draw, TheSameChartIsTheSameFile) {
    for (const char* name : {"chart.png", "chart.svg", "chart.pdf"}) {
        const std::string once = drawn(samples::three_models(), name);
        EXPECT_EQ(once, drawn(samples::three_models(), name)) << name;
        EXPECT_FALSE(once.empty());
    }
}

TEST_F(Draw, IntervalsAreABand) {
    Chart with = one_line({{1, 10, 6, 14, true}, {2, 10, 6, 14, true}, {3, 10, 6, 14, true}});
    Chart without = with;
    for (Point& point : without.panels[0].lines[0].points)
        point.low = point.high = std::nullopt;
    const auto filled = [&](const Chart& chart) {
        const QImage image = picture(chart);
        const QColor line(series_style(0, Theme::light).line);
        const int alpha = palette(Theme::light).band_alpha;
        const auto mixed = [&](int channel) { return 255 + (channel - 255) * alpha / 255; };
        int found = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) {
                const QColor pixel(image.pixel(x, y));
                found += std::abs(pixel.red() - mixed(line.red())) < 4 &&
                         std::abs(pixel.green() - mixed(line.green())) < 4 &&
                         std::abs(pixel.blue() - mixed(line.blue())) < 4;
            }
        return found;
    };
    EXPECT_GT(filled(with), 50000);
    EXPECT_LT(filled(without), 500);
}

TEST_F(Draw, UnsupportedPointsAreHollowAndSaidSo) {
    Chart chart = one_line({{1, 10, {}, {}, true}, {2, 10, {}, {}, true}});
    EXPECT_FALSE(contains(drawn(chart, "full.svg"), "sample too small"));
    const int full = count(picture(chart), series_style(0, Theme::light).line);
    for (Point& point : chart.panels[0].lines[0].points)
        point.supported = false;
    EXPECT_TRUE(contains(drawn(chart, "hollow.svg"), "sample too small, unstable or stalled"));
    EXPECT_LT(count(picture(chart), series_style(0, Theme::light).line), full - 20);
}

TEST_F(Draw, NamesThatCannotStandAtTheLinesGoToTheKey) {
    Chart chart = one_line({{1, 10, {}, {}, true}, {2, 10, {}, {}, true}});
    chart.panels[0].lines.push_back({"a shorter line", 1, {{1, 5, {}, {}, true}}});
    const std::string svg = drawn(chart, "key.svg");
    EXPECT_TRUE(contains(svg, "a shorter line"));
    EXPECT_TRUE(contains(svg, "the line"));
    for (int i = 0; i < 12; ++i)
        chart.panels[0].lines.push_back({"line " + std::to_string(i), i, {{2, 10, {}, {}, true}}});
    EXPECT_TRUE(contains(drawn(chart, "many.svg"), "line 11"));
}

TEST_F(Draw, HardCasesAreDrawn) {
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    Chart no_panels;
    no_panels.title = "Nothing";
    EXPECT_TRUE(contains(drawn(no_panels, "none.svg"), "No data to show"));
    const std::vector<std::vector<Point>> cases{
        {},
        {{5, 5, {}, {}, true}},
        {{1, 7, {}, {}, true}, {2, 7, {}, {}, true}},
        {{1, 0, 0, 0, true}, {2, 0, 0, 0, true}},
        {{nan, 1, {}, {}, true}, {1, inf, {}, {}, true}, {2, -inf, nan, nan, true}},
        {{0, 0, -1, 1, true}, {1, 10, -5, 20, true}, {2, 3, 1, 4, true}},
        {{-4, -7, -8, -6, true}, {1e280, 1e280, {}, {}, true}}};
    for (const auto& points : cases) {
        for (int logs = 0; logs < 4; ++logs) {
            Chart chart = one_line(points);
            chart.log_x = (logs & 1) != 0;
            chart.panels[0].log_y = (logs & 2) != 0;
            chart.panels[0].notes = {{1, "a note", 0}, {nan, "nowhere", 0}, {-1e300, "far", 1}};
            chart.panels[0].bounds = {{"bound", 1, points}, {"infinite", 1, {{1, inf, {}, {}, true}}}};
            EXPECT_GT(drawn(chart, "hard.png").size(), 1000U);
        }
    }
}

TEST_F(Draw, ZeroOnALogAxisIsMarkedAtTheEdge) {
    Chart chart = one_line({{1, 10, {}, {}, true}, {2, 0, {}, {}, true}, {3, 20, {}, {}, true}});
    EXPECT_FALSE(contains(drawn(chart, "linear.svg"), "off the logarithmic axis"));
    chart.panels[0].log_y = true;
    EXPECT_TRUE(contains(drawn(chart, "log.svg"), "zero or less: off the logarithmic axis"));
}

TEST_F(Draw, LeavesTheLocaleAlone) {
    const std::string before = std::setlocale(LC_ALL, nullptr);
    const std::string plain = drawn(samples::order_summary(), "plain.svg");
    EXPECT_EQ(std::setlocale(LC_ALL, nullptr), before);
    const char* german = std::setlocale(LC_ALL, "de_DE.UTF-8");
    const std::string translated = drawn(samples::order_summary(), "german.svg");
    std::setlocale(LC_ALL, before.c_str());
    EXPECT_EQ(plain, translated);
    if (german == nullptr) GTEST_SKIP() << "no German locale here to compare with";
}

TEST_F(Draw, NeedsNoDisplay) {
    draw(samples::categories(), file("first.png"));
    EXPECT_EQ(QGuiApplication::platformName(), "offscreen");
    EXPECT_EQ(std::getenv("QT_QPA_PLATFORM"), nullptr) << "children must not inherit it";
}

TEST_F(Draw, ErrorsNameTheFileAndTheReasonAndLeaveNothing) {
    const Chart chart = samples::categories();
    const std::string unknown = reason(chart, file("chart.gif"));
    for (const char* part : {"chart.gif", "\".gif\"", ".png, .svg and .pdf"})
        EXPECT_TRUE(contains(unknown, part)) << unknown;
    EXPECT_TRUE(contains(reason(chart, file("chart")), "no ending"));
    const std::string missing = reason(chart, file("no/such/folder.png"));
    EXPECT_TRUE(contains(missing, "no/such/folder.png: No such file or directory")) << missing;
    EXPECT_TRUE(contains(reason(chart, file("small.png"), 10, 10), "size of 10 x 10"));
    const std::string low = reason(samples::order_summary(), file("low.png"), 300, 200);
    EXPECT_TRUE(contains(low, "no room for 2 panels")) << low;
    EXPECT_EQ(files(), 0U);
}

TEST_F(Draw, AFailedWriteKeepsTheOldFileAndNoTemporaryOne) {
    fs::create_directory(file("taken.svg")); // a folder cannot be replaced by a file
    EXPECT_TRUE(contains(reason(samples::categories(), file("taken.svg")), "cannot write"));
    EXPECT_EQ(files(), 1U);
    EXPECT_TRUE(fs::is_directory(file("taken.svg")));
}

TEST_F(Draw, AWriteThatFailsHalfwayKeepsTheOldFile) {
    write_atomically(file("chart.svg"), "old");
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit low{1000, before.rlim_max}; // the disk is "full" after 1,000 bytes
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
    const std::string said = reason(samples::categories(), file("chart.svg"));
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_TRUE(contains(said, "chart.svg: File too large")) << said;
    EXPECT_EQ(read(file("chart.svg")), "old");
    EXPECT_EQ(files(), 1U);
    draw(samples::categories(), file("chart.svg"));
    EXPECT_GT(read(file("chart.svg")).size(), 1000U);
}

TEST_F(Draw, EndingsAreReadInAnyCase) {
    EXPECT_GT(drawn(samples::categories(), "CHART.SVG").size(), 1000U);
}

using DrawDeathTest = Draw;

TEST_F(DrawDeathTest, WithoutAnyFontItSaysWhatToInstall) {
    GTEST_FLAG_SET(death_test_style, "threadsafe"); // a fresh process: Qt reads the fonts once
    const auto without_fonts = [this] {
        std::ofstream(file("fonts.conf")) << "<?xml version=\"1.0\"?><fontconfig></fontconfig>";
        ::setenv("FONTCONFIG_FILE", file("fonts.conf").c_str(), 1);
        const std::string said = reason(samples::categories(), file("chart.png"));
        std::fprintf(stderr, "%s\n", said.c_str());
        fs::remove_all(folder_);
        std::_Exit(said.empty() ? 1 : 7);
    };
    EXPECT_EXIT(without_fonts(), testing::ExitedWithCode(7), "no font is installed");
}

} // namespace
} // namespace narrows::plots
