// SPDX-License-Identifier: Apache-2.0
#include "cli/run/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/options_text.hpp"
#include "tests/support/scoped_variable.hpp"
#include "tests/support/temp_dir.hpp"

namespace meridian {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

TEST(Settings, AreCheckedInTheFileWithTheLine) {
  const test::TempDir directory;
  const auto file = directory.write("my.conf", "# mine\nBUFER = 4M\nCLOCK tsc\nBUFFER = 1K\nMERIDIAN_CLOCK=tsc\n");
  const test::ScopedVariable config{"MERIDIAN_CONFIG", file.c_str()};
  Settings settings;
  read_settings(settings);
  ASSERT_THAT(settings.problems, SizeIs(3));
  EXPECT_EQ(settings.problems[0].what,
            "there is no option MERIDIAN_BUFER ('" + file.string() + "', line 2); it is ignored");
  EXPECT_EQ(settings.problems[0].hint, "did you mean MERIDIAN_BUFFER? `meridian options` lists them all");
  EXPECT_EQ(settings.problems[1].what, "'CLOCK tsc' is not a setting ('" + file.string() + "', line 3)");
  EXPECT_EQ(settings.problems[2].what,
            "MERIDIAN_BUFFER=1K ('" + file.string() + "', line 4): out of range; the default 2M is used");
  EXPECT_EQ(settings.values.number(OptionId::clock), 1);
}

TEST(Settings, OfTheEnvironmentGoBeforeTheFile) {
  const test::TempDir directory;
  const auto file = directory.write("my.conf", "BUFFER = 4M\nMAX_THREADS = 5");
  const test::ScopedVariable config{"MERIDIAN_CONFIG", file.c_str()};
  const test::ScopedVariable buffer{"MERIDIAN_BUFFER", "8M"};
  Settings settings;
  read_settings(settings);
  EXPECT_THAT(settings.problems, SizeIs(0));
  EXPECT_EQ(settings.values.number(OptionId::buffer), 8 * 1024 * 1024);
  EXPECT_EQ(settings.values.number(OptionId::max_threads), 5);
}

TEST(Settings, ReportAMissingFile) {
  const test::ScopedVariable config{"MERIDIAN_CONFIG", "/nowhere/my.conf"};
  Settings settings;
  read_settings(settings);
  ASSERT_THAT(settings.problems, SizeIs(1));
  EXPECT_EQ(settings.problems[0].what,
            "cannot read the configuration file '/nowhere/my.conf': No such file or directory");
}

TEST(Settings, ReportADirectoryInPlaceOfTheFile) {
  const test::ScopedVariable config{"MERIDIAN_CONFIG", "/"};
  Settings settings;
  read_settings(settings);
  ASSERT_THAT(settings.problems, SizeIs(1));
  EXPECT_EQ(settings.problems[0].what, "cannot read the configuration file '/': it is a directory");
}

TEST(Settings, NameTheNearestChoiceAndGroup) {
  EXPECT_EQ(check_value(OptionId::clock, "tcs", "--clock tcs").hint,
            "did you mean tsc? Else give auto, tsc, monotonic_raw, monotonic");
  EXPECT_THAT(check_value(OptionId::levels, "all,-collo", "--levels all,-collo").hint, HasSubstr("did you mean coll?"));
  EXPECT_EQ(check_value(OptionId::levels, "all,-collo", "--levels all,-collo").what,
            "--levels all,-collo: there is no group, preset or call 'collo'");
}

TEST(Settings, DescribeTheValuesOfAnOption) {
  EXPECT_EQ(describe_values(info(OptionId::buffer)), "256K to 256M");
  EXPECT_EQ(describe_values(info(OptionId::finalize_timeout)), "0 to 86400 s");
  EXPECT_EQ(describe_values(info(OptionId::verbose)), "yes or no");
}

TEST(OptionsText, HasEveryOptionInEightyColumns) {
  const std::string text = options_text();
  for (const OptionInfo& option : kOptions) EXPECT_THAT(text, HasSubstr(std::string{option.variable} + "\n"));
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

}  // namespace
}  // namespace meridian
