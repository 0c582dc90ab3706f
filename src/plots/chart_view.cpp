// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/chart_view.hpp"

#include "plots/placement.hpp"
#include "plots/qcustomplot_chart.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace narrows::plots {

namespace {

constexpr auto kViewName = "narrows_chart_view";
constexpr double kLineWidth = 2.0;
constexpr double kMarkerSize = 7.5;
constexpr double kPublishedSize = 14.0;
constexpr std::size_t kFewestForBand = 3; // fewer intervals in a row become error bars

/// A graph whose marks may stand half outside the axes, as a point at zero does.
class Graph : public QCPGraph {
public:
    using QCPGraph::QCPGraph;

protected:
    [[nodiscard]] QRect clipRect() const override { return QCPGraph::clipRect().adjusted(-9, -9, 9, 9); }
};

/// Ticks from prepare.hpp; labels that would touch are left out, their marks stay.
class Ticker : public QCPAxisTicker {
public:
    using Make = std::function<std::vector<Tick>(const Axis&)>;
    Ticker(const QCPAxis* axis, Make make, bool thin_labels)
        : axis_(axis), make_(std::move(make)), thin_(thin_labels) {}

    void generate(const QCPRange& range, const QLocale&, QChar, int, QVector<double>& ticks, QVector<double>* sub_ticks,
                  QVector<QString>* labels) override {
        const bool log = axis_->scaleType() == QCPAxis::stLogarithmic;
        const std::vector<Tick> made = make_({log, range.lower, range.upper});
        std::vector<Word> words;
        const QFontMetricsF metrics(axis_->tickLabelFont());
        for (const Tick& tick : made)
            words.push_back(
                {axis_->coordToPixel(tick.at), metrics.horizontalAdvance(QString::fromStdString(tick.label))});
        const std::vector<bool> kept = thin_ ? thin(words, 8) : std::vector<bool>(made.size(), true);
        ticks.clear();
        if (labels != nullptr) labels->clear();
        if (sub_ticks != nullptr) sub_ticks->clear();
        for (std::size_t i = 0; i < made.size(); ++i) {
            ticks.append(made[i].at);
            if (labels != nullptr) labels->append(kept[i] ? QString::fromStdString(made[i].label) : QString());
        }
    }

private:
    const QCPAxis* axis_;
    Make make_;
    bool thin_;
};

QCPScatterStyle::ScatterShape shape(Marker marker) {
    switch (marker) {
    case Marker::circle: return QCPScatterStyle::ssCircle;
    case Marker::square: return QCPScatterStyle::ssSquare;
    case Marker::triangle: return QCPScatterStyle::ssTriangle;
    case Marker::diamond: return QCPScatterStyle::ssDiamond;
    case Marker::triangle_down: return QCPScatterStyle::ssTriangleInverted;
    }
    return QCPScatterStyle::ssCircle;
}

QFont font(int pixels, QFont::Weight weight = QFont::Normal) {
    QFont result;
    // A fixed order, so that a file does not depend on the desktop's settings.
    result.setFamilies({"DejaVu Sans", "Noto Sans", "Liberation Sans", "sans-serif"});
    result.setPixelSize(pixels);
    result.setWeight(weight);
    // Hinting would change widths with the scale, and the layout with the widths.
    result.setHintingPreference(QFont::PreferNoHinting);
    return result;
}

} // namespace

Fonts chart_fonts() {
    return {font(19, QFont::Bold),
            font(13),
            font(13, QFont::Bold),
            font(12),
            font(12),
            font(12, QFont::Bold),
            font(11),
            font(11)};
}

void draw_into(QCustomPlot& plot, const Chart& chart, Theme theme) {
    delete plot.findChild<QObject*>(kViewName, Qt::FindDirectChildrenOnly);
    auto* view = new ChartView(plot, chart, theme); // owned by the plot
    view->setObjectName(kViewName);
    plot.replot();
}

ChartView::ChartView(QCustomPlot& plot, const Chart& chart, Theme theme)
    : QObject(&plot), plot_(plot), chart_(chart), theme_(theme), colors_(palette(theme)), fonts_(chart_fonts()), x_(),
      last_x_(0), under_(nullptr), over_(nullptr), left_margin_(new QCPMarginGroup(&plot)) {
    if (chart_.panels.empty()) chart_.panels.emplace_back();
    x_ = plots::x_axis(chart_);
    last_x_ = last_x(chart_);
    plot_.clearPlottables();
    plot_.clearItems();
    plot_.plotLayout()->clear();
    plot_.setAutoAddPlottableToLegend(false);
    plot_.setBackground(QBrush(QColor(colors_.background)));
    plot_.setAntialiasedElements(QCP::aeAll);
    plot_.setNotAntialiasedElements(QCP::aeAxes | QCP::aeGrid);
    under_ = new Ink(&plot_, "grid");
    over_ = new Ink(&plot_, "overlay");
    under_->setParent(this);
    over_->setParent(this);
    left_margin_->setParent(this);
    plot_.plotLayout()->setRowSpacing(0);
    plot_.plotLayout()->setAutoMargins(QCP::msNone);
    for (std::size_t i = 0; i < chart_.panels.size(); ++i)
        add_panel(i);
    connect(&plot_, &QCustomPlot::afterLayout, this, [this] { arrange(); });
}

QPen ChartView::series_pen(int index, double width) const {
    QPen pen(QColor(style(index).line), width);
    const std::vector<double> dash = style(index).dash;
    if (!dash.empty()) pen.setDashPattern(QList<qreal>(dash.begin(), dash.end()));
    pen.setCapStyle(Qt::FlatCap);
    pen.setJoinStyle(Qt::RoundJoin);
    return pen;
}

QCPScatterStyle ChartView::marker(int index, double size, bool filled) const {
    const SeriesStyle look = style(index);
    const QColor line(look.line), background(colors_.background);
    // A filled mark has a rim of the background, so that marks on top of each other stay apart.
    const QPen pen(filled ? background : line, filled ? 1.0 : 1.6);
    // A triangle or diamond of the same size looks smaller than a circle.
    const double grown = look.marker == Marker::circle || look.marker == Marker::square ? size : size * 1.25;
    return {shape(look.marker), pen, QBrush(filled ? line : background), grown};
}

void ChartView::style_axis(QCPAxis* axis) const {
    const bool horizontal = axis->orientation() == Qt::Horizontal;
    const QPen none(Qt::transparent); // a pen of style NoPen would leave dots in an SVG
    axis->setTickLabelFont(fonts_.tick);
    axis->setTickLabelColor(QColor(colors_.muted));
    axis->setLabelFont(fonts_.unit);
    axis->setLabelColor(QColor(colors_.muted));
    axis->setBasePen(horizontal ? QPen(QColor(colors_.axis), 1) : none);
    axis->setTickPen(horizontal ? QPen(QColor(colors_.axis), 1) : none);
    axis->setSubTicks(false);
    axis->setTickLength(0, horizontal ? 4 : 0);
    axis->setTickLabelPadding(horizontal ? 5 : 8);
    axis->grid()->setVisible(!horizontal);
    axis->grid()->setPen(QPen(QColor(colors_.grid), 1));
    axis->grid()->setZeroLinePen(Qt::NoPen);
}

void ChartView::add_panel(std::size_t index) {
    PanelView view;
    view.panel = &chart_.panels[index];
    view.y = y_axis(*view.panel, chart_.log_x);
    view.data = has_data(*view.panel, chart_.log_x);
    view.rect = new QCPAxisRect(&plot_, false);
    view.x_axis = view.rect->addAxis(QCPAxis::atBottom);
    view.y_axis = view.rect->addAxis(QCPAxis::atLeft);
    view.rect->setMinimumMargins(QMargins(0, 0, 0, 0));
    view.rect->setAutoMargins(QCP::msLeft);
    plot_.plotLayout()->addElement(static_cast<int>(index), 0, view.rect);
    view.rect->setMarginGroup(QCP::msLeft, left_margin_);
    for (QCPAxis* axis : {view.x_axis, view.y_axis})
        style_axis(axis);
    // Everything of the axes below the data, the base line above the grid.
    for (QCPAxis* axis : {view.x_axis, view.y_axis})
        axis->grid()->setLayer("grid");
    for (QCPAxis* axis : {view.x_axis, view.y_axis})
        axis->setLayer("grid");
    view.x_axis->setScaleType(x_.log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    view.y_axis->setScaleType(view.y.log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    view.x_axis->setRange(x_.low, x_.high);
    view.y_axis->setRange(view.y.low, view.y.high);
    const bool last = index + 1 == chart_.panels.size();
    view.x_axis->setTickLabels(last);
    view.x_axis->setTicks(view.data);
    view.y_axis->setTicks(view.data);
    view.x_axis->setTicker(QSharedPointer<QCPAxisTicker>(
        new Ticker(view.x_axis, [this](const Axis& axis) { return x_ticks(chart_, axis); }, true)));
    view.y_axis->setTicker(QSharedPointer<QCPAxisTicker>(new Ticker(
        view.y_axis,
        [rect = view.rect](const Axis& axis) { return round_ticks(axis, std::clamp(rect->height() / 34, 2, 9)); },
        false)));
    add_series(view);
    panels_.push_back(view);
}

void ChartView::add_series(PanelView& view) {
    for (const Line& line : view.panel->lines) {
        for (const auto& run : trace(line.points, chart_.log_x, view.y.log).runs)
            add_band(view, run, line.style);
    }
    for (const Bound& bound : view.panel->bounds)
        if (!bound.formula) add_bound(view, bound);
    for (const Line& line : view.panel->lines)
        add_line(view, line);
    // Where a formula is exact it lies on the simulated line, and would vanish below it.
    for (const Bound& bound : view.panel->bounds)
        if (bound.formula) add_bound(view, bound);
    for (const Published& published : view.panel->published)
        add_published(view, published);
}

QCPGraph* ChartView::add_graph(const PanelView& view, const std::vector<Point>& points) {
    QVector<double> keys, values;
    for (const Point& point : points) {
        keys.append(point.x);
        values.append(point.y);
    }
    auto* graph = new Graph(view.x_axis, view.y_axis);
    graph->setAdaptiveSampling(false);
    graph->setData(keys, values, true);
    graph->setPen(Qt::NoPen);
    return graph;
}

void ChartView::add_band(const PanelView& view, const std::vector<Point>& run, int style_index) {
    std::vector<Point> stretch;
    const auto flush = [&] {
        if (stretch.size() >= kFewestForBand) {
            std::vector<Point> lower = stretch, upper = stretch;
            for (Point& point : lower)
                point.y = std::max(*point.low, view.y.low); // log axis: low may be <= 0
            for (Point& point : upper)
                point.y = *point.high;
            QCPGraph* floor = add_graph(view, lower);
            QCPGraph* ceiling = add_graph(view, upper);
            QColor fill(style(style_index).line);
            fill.setAlpha(colors_.band_alpha);
            ceiling->setBrush(fill);
            ceiling->setChannelFillGraph(floor);
        } else if (!stretch.empty()) {
            add_error_bars(view, stretch, style_index, kMarkerSize);
        }
        stretch.clear();
    };
    for (const Point& point : run) {
        if (point.low)
            stretch.push_back(point);
        else
            flush();
    }
    flush();
}

void ChartView::add_error_bars(const PanelView& view, const std::vector<Point>& points, int style_index, double gap) {
    QVector<double> minus, plus;
    for (const Point& point : points) {
        minus.append(point.y - std::max(*point.low, view.y.log ? view.y.low : *point.low));
        plus.append(*point.high - point.y);
    }
    auto* bars = new QCPErrorBars(view.x_axis, view.y_axis);
    bars->setDataPlottable(add_graph(view, points));
    bars->setData(minus, plus);
    bars->setErrorType(QCPErrorBars::etValueError);
    bars->setPen(QPen(QColor(style(style_index).line), 1.2));
    bars->setWhiskerWidth(7);
    bars->setSymbolGap(gap);
}

void ChartView::add_line(const PanelView& view, const Line& line) {
    const Trace shown = trace(line.points, chart_.log_x, view.y.log);
    for (const auto& run : shown.runs)
        add_graph(view, run)->setPen(series_pen(line.style, kLineWidth));
    if (!line.markers) return;
    add_markers(view, shown, line.style, true);
    add_markers(view, shown, line.style, false);
}

void ChartView::add_markers(const PanelView& view, const Trace& shown, int style_index, bool supported) {
    std::vector<Point> points;
    for (const auto& run : shown.runs)
        for (const Point& point : run)
            if (point.supported == supported) points.push_back(point);
    if (points.empty()) return;
    QCPGraph* graph = add_graph(view, points);
    graph->setPen(QPen(QColor(style(style_index).line)));
    graph->setLineStyle(QCPGraph::lsNone);
    graph->setScatterStyle(marker(style_index, kMarkerSize, supported));
}

void ChartView::add_bound(const PanelView& view, const Bound& bound) {
    const QPen pen = bound_pen(bound.style, bound.formula);
    for (const auto& piece : inside(bound, x_, view.y))
        add_graph(view, piece)->setPen(pen);
}

QPen ChartView::bound_pen(int style_index, bool formula) const {
    QColor color(formula ? style(style_index).text : style(style_index).line);
    if (!formula) color.setAlpha(200);
    QPen pen(color, formula ? 2.2 : 1.1);
    pen.setDashPattern(formula ? QList<qreal>{0.9, 2.1} : QList<qreal>{5, 4});
    pen.setCapStyle(Qt::FlatCap);
    return pen;
}

void ChartView::add_published(const PanelView& view, const Published& published) {
    for (const auto& run : trace(published.points, chart_.log_x, view.y.log).runs) {
        for (const Point& point : run)
            if (point.low) add_error_bars(view, {point}, published.style, kPublishedSize);
        QCPGraph* graph = add_graph(view, run);
        graph->setPen(QPen(QColor(style(published.style).line)));
        graph->setLineStyle(QCPGraph::lsNone);
        QCPScatterStyle open = marker(published.style, kPublishedSize, false);
        open.setBrush(Qt::NoBrush); // the simulated point stays visible inside
        graph->setScatterStyle(open);
    }
}

} // namespace narrows::plots
