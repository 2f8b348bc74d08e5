// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <string>
#include <thread>

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

TEST(ProgressBar, DoesNotGetShorterWhereAStepIsDoneAgain) {
  testing::internal::CaptureStderr();
  {
    ProgressBar bar{true};
    bar.show(0.5, "matching");
    std::this_thread::sleep_for(std::chrono::milliseconds{150});  // it is drawn ten times a second
    bar.show(0.25, "matching again");
  }
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find(progress_line(0.5, "matching again")), std::string::npos) << text;
  EXPECT_EQ(text.find(progress_line(0.25, "matching again")), std::string::npos) << text;
}

}  // namespace
}  // namespace meridian
