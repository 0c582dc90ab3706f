// SPDX-License-Identifier: GPL-3.0-or-later
// Drawing into a plot that lives on, as the desktop window does.
#include "plots/offscreen.hpp"
#include "plots/qcustomplot_chart.hpp"

#include "samples.hpp"

#include <qcustomplot.h>

#include <gtest/gtest.h>

#include <memory>

namespace narrows::plots {
namespace {

class Window : public testing::Test {
protected:
    void SetUp() override {
        need_application();
        plot_ = std::make_unique<QCustomPlot>();
        plot_->setViewport(QRect(0, 0, 960, 720));
    }
    [[nodiscard]] QImage seen(int width, int height) const { return plot_->toPixmap(width, height).toImage(); }
    std::unique_ptr<QCustomPlot> plot_;
};

TEST_F(Window, PanelsShareTheirLeftEdgeAndHeight) {
    draw_into(*plot_, samples::order_summary(), Theme::light);
    ASSERT_EQ(plot_->axisRectCount(), 2);
    EXPECT_EQ(plot_->axisRect(0)->left(), plot_->axisRect(1)->left());
    EXPECT_NEAR(plot_->axisRect(0)->height(), plot_->axisRect(1)->height(), 2);
    EXPECT_GT(plot_->axisRect(0)->height(), 150);
}

TEST_F(Window, ASecondChartReplacesTheFirst) {
    draw_into(*plot_, samples::categories(), Theme::dark);
    const QImage alone = seen(960, 720);
    const int plottables = plot_->plottableCount();
    draw_into(*plot_, samples::order_summary(), Theme::light);
    EXPECT_NE(seen(960, 720), alone);
    draw_into(*plot_, samples::categories(), Theme::dark);
    EXPECT_EQ(plot_->axisRectCount(), 1);
    EXPECT_EQ(plot_->plottableCount(), plottables);
    EXPECT_EQ(seen(960, 720), alone);
}

TEST_F(Window, AResizeLaysOutAgain) {
    draw_into(*plot_, samples::order_summary(), Theme::light);
    plot_->setViewport(QRect(0, 0, 640, 600));
    plot_->replot();
    const QImage resized = seen(640, 600);
    QCustomPlot fresh;
    fresh.setViewport(QRect(0, 0, 640, 600));
    draw_into(fresh, samples::order_summary(), Theme::light);
    EXPECT_EQ(resized, fresh.toPixmap(640, 600).toImage());
}

TEST_F(Window, SurvivesBeingMuchTooSmall) {
    draw_into(*plot_, samples::order_summary(), Theme::light);
    for (const QSize size : {QSize(100, 80), QSize(1, 1), QSize(960, 720)}) {
        plot_->setViewport(QRect(QPoint(0, 0), size));
        plot_->replot();
    }
    EXPECT_GT(plot_->axisRect(0)->height(), 150);
}

} // namespace
} // namespace narrows::plots
