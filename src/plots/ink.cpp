// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/ink.hpp"

namespace narrows::plots {

void Ink::clear() {
    boxes.clear();
    lines.clear();
    marks.clear();
    texts.clear();
}

void Ink::applyDefaultAntialiasingHint(QCPPainter* painter) const {
    painter->setAntialiasing(true);
}

void Ink::draw(QCPPainter* painter) {
    painter->setAntialiasing(true);
    for (const InkBox& box : boxes)
        painter->fillRect(box.box, box.color);
    painter->setBrush(Qt::NoBrush);
    for (const InkLine& line : lines) {
        painter->setPen(line.pen);
        painter->drawLine(line.from, line.to);
    }
    for (const InkMark& mark : marks) {
        mark.style.applyTo(painter, mark.style.pen());
        mark.style.drawShape(painter, mark.at);
    }
    for (const InkText& text : texts) {
        painter->setPen(text.color);
        painter->setFont(text.font);
        painter->drawText(text.box, text.flags | Qt::TextDontClip | Qt::TextSingleLine, text.text);
    }
}

} // namespace narrows::plots
