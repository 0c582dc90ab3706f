// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/offscreen.hpp"

#include <QApplication>
#include <QFont>
#include <QRawFont>

#include <clocale>
#include <stdexcept>
#include <string>

namespace narrows::plots {

namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): Qt's handler is a plain function
QtMessageHandler g_previous = nullptr;

/// Qt complains when the locale is not UTF-8 (it takes another, we put it back) and when there is no
/// folder for sockets (we open none). Neither concerns the reader of a chart.
void drop_idle_warnings(QtMsgType type, const QMessageLogContext& context, const QString& message) {
    if (message.startsWith("Detected locale") || message.startsWith("QStandardPaths: ")) return;
    if (g_previous != nullptr) g_previous(type, context, message);
}

void start_application() {
    // On the command line and not in the environment, which child processes would inherit. Both
    // live as long as the process, as QApplication demands of its arguments.
    static char name[] = "narrows", option[] = "-platform", platform[] = "offscreen";
    static char* arguments[] = {name, option, platform, nullptr};
    static int count = 3;
    const std::string locale = std::setlocale(LC_ALL, nullptr);
    g_previous = qInstallMessageHandler(drop_idle_warnings);
    // Never destroyed: Qt's own statics may be gone before ours.
    [[maybe_unused]] static auto* const application = new QApplication(count, arguments);
    qInstallMessageHandler(g_previous);
    std::setlocale(LC_ALL, locale.c_str()); // Qt has set it from the environment
}

} // namespace

void need_application() {
    const QCoreApplication* existing = QCoreApplication::instance();
    if (existing == nullptr) {
        start_application();
    } else if (qobject_cast<const QApplication*>(existing) == nullptr) {
        throw std::runtime_error("a Qt application without widgets is running in this process");
    }
    // Fontconfig finds the fonts; the package fonts-dejavu-core is enough. Qt lists families even when
    // there is none and then draws boxes, so ask for the table that maps characters to shapes.
    if (QRawFont::fromFont(QFont("DejaVu Sans")).fontTable("cmap").isEmpty())
        throw std::runtime_error("no font is installed; install one, for example fonts-dejavu-core");
}

} // namespace narrows::plots
