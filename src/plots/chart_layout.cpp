// SPDX-License-Identifier: GPL-3.0-or-later
// Where the words of a chart go. Lines are named at their right end when that works for every
// panel; else in the key between title and panels, which never covers data.
#include "plots/chart_view.hpp"

#include "plots/placement.hpp"

#include <algorithm>
#include <cmath>

namespace narrows::plots {

namespace {

constexpr double kEdge = 22;     // free border of the chart
constexpr double kNoteRow = 16;  // height of a row of notes
constexpr double kHeading = 29;  // a panel's heading
constexpr double kPanelGap = 16; // above the second and later panels
constexpr double kEndGap = 16;   // from the plot's right edge to the labels
constexpr int kLowPanel = 70;    // a panel lower than this costs the chart its lesser texts
constexpr int kMostThrift = 2;
constexpr double kFarthest = 34;      // a label farther than this from its line's end goes to the key
constexpr double kWidestShare = 0.24; // of the chart's width for the labels at the right

Measure measure(const QFont& font) {
    return [metrics = QFontMetricsF(font)](const std::string& text) {
        return metrics.horizontalAdvance(QString::fromStdString(text));
    };
}

double width_of(const QString& text, const QFont& font) {
    return QFontMetricsF(font).horizontalAdvance(text);
}

double line_height(const QFont& font) {
    return std::ceil(QFontMetricsF(font).height()) + 1;
}

} // namespace

void ChartView::arrange() {
    for (thrift_ = 0; thrift_ <= kMostThrift; ++thrift_) {
        if (!(lines_reach_the_end() && arrange(true))) arrange(false);
        const auto low = [](const PanelView& view) { return view.rect->height() < kLowPanel; };
        if (std::none_of(panels_.begin(), panels_.end(), low)) return;
    }
    thrift_ = kMostThrift;
}

/// Lays out everything; false when the lines cannot be named at their ends.
bool ChartView::arrange(bool direct) {
    under_->clear();
    over_->clear();
    const double header = place_header(direct);
    const double footer = place_footer();
    const double right = direct ? end_label_width() : 0;
    if (direct && right > label_room() + kEndGap) return false;
    for (PanelView& view : panels_)
        view.note_rows = 0;
    stretch_rows(header, footer, right);
    for (PanelView& view : panels_)
        place_top_labels(view, direct, false); // counts the rows
    stretch_rows(header, footer, right);
    bool fits = true;
    for (PanelView& view : panels_) {
        place_heading(view);
        place_top_labels(view, direct, true);
        place_off_scale(view);
        if (!view.data) place_no_data(view);
        if (direct) fits = place_end_labels(view) && fits;
    }
    return fits;
}

void ChartView::relayout() {
    auto* layout = plot_.plotLayout();
    layout->update(QCPLayoutElement::upPreparation);
    layout->update(QCPLayoutElement::upMargins);
    layout->update(QCPLayoutElement::upLayout);
}

/// Gives all panels the same height inside their axes.
void ChartView::stretch_rows(double header, double footer, double right) {
    const auto edge = static_cast<int>(kEdge);
    const int top = static_cast<int>(std::ceil(header)), bottom = static_cast<int>(std::ceil(footer));
    plot_.plotLayout()->setMargins(QMargins(edge, top, edge, bottom));
    int margins = 0;
    for (const PanelView& view : panels_)
        margins += top_margin(view) + bottom_margin(view);
    const int free = plot_.viewport().height() - top - bottom - margins;
    const double inner = std::max(10.0, static_cast<double>(free) / static_cast<double>(panels_.size()));
    for (std::size_t i = 0; i < panels_.size(); ++i) {
        const PanelView& view = panels_[i];
        view.rect->setMinimumSize(10, 10);
        view.rect->setMargins(QMargins(view.rect->margins().left(), top_margin(view),
                                       static_cast<int>(std::ceil(right)), bottom_margin(view)));
        plot_.plotLayout()->setRowStretchFactor(static_cast<int>(i), inner + top_margin(view) + bottom_margin(view));
    }
    relayout();
}

int ChartView::top_margin(const PanelView& view) const {
    const double gap = &view == &panels_.front() ? 0 : kPanelGap;
    return static_cast<int>(gap + kHeading + view.note_rows * kNoteRow + (view.note_rows > 0 ? 4 : 2));
}

int ChartView::bottom_margin(const PanelView& view) const {
    if (&view != &panels_.back()) return 6;
    const double label = chart_.x_label.empty() ? 0 : line_height(fonts_.unit) + 5;
    return static_cast<int>(line_height(fonts_.tick) + 10 + label);
}

double ChartView::label_room() const {
    return plot_.viewport().width() * kWidestShare;
}

double ChartView::add_paragraph(const std::string& text, const QFont& font, Rgb color, double top, double height) {
    const double width = plot_.viewport().width() - 2 * kEdge;
    for (const std::string& line : wrap_evenly(text, width, measure(font))) {
        over_->texts.push_back({QRectF(kEdge, top, width, height), Qt::AlignLeft | Qt::AlignVCenter,
                                QString::fromStdString(line), font, QColor(color)});
        top += height;
    }
    return top;
}

double ChartView::place_header(bool direct) {
    double y = kEdge - 4;
    y = add_paragraph(chart_.title, fonts_.title, colors_.text, y, 25);
    if (!chart_.subtitle.empty() && thrift_ < 1)
        y = add_paragraph(chart_.subtitle, fonts_.subtitle, colors_.muted, y + 2, 18);
    return place_key(y + 8, direct) + 6;
}

double ChartView::place_footer() {
    const double height = 15, width = plot_.viewport().width() - 2 * kEdge;
    const auto lines = wrap(chart_.footer, width, measure(fonts_.footer)).size();
    if (lines == 0 || thrift_ >= 1) return kEdge - 8;
    const double top = plot_.viewport().height() - static_cast<double>(lines) * height - 12;
    add_paragraph(chart_.footer, fonts_.footer, colors_.muted, top, height);
    return plot_.viewport().height() - top + 10;
}

void ChartView::place_heading(const PanelView& view) {
    const QRect outer = view.rect->outerRect();
    const double bottom = view.rect->top() - view.note_rows * kNoteRow - (view.note_rows > 0 ? 4 : 2);
    const double width = plot_.viewport().width() - 2 * kEdge;
    const QString title =
        QFontMetricsF(fonts_.heading).elidedText(QString::fromStdString(view.panel->title), Qt::ElideRight, width);
    const double title_width = title.isEmpty() ? 0 : width_of(title, fonts_.heading) + 8;
    const QRectF box(outer.left(), bottom - kHeading, width, 20);
    over_->texts.push_back({box, Qt::AlignLeft | Qt::AlignVCenter, title, fonts_.heading, QColor(colors_.text)});
    const QString unit =
        QFontMetricsF(fonts_.unit)
            .elidedText(QString::fromStdString(view.panel->y_label), Qt::ElideRight, width - title_width);
    over_->texts.push_back({box.adjusted(title_width, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, unit, fonts_.unit,
                            QColor(colors_.muted)});
    if (&view != &panels_.back() || chart_.x_label.empty()) return;
    const QRectF below(view.rect->left(), outer.bottom() - line_height(fonts_.unit) + 1, view.rect->width(),
                       line_height(fonts_.unit));
    over_->texts.push_back({below, Qt::AlignHCenter | Qt::AlignVCenter, QString::fromStdString(chart_.x_label),
                            fonts_.unit, QColor(colors_.muted)});
}

std::vector<ChartView::TopLabel> ChartView::top_labels(const PanelView& view, bool direct) const {
    std::vector<TopLabel> labels;
    const Axis x{x_.log, view.x_axis->range().lower, view.x_axis->range().upper};
    const Axis y{view.y.log, view.y_axis->range().lower, view.y_axis->range().upper};
    const auto inside = [&](double value) { return std::isfinite(value) && value >= x.low && value <= x.high; };
    for (const Note& note : view.panel->notes)
        if (thrift_ < 2 && inside(note.x))
            labels.push_back({view.x_axis->coordToPixel(note.x), QString::fromStdString(note.text), note.style, true});
    if (!direct) return labels;
    for (const Bound& bound : view.panel->bounds)
        if (const BoundEnd end = bound_end(bound, x, y); end.kind == BoundEnd::Kind::top && inside(end.x))
            labels.push_back(
                {view.x_axis->coordToPixel(end.x), QString::fromStdString(bound.label), bound.style, false});
    return labels;
}

void ChartView::place_top_labels(PanelView& view, bool direct, bool paint) {
    const std::vector<TopLabel> labels = top_labels(view, direct);
    std::vector<Flag> flags;
    for (const TopLabel& label : labels)
        flags.push_back({label.x, width_of(label.text, fonts_.small)});
    const double right = plot_.viewport().width() - kEdge;
    const std::vector<FlagPlace> places = stagger(flags, kEdge, right, 12);
    for (const FlagPlace& place : places)
        view.note_rows = std::max(view.note_rows, place.row + 1);
    if (!paint) return;
    const double top = view.rect->top(), bottom = view.rect->bottom();
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const double base = top - 3 - places[i].row * kNoteRow;
        const SeriesStyle look = style(labels[i].style);
        QColor color(look.line);
        color.setAlpha(150);
        const double start = places[i].joined ? base - kNoteRow + 3 : top;
        under_->lines.push_back({{labels[i].x, start}, {labels[i].x, labels[i].note ? bottom : top}, QPen(color, 1)});
        over_->texts.push_back({QRectF(places[i].left, base - kNoteRow, flags[i].width, kNoteRow),
                                Qt::AlignLeft | Qt::AlignVCenter, labels[i].text, fonts_.small, QColor(look.text)});
    }
}

bool ChartView::lines_reach_the_end() const {
    for (const PanelView& view : panels_) {
        for (const Line& line : view.panel->lines) {
            const Trace shown = trace(line.points, x_.log, view.y.log);
            if (!shown.empty() && shown.runs.back().back().x != last_x_) return false;
        }
    }
    return true;
}

std::vector<ChartView::EndLabel> ChartView::end_labels(const PanelView& view) const {
    std::vector<EndLabel> labels;
    const auto add = [&](double x, double y, const std::string& text, const QFont& font, int style_index, bool line) {
        EndLabel label{view.x_axis->coordToPixel(x), view.y_axis->coordToPixel(y), {}, font, style_index, line};
        for (const std::string& part : wrap(text, label_room(), measure(font)))
            label.lines.append(QString::fromStdString(part));
        if (!label.lines.isEmpty()) labels.push_back(label);
    };
    for (const Line& line : view.panel->lines) {
        const Trace shown = trace(line.points, x_.log, view.y.log);
        if (!shown.empty())
            add(shown.runs.back().back().x, shown.runs.back().back().y, line.label, fonts_.label, line.style, true);
    }
    const Axis y{view.y.log, view.y_axis->range().lower, view.y_axis->range().upper};
    for (const Bound& bound : view.panel->bounds)
        if (const BoundEnd end = bound_end(bound, x_, y); end.kind == BoundEnd::Kind::right)
            add(end.x, end.y, bound.label, fonts_.small, bound.style, false);
    return labels;
}

double ChartView::end_label_width() const {
    double widest = 0;
    for (const PanelView& view : panels_)
        for (const EndLabel& label : end_labels(view))
            for (const QString& line : label.lines)
                widest = std::max(widest, width_of(line, label.font));
    return widest == 0 ? 0 : widest + kEndGap;
}

/// False when a label would stand too far from the end of its line.
bool ChartView::place_end_labels(const PanelView& view) {
    const std::vector<EndLabel> labels = end_labels(view);
    std::vector<Wish> wishes;
    double total = 0;
    for (const EndLabel& label : labels) {
        wishes.push_back({label.y, line_height(label.font) * static_cast<double>(label.lines.size())});
        total += wishes.back().height;
    }
    const double top = view.rect->top() - 4, bottom = view.rect->bottom() + 8;
    const std::vector<double> centers = spread(wishes, top, bottom);
    bool fits = total <= bottom - top;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const EndLabel& label = labels[i];
        const double left = view.rect->right() + kEndGap;
        fits = fits && std::abs(centers[i] - label.y) <= kFarthest;
        QColor color(style(label.style).line);
        color.setAlpha(150);
        const double from = label.x + (label.line ? 7 : 2);
        over_->lines.push_back({{from, label.y}, {left - 4, centers[i]}, QPen(color, 0.8)});
        double y = centers[i] - wishes[i].height / 2;
        for (const QString& line : label.lines) {
            over_->texts.push_back({QRectF(left, y, width_of(line, label.font), line_height(label.font)),
                                    Qt::AlignLeft | Qt::AlignVCenter, line, label.font,
                                    QColor(style(label.style).text)});
            y += line_height(label.font);
        }
    }
    return fits;
}

void ChartView::place_off_scale(const PanelView& view) {
    const auto add = [&](const std::vector<Point>& points, int style_index) {
        for (const OffScale& point : trace(points, x_.log, view.y.log).off_scale) {
            const double x = point.left ? view.rect->left() : view.x_axis->coordToPixel(point.x);
            const double y = point.below ? view.rect->bottom() - 5 : view.y_axis->coordToPixel(point.y);
            const QColor color(style(style_index).line);
            over_->marks.push_back({{x, y}, {QCPScatterStyle::ssTriangleInverted, QPen(color, 1.2), color, 8}});
        }
    };
    for (const Line& line : view.panel->lines)
        add(line.points, line.style);
    for (const Published& published : view.panel->published)
        add(published.points, published.style);
}

void ChartView::place_no_data(const PanelView& view) {
    over_->texts.push_back(
        {QRectF(view.rect->rect()), Qt::AlignCenter, "No data to show", fonts_.subtitle, QColor(colors_.muted)});
}

} // namespace narrows::plots
