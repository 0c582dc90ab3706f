// SPDX-License-Identifier: GPL-3.0-or-later
// The key between title and panels: what the marks mean, and the names of lines that could not be
// written at their ends.
#include "plots/chart_view.hpp"

#include "plots/placement.hpp"

#include <algorithm>

namespace narrows::plots {

namespace {

constexpr double kEdge = 22;
constexpr double kRow = 20;
constexpr double kLineSample = 30;
constexpr double kMarkSample = 14;
constexpr double kGap = 22;

double sample_width(KeyEntry::Kind kind) {
    using Kind = KeyEntry::Kind;
    return kind == Kind::line || kind == Kind::bound || kind == Kind::formula || kind == Kind::band ? kLineSample
                                                                                                    : kMarkSample;
}

bool any_interval(const Trace& shown) {
    for (const auto& run : shown.runs)
        if (std::any_of(run.begin(), run.end(), [](const Point& point) { return point.low.has_value(); })) return true;
    return false;
}

bool any_hollow(const Trace& shown) {
    for (const auto& run : shown.runs)
        if (std::any_of(run.begin(), run.end(), [](const Point& point) { return !point.supported; })) return true;
    return false;
}

void add_once(std::vector<KeyEntry>& entries, const KeyEntry& entry) {
    if (std::find(entries.begin(), entries.end(), entry) == entries.end()) entries.push_back(entry);
}

} // namespace

void ChartView::add_panel_entries(const Panel& panel, const Axis& y, bool direct,
                                  std::vector<KeyEntry>& entries) const {
    using Kind = KeyEntry::Kind;
    for (const Line& line : panel.lines) {
        const QString label = QString::fromStdString(line.label);
        if (trace(line.points, x_.log, y.log).empty())
            add_once(entries, {Kind::line, line.style, label + " (no data)", !line.markers});
        else if (!direct)
            add_once(entries, {Kind::line, line.style, label, !line.markers});
    }
    for (const Bound& bound : panel.bounds) {
        const auto kind = bound.formula ? Kind::formula : Kind::bound;
        const QString label = QString::fromStdString(bound.label);
        if (bound_end(bound, x_, y).kind == BoundEnd::Kind::outside)
            add_once(entries, {kind, bound.style, label + " (outside the chart)"});
        else if (!direct)
            add_once(entries, {kind, bound.style, label});
    }
    for (const Published& published : panel.published)
        add_once(entries, {Kind::published, published.style, QString::fromStdString(published.label)});
}

std::vector<KeyEntry> ChartView::key_entries(bool direct) const {
    using Kind = KeyEntry::Kind;
    std::vector<KeyEntry> entries;
    for (const PanelView& view : panels_)
        add_panel_entries(*view.panel, view.y, direct, entries);
    // Lines first, then bounds, then the rest, whatever panel they come from.
    std::stable_sort(entries.begin(), entries.end(),
                     [](const KeyEntry& a, const KeyEntry& b) { return a.kind < b.kind; });
    bool interval = false, hollow = false, off = false;
    for (const PanelView& view : panels_) {
        for (const Line& line : view.panel->lines) {
            const Trace shown = trace(line.points, x_.log, view.y.log);
            interval = interval || any_interval(shown);
            hollow = hollow || any_hollow(shown);
            off = off || !shown.off_scale.empty();
        }
        for (const Published& published : view.panel->published)
            off = off || !trace(published.points, x_.log, view.y.log).off_scale.empty();
    }
    if (interval) entries.push_back({Kind::band, 0, "95 % interval"});
    if (hollow) entries.push_back({Kind::hollow, 0, "sample too small, unstable or stalled"});
    if (off) entries.push_back({Kind::off_scale, 0, "zero or less: off the logarithmic axis"});
    return entries;
}

double ChartView::place_key(double top, bool direct) {
    const std::vector<KeyEntry> entries = key_entries(direct);
    if (entries.empty()) return top;
    const QFontMetricsF metrics(fonts_.unit);
    std::vector<double> widths;
    for (const KeyEntry& entry : entries)
        widths.push_back(sample_width(entry.kind) + 7 + metrics.horizontalAdvance(entry.text));
    const std::vector<Cell> cells = flow(widths, plot_.viewport().width() - 2 * kEdge, kGap);
    for (std::size_t i = 0; i < entries.size(); ++i)
        place_key_entry(entries[i], kEdge + cells[i].left, top + (cells[i].row + 0.5) * kRow);
    return top + (cells.back().row + 1) * kRow + 6;
}

void ChartView::place_key_entry(const KeyEntry& entry, double left, double middle) {
    using Kind = KeyEntry::Kind;
    const double sample = sample_width(entry.kind);
    const QPointF from(left, middle), center(left + sample / 2, middle), to(left + sample, middle);
    const QColor color(style(entry.style).line), muted(colors_.muted);
    const QColor background(colors_.background);
    switch (entry.kind) {
    case Kind::line:
        over_->lines.push_back({from, to, series_pen(entry.style, 2)});
        if (!entry.bare) over_->marks.push_back({center, marker(entry.style, 7.5, true)});
        break;
    case Kind::bound:
    case Kind::formula: over_->lines.push_back({from, to, bound_pen(entry.style, entry.kind == Kind::formula)}); break;
    case Kind::published: {
        QCPScatterStyle open = marker(entry.style, 13, false);
        open.setBrush(Qt::NoBrush);
        over_->marks.push_back({center, open});
        break;
    }
    case Kind::band: {
        QColor fill = muted;
        fill.setAlpha(colors_.band_alpha + 20);
        over_->boxes.push_back({QRectF(left, middle - 6, sample, 12), fill});
        over_->lines.push_back({from, to, QPen(muted, 2)});
        break;
    }
    case Kind::hollow:
        over_->marks.push_back({center, {QCPScatterStyle::ssCircle, QPen(muted, 1.6), background, 7.5}});
        break;
    case Kind::off_scale:
        over_->marks.push_back({center, {QCPScatterStyle::ssTriangleInverted, QPen(muted, 1.2), muted, 8}});
        break;
    case Kind::words: break;
    }
    over_->texts.push_back({QRectF(left + sample + 7, middle - kRow / 2, 10, kRow), Qt::AlignLeft | Qt::AlignVCenter,
                            entry.text, fonts_.unit, QColor(colors_.text)});
}

} // namespace narrows::plots
