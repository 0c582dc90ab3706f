// SPDX-License-Identifier: GPL-3.0-or-later
// Words, thin lines and marks that stand at pixel positions: everything in a chart that is not a
// plotted series. A list that is filled by the layout and painted as one element of the plot.
#pragma once

#include <qcustomplot.h>

#include <vector>

namespace narrows::plots {

struct InkText {
    QRectF box;
    int flags = Qt::AlignLeft | Qt::AlignVCenter; ///< Qt::AlignmentFlag
    QString text;
    QFont font;
    QColor color;
};

struct InkLine {
    QPointF from, to;
    QPen pen;
};

struct InkMark {
    QPointF at;
    QCPScatterStyle style;
};

struct InkBox {
    QRectF box;
    QColor color;
};

class Ink : public QCPLayerable {
public:
    Ink(QCustomPlot* plot, const QString& layer) : QCPLayerable(plot, layer) {}

    std::vector<InkBox> boxes;
    std::vector<InkLine> lines;
    std::vector<InkMark> marks;
    std::vector<InkText> texts;

    void clear();

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;
};

} // namespace narrows::plots
