// SPDX-License-Identifier: GPL-3.0-or-later
// A closed system in lock step: fifty answers every 100 ms, looked at in slices of 125 ms.
#include "measure/interval.hpp"

#include <gtest/gtest.h>

#include <vector>

using namespace narrows::measure;

TEST(BatchMeans, LockStepRoundsDoNotWidenTheInterval) {
    BatchSeries series;
    for (int slice = 0; slice < 160; ++slice) {
        const int rounds = (slice + 1) * 125 / 100 - slice * 125 / 100; // 1, 1, 1, 2, …
        series.numerator.push_back(50.0 * rounds);
        series.denominator.push_back(0.125);
    }
    const auto interval = batch_means(std::vector<BatchSeries>{series});
    ASSERT_TRUE(interval.has_value());
    EXPECT_TRUE(interval->contains(500.0));
    EXPECT_LT(interval->half_width(), 0.01 * 500.0);
}
