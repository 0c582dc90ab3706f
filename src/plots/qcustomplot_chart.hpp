// SPDX-License-Identifier: GPL-3.0-or-later
// Drawing a Chart into a QCustomPlot: the files of chart.hpp and a desktop window share it. The
// only public header of this folder that names Qt.
#pragma once

#include "plots/chart.hpp"

class QCustomPlot;

namespace narrows::plots {

/// Replaces what `plot` shows by `chart`, laid out for plot.viewport(). The labels are placed
/// again at each later replot, so a window may be resized or zoomed. Needs a QApplication.
void draw_into(QCustomPlot& plot, const Chart& chart, Theme theme);

} // namespace narrows::plots
