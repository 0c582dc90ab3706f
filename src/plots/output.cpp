// SPDX-License-Identifier: GPL-3.0-or-later
// A chart as the bytes of a PNG, SVG or PDF file.
#include "plots/atomic_file.hpp"
#include "plots/chart.hpp"
#include "plots/offscreen.hpp"
#include "plots/qcustomplot_chart.hpp"

#include <QBuffer>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <qcustomplot.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace narrows::plots {

namespace {

constexpr double kDotsPerInch = 96; // a CSS pixel is 1/96 inch
constexpr double kDotsPerMetre = kDotsPerInch / 0.0254;
constexpr int kPdfDetail = 10; // steps of a PDF within one CSS pixel
constexpr int kSmallest = 160;
constexpr int kLowestPanel = 40;
constexpr int kLargest = 20000;
constexpr double kMostPixels = 4e8;

enum class Format { png, svg, pdf };

Format format_of(const std::filesystem::path& file) {
    std::string ending = file.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (ending == ".png") return Format::png;
    if (ending == ".svg") return Format::svg;
    if (ending == ".pdf") return Format::pdf;
    throw std::runtime_error(ending.empty() ? "the name has no ending; allowed are .png, .svg and .pdf"
                                            : fmt::format("unknown ending \"{}\"; allowed are .png, .svg and .pdf",
                                                          file.extension().string()));
}

void check_size(int width, int height, double scale) {
    if (std::min(width, height) < kSmallest || std::max(width, height) > kLargest)
        throw std::runtime_error(fmt::format("a size of {} x {} pixels; width and height must be {} to {}", width,
                                             height, kSmallest, kLargest));
    if (!(scale > 0 && scale <= 16) || width * scale * height * scale > kMostPixels)
        throw std::runtime_error(fmt::format("a scale of {} for {} x {} pixels is out of range", scale, width, height));
}

/// The texts keep their size, so a small chart may have no room left for its panels.
void check_room(const QCustomPlot& plot) {
    int missing = 0;
    for (const QCPAxisRect* rect : plot.axisRects())
        missing += std::max(0, kLowestPanel - rect->height());
    if (missing > 0)
        throw std::runtime_error(fmt::format("{} x {} pixels leave no room for {} panels; make it at least {} high",
                                             plot.viewport().width(), plot.viewport().height(), plot.axisRectCount(),
                                             plot.viewport().height() + missing));
}

void paint(QCustomPlot& plot, QPaintDevice& device, double scale, bool vector) {
    QCPPainter painter;
    if (!painter.begin(&device)) throw std::runtime_error("Qt cannot paint");
    painter.scale(scale, scale);
    painter.setMode(QCPPainter::pmVectorized, vector);
    painter.setMode(QCPPainter::pmNoCaching);
    plot.toPainter(&painter, plot.viewport().width(), plot.viewport().height());
    painter.end();
}

QByteArray to_png(QCustomPlot& plot, const Chart& chart, double scale) {
    const QSize size(static_cast<int>(std::lround(plot.viewport().width() * scale)),
                     static_cast<int>(std::lround(plot.viewport().height() * scale)));
    QImage image(size, QImage::Format_RGB32);
    if (image.isNull()) throw std::runtime_error("not enough memory for the picture");
    image.setDotsPerMeterX(static_cast<int>(std::lround(kDotsPerMetre * scale)));
    image.setDotsPerMeterY(static_cast<int>(std::lround(kDotsPerMetre * scale)));
    image.setText("Title", QString::fromStdString(chart.title));
    image.setText("Comment", QString::fromStdString(chart.footer));
    paint(plot, image, scale, false);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!image.save(&buffer, "PNG")) throw std::runtime_error("Qt cannot encode the picture");
    return bytes;
}

QByteArray to_svg(QCustomPlot& plot, const Chart& chart) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(plot.viewport().size());
    generator.setViewBox(plot.viewport());
    generator.setResolution(static_cast<int>(kDotsPerInch));
    generator.setTitle(QString::fromStdString(chart.title));
    generator.setDescription(QString::fromStdString(chart.footer));
    paint(plot, generator, 1, true);
    // The words stay words. Where the reader's machine lacks our font, the next best is of the same
    // width, so that nothing overlaps there either.
    bytes.replace("font-family=\"DejaVu Sans\"",
                  "font-family=\"DejaVu Sans, Bitstream Vera Sans, Verdana, sans-serif\"");
    return bytes;
}

/// Puts a fixed date in place of the current one: the same chart is the same file.
void fix_date(QByteArray& bytes) {
    const QByteArray key = "/CreationDate (D:";
    const qsizetype start = bytes.indexOf(key);
    if (start < 0) return;
    const qsizetype end = bytes.indexOf(')', start);
    const QByteArray fixed = "20000101000000";
    // Only digits change, not the length, on which the PDF's table of offsets depends.
    for (qsizetype i = start + key.size(), digit = 0; i < end; ++i)
        if (bytes[i] >= '0' && bytes[i] <= '9')
            bytes[i] = digit < fixed.size() ? fixed[digit++] : '0';
        else if (bytes[i] == '-')
            bytes[i] = '+';
}

QByteArray to_pdf(QCustomPlot& plot, const Chart& chart) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setTitle(QString::fromStdString(chart.title));
        writer.setCreator("Narrows");
        writer.setResolution(static_cast<int>(kDotsPerInch) * kPdfDetail);
        const QSizeF points = QSizeF(plot.viewport().size()) * 72.0 / kDotsPerInch;
        writer.setPageSize(QPageSize(points, QPageSize::Point, QString(), QPageSize::ExactMatch));
        writer.setPageMargins(QMarginsF(0, 0, 0, 0));
        paint(plot, writer, kPdfDetail, true);
    }
    fix_date(bytes);
    return bytes;
}

QByteArray render(const Chart& chart, Format format, QSize size, Theme theme, double scale) {
    need_application();
    QCustomPlot plot;
    plot.setViewport(QRect(QPoint(0, 0), size));
    draw_into(plot, chart, theme);
    check_room(plot);
    switch (format) {
    case Format::png: return to_png(plot, chart, scale);
    case Format::svg: return to_svg(plot, chart);
    case Format::pdf: return to_pdf(plot, chart);
    }
    return {};
}

} // namespace

void draw(const Chart& chart, const std::filesystem::path& file, int width, int height, Theme theme, double scale) {
    QByteArray bytes;
    try {
        const Format format = format_of(file);
        check_size(width, height, format == Format::png ? scale : 1.0);
        bytes = render(chart, format, QSize(width, height), theme, scale);
    } catch (const std::exception& error) {
        throw std::runtime_error(fmt::format("cannot draw {}: {}", file.string(), error.what()));
    }
    write_atomically(file, {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

} // namespace narrows::plots
