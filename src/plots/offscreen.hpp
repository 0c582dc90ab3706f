// SPDX-License-Identifier: GPL-3.0-or-later
// Qt without a display.
#pragma once

namespace narrows::plots {

/// Makes sure that a QApplication exists, on Qt's "offscreen" platform when this has to start it
/// (an existing one is left alone), and that it finds a font: without one, words come out as empty
/// boxes. The C locale is as before afterwards. Throws std::runtime_error with the reason.
void need_application();

} // namespace narrows::plots
