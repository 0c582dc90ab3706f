// SPDX-License-Identifier: GPL-3.0-or-later
// A chart as a value, and drawing it to a file without a display. No Qt type appears here, so
// the command line builds charts without knowing Qt.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace narrows::plots {

struct Point {
    double x = 0, y = 0;
    std::optional<double> low, high; ///< 95 % interval: a band
    bool supported = true;           ///< false: drawn hollow (sample too small, unstable, stalled)
};

/// A line of simulated points: markers at the points (where there are few), straight lines between, never smoothed.
struct Line {
    std::string label; ///< "virtual threads"
    int style = 0;     ///< fixes colour, dash and marker: 0 platform, 1 virtual, 2 event loop, further ones free
    std::vector<Point> points;
    bool markers = true;
};

struct Bound { ///< a limit from operational laws: thin dashed line; or what a formula says: dotted, above the lines
    std::string label;
    int style = 0; ///< colour of the line it belongs to
    std::vector<Point> points;
    bool formula = false;
};

struct Published {     ///< published figures: open symbols, no line
    std::string label; ///< "published (platform)"
    int style = 0;
    std::vector<Point> points;
};

struct Note {
    double x = 0;
    std::string text;
    int style = 0;
}; ///< where a bottleneck begins: a short label on a thin vertical line

struct Panel {
    std::string title, y_label;
    bool log_y = false;
    std::vector<Line> lines;
    std::vector<Bound> bounds;
    std::vector<Published> published;
    std::vector<Note> notes;
};

struct Chart {
    std::string title, subtitle;
    std::string x_label;
    bool log_x = false;
    std::vector<std::string> categories; ///< when not empty, x = 0, 1, … are these words
    std::vector<Panel> panels;           ///< one above the other, sharing x
    std::string footer;                  ///< scenario hash, seed, version
};

enum class Theme { light, dark };

/// Draws to `file`; its ending chooses .png, .svg or .pdf. Written beside and renamed, so a killed
/// run leaves no half file. Size in CSS pixels; PNG is drawn at `scale` times that. Throws
/// std::runtime_error that names the file and the reason. Needs no display (starts Qt's
/// "offscreen" platform itself, once a process; call from the main thread).
void draw(const Chart& chart, const std::filesystem::path& file, int width = 960, int height = 720,
          Theme theme = Theme::light, double scale = 2.0);

} // namespace narrows::plots
