// SPDX-License-Identifier: GPL-3.0-or-later
// One chart inside one QCustomPlot: builds the axes and series once, and lays out all words at
// every replot. Not for use outside this folder (see qcustomplot_chart.hpp).
#pragma once

#include "plots/ink.hpp"
#include "plots/palette.hpp"
#include "plots/prepare.hpp"

#include <string>
#include <vector>

namespace narrows::plots {

struct Fonts {
    QFont title, subtitle, heading, unit, tick, label, small, footer;
};

/// The fonts of a chart, in pixels so that no screen resolution changes a file.
Fonts chart_fonts();

/// An entry of the key above the panels.
struct KeyEntry {
    enum class Kind { line, bound, formula, published, band, hollow, off_scale, words };
    Kind kind = Kind::words;
    int style = 0;
    QString text;
    bool bare = false; ///< a line without markers

    bool operator==(const KeyEntry&) const = default;
};

class ChartView : public QObject {
public:
    ChartView(QCustomPlot& plot, const Chart& chart, Theme theme);

private:
    struct PanelView {
        const Panel* panel = nullptr;
        Axis y;
        bool data = false;
        QCPAxisRect* rect = nullptr;
        QCPAxis* x_axis = nullptr;
        QCPAxis* y_axis = nullptr;
        int note_rows = 0;
    };
    /// A label in the right margin.
    struct EndLabel {
        double x = 0, y = 0; // where the line ends, in pixels
        QStringList lines;
        QFont font;
        int style = 0;
        bool line = false; // of a line, not of a bound
    };
    struct TopLabel {
        double x = 0; // pixel
        QString text;
        int style = 0;
        bool note = false; // of a note: has a line through the panel
    };

    // chart_view.cpp: built once
    void add_panel(std::size_t index);
    void style_axis(QCPAxis* axis) const;
    void add_series(PanelView& view);
    void add_band(const PanelView& view, const std::vector<Point>& run, int style);
    void add_error_bars(const PanelView& view, const std::vector<Point>& points, int style, double gap);
    void add_line(const PanelView& view, const Line& line);
    void add_markers(const PanelView& view, const Trace& trace, int style, bool supported);
    void add_bound(const PanelView& view, const Bound& bound);
    void add_published(const PanelView& view, const Published& published);
    QCPGraph* add_graph(const PanelView& view, const std::vector<Point>& points);

    // chart_layout.cpp: at every replot
    void arrange();
    bool arrange(bool direct);
    void relayout();
    void stretch_rows(double header, double footer, double right);
    double place_header(bool direct);
    double place_key(double top, bool direct);
    void place_key_entry(const KeyEntry& entry, double left, double middle);
    double place_footer();
    void place_heading(const PanelView& view);
    void place_top_labels(PanelView& view, bool direct, bool paint);
    bool place_end_labels(const PanelView& view);
    void place_off_scale(const PanelView& view);
    void place_no_data(const PanelView& view);
    [[nodiscard]] std::vector<KeyEntry> key_entries(bool direct) const;
    void add_panel_entries(const Panel& panel, const Axis& y, bool direct, std::vector<KeyEntry>& entries) const;
    [[nodiscard]] std::vector<EndLabel> end_labels(const PanelView& view) const;
    [[nodiscard]] std::vector<TopLabel> top_labels(const PanelView& view, bool direct) const;
    [[nodiscard]] bool lines_reach_the_end() const;
    [[nodiscard]] double end_label_width() const;
    [[nodiscard]] int top_margin(const PanelView& view) const;
    [[nodiscard]] int bottom_margin(const PanelView& view) const;
    [[nodiscard]] double label_room() const;
    double add_paragraph(const std::string& text, const QFont& font, Rgb color, double top, double line_height);

    [[nodiscard]] SeriesStyle style(int index) const { return series_style(index, theme_); }
    [[nodiscard]] QPen series_pen(int index, double width) const;
    [[nodiscard]] QPen bound_pen(int style_index, bool formula) const;
    [[nodiscard]] QCPScatterStyle marker(int index, double size, bool filled) const;

    QCustomPlot& plot_;
    Chart chart_;
    Theme theme_;
    Palette colors_;
    Fonts fonts_;
    Axis x_;
    double last_x_;
    std::vector<PanelView> panels_;
    int thrift_ = 0; ///< 1: no subtitle and footer, 2: no notes either; for windows that are too low
    Ink* under_;
    Ink* over_;
    QCPMarginGroup* left_margin_; ///< common to the panels
};

} // namespace narrows::plots
