// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace meridian {
namespace {

TEST(ProgressLine, ShowsTheProgress) {
  EXPECT_EQ(progress_line(0.5, "matching"), "[####################....................]  50 %  matching");
  EXPECT_EQ(progress_line(0, "reading"), "[........................................]   0 %  reading");
  EXPECT_EQ(progress_line(1, "done"), "[########################################] 100 %  done");
}

TEST(ProgressLine, StaysInItsBounds) {
  EXPECT_EQ(progress_line(7, "x"), progress_line(1, "x"));
  EXPECT_EQ(progress_line(-7, "x"), progress_line(0, "x"));
  EXPECT_EQ(progress_line(std::numeric_limits<double>::quiet_NaN(), "x"), progress_line(0, "x"));
  EXPECT_LT(progress_line(0.3, std::string(500, 'y')).size(), 80U);
}

}  // namespace
}  // namespace meridian
