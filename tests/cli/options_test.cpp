// SPDX-License-Identifier: Apache-2.0
// The table of options and how values are written. The tracer reads the same functions without a C++ library.

#include "trace/model/options.hpp"

#include <gtest/gtest.h>

namespace meridian {
namespace {

constexpr std::int64_t kMebi = 1024 * 1024;

TEST(Options, HaveDefaultsThatTheirOwnRulesAccept) {
  for (std::size_t i = 0; i < kOptionCount; ++i)
    EXPECT_EQ(parse_option(static_cast<OptionId>(i), kOptions[i].fallback).problem, TextProblem::none)
        << kOptions[i].key;
}

TEST(Options, AreFoundByKeyInAnyCase) {
  EXPECT_EQ(option_by_key("BUFFER"), OptionId::buffer);
  EXPECT_EQ(option_by_key("buffer"), OptionId::buffer);
  EXPECT_EQ(option_by_key("BUFFERS"), OptionId::count_);
}

TEST(Options, TakeTheEnvironmentBeforeTheFileInEitherOrder) {
  OptionValues values = default_options();
  EXPECT_EQ(values.number(OptionId::buffer), 2 * kMebi);
  EXPECT_EQ(assign(values, "BUFFER", "4M", OptionSource::environment), OptionProblem::none);
  EXPECT_EQ(assign(values, "BUFFER", "8M", OptionSource::file), OptionProblem::none);
  EXPECT_EQ(values.number(OptionId::buffer), 4 * kMebi);
  EXPECT_EQ(assign(values, "CLOCK", "tsc", OptionSource::file), OptionProblem::none);
  EXPECT_EQ(assign(values, "CLOCK", "monotonic", OptionSource::environment), OptionProblem::none);
  EXPECT_EQ(values.number(OptionId::clock), 3);
}

TEST(Options, KeepTheirValueWhenANewOneIsWrong) {
  OptionValues values = default_options();
  EXPECT_EQ(assign(values, "BUFER", "4M", OptionSource::environment), OptionProblem::unknown_key);
  EXPECT_EQ(assign(values, "BUFFER", "4Q", OptionSource::environment), OptionProblem::bad_value);
  EXPECT_EQ(assign(values, "BUFFER", "1", OptionSource::environment), OptionProblem::out_of_range);
  EXPECT_EQ(assign(values, "BUFFER", "", OptionSource::environment), OptionProblem::none);
  EXPECT_EQ(values.number(OptionId::buffer), 2 * kMebi);
}

TEST(Options, HaveNoPathUntilTheUserGivesOne) {
  OptionValues values = default_options();
  EXPECT_EQ(values.path(OptionId::dir), "");
  EXPECT_EQ(assign(values, "DIR", "/data/trace", OptionSource::environment), OptionProblem::none);
  EXPECT_EQ(values.path(OptionId::dir), "/data/trace");
}

TEST(OptionVariable, IsSplitAtTheFirstEqualsSign) {
  const Setting setting = parse_variable("MERIDIAN_DIR=a=b");
  EXPECT_TRUE(setting.is_ours);
  EXPECT_EQ(setting.key, "DIR");
  EXPECT_EQ(setting.value, "a=b");
}

TEST(OptionVariable, IsNotOursWithoutThePrefixOrWhenTheCommandSetIt) {
  EXPECT_FALSE(parse_variable("PATH=/bin").is_ours);
  EXPECT_FALSE(parse_variable("MERIDIAN_").is_ours);
  EXPECT_FALSE(parse_variable("MERIDIAN_RUN_PRELOAD=x").is_ours);
  EXPECT_FALSE(parse_variable("").is_ours);
}

TEST(OptionLine, TakesBothSpellingsBlanksAndComments) {
  EXPECT_EQ(parse_setting("BUFFER=4M").key, "BUFFER");
  const Setting setting = parse_setting("  MERIDIAN_BUFFER = 4 M  # more\r");
  EXPECT_TRUE(setting.is_ours);
  EXPECT_EQ(setting.key, "BUFFER");
  EXPECT_EQ(setting.value, "4 M");
  EXPECT_FALSE(parse_setting("   # nothing").is_ours);
  EXPECT_FALSE(parse_setting("   # nothing").is_malformed);
  EXPECT_FALSE(parse_setting("").is_malformed);
}

TEST(OptionLine, IsMalformedWithoutEqualsSignOrName) {
  EXPECT_TRUE(parse_setting("BUFFER 4M").is_malformed);
  EXPECT_TRUE(parse_setting("= 4M").is_malformed);
}

TEST(Size, TakesPowersOf1024InAnyUsualSpelling) {
  for (const char* text : {"64M", "64m", "64MB", "64MiB", "64 M", "67108864", "67108864B", " 65536K "})
    EXPECT_EQ(parse_size(text).number, 64 * kMebi) << text;
}

TEST(Size, RefusesOtherTexts) {
  for (const char* text : {"", "M", "-1", "1.5M", "1X", "0x10", "1 2"})
    EXPECT_EQ(parse_size(text).problem, TextProblem::malformed) << text;
}

TEST(Size, AboveTheMaximumIsOutOfRange) {
  EXPECT_EQ(parse_size("99999999999999999999").problem, TextProblem::out_of_range);
  EXPECT_EQ(parse_size("9999999999T").problem, TextProblem::out_of_range);
}

TEST(Seconds, MayCarryAUnit) {
  EXPECT_EQ(parse_seconds("90").number, 90);
  EXPECT_EQ(parse_seconds("90s").number, 90);
  EXPECT_EQ(parse_seconds("2min").number, 120);
  EXPECT_EQ(parse_seconds("1 h").number, 3600);
  EXPECT_EQ(parse_seconds("1d").problem, TextProblem::malformed);
}

TEST(Flag, TakesTheUsualWords) {
  for (const char* text : {"1", "yes", "true", "on", "YES", " On "}) EXPECT_EQ(parse_flag(text).number, 1) << text;
  for (const char* text : {"0", "no", "false", "off", "False"}) {
    EXPECT_EQ(parse_flag(text).number, 0) << text;
    EXPECT_EQ(parse_flag(text).problem, TextProblem::none) << text;
  }
  EXPECT_EQ(parse_flag("2").problem, TextProblem::malformed);
  EXPECT_EQ(parse_flag("").problem, TextProblem::malformed);
}

TEST(Groups, AddAndRemoveFromLeftToRight) {
  const auto bit = [](std::string_view name) {
    for (std::size_t i = 1; i < kGroupNames.size(); ++i)
      if (kGroupNames[i] == name) return std::int64_t{1} << i;
    return std::int64_t{0};
  };
  std::int64_t all = 0;
  for (std::size_t i = 1; i < kGroupNames.size(); ++i) all |= std::int64_t{1} << i;
  EXPECT_EQ(parse_groups("all").number, all);
  EXPECT_EQ(parse_groups("none").number, 0);
  EXPECT_EQ(parse_groups("p2p,coll").number, bit("p2p") | bit("coll"));
  EXPECT_EQ(parse_groups("all,-io, -rma").number, all & ~bit("io") & ~bit("rma"));
  EXPECT_EQ(parse_groups("-io").number, all & ~bit("io"));
  EXPECT_EQ(parse_groups("-io,+io").number, all);
  EXPECT_EQ(parse_groups("all,-all,p2p").number, bit("p2p"));
}

TEST(Groups, NameTheUnknownItem) {
  const ParsedOption parsed = parse_groups("p2p,colls");
  EXPECT_EQ(parsed.problem, TextProblem::malformed);
  EXPECT_EQ(parsed.culprit, "colls");
}

TEST(NearestName, CountsSwapsAsOneMistake) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("BUFFER", "bufer"), 1U);
  EXPECT_EQ(edit_distance("CLOCK", "COLCK"), 1U);
  EXPECT_EQ(edit_distance("stats", "status"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(NearestName, IsSymmetric) {
  const std::string_view words[] = {"", "a", "run", "merge", "stats", "statsu", "options"};
  for (const auto a : words)
    for (const auto b : words) EXPECT_EQ(edit_distance(a, b), edit_distance(b, a)) << a << " " << b;
}

TEST(NearestName, GivesNoneWhenNothingIsNear) {
  EXPECT_EQ(nearest_option_key("FINALIZE_TIMOUT"), "FINALIZE_TIMEOUT");
  EXPECT_EQ(nearest_option_key("VERBSOE"), "VERBOSE");
  EXPECT_EQ(nearest_option_key("SOMETHING_ELSE"), "");
  EXPECT_EQ(nearest_option_key(""), "");
  const std::string very_long(10'000, 'x');
  EXPECT_EQ(nearest_option_key(very_long), "");
}

Range range_of(std::string_view text, std::string_view unit) {
  Range range;
  EXPECT_EQ(parse_range(text, unit, range), TextProblem::none) << text;
  return range;
}

TEST(OptionRange, HasTwoOptionalEnds) {
  EXPECT_EQ(range_of("64K:1M", "bytes").from, 65536);
  EXPECT_EQ(range_of("64K:1M", "bytes").to, 1048576);
  EXPECT_EQ(range_of(" 2 : ", "ranks").from, 2);
  EXPECT_TRUE(range_of("2:", "ranks").has(1'000'000));
  EXPECT_FALSE(range_of(":8", "ranks").has(9));
  EXPECT_TRUE(range_of("8:8", "ranks").has(8));
  EXPECT_TRUE(range_of(":", "ranks").is_everything());
}

TEST(OptionRange, OfSecondsIsInNanoseconds) {
  EXPECT_EQ(range_of("2.5:10", "s").from, 2'500'000'000);
  EXPECT_EQ(range_of("2.5:10", "s").to, 10'000'000'000);
  EXPECT_EQ(range_of(".000000001:", "s").from, 1);
}

TEST(OptionRange, RefusesOtherTextsThanRanges) {
  Range range;
  for (const std::string_view text : {"", "8", "8-9", "a:b", "1:2:3", "-1:2"})
    EXPECT_EQ(parse_range(text, "ranks", range), TextProblem::malformed) << text;
  for (const std::string_view text : {"1.:2", "1.0000000001:2", "1.5.5:2"})
    EXPECT_EQ(parse_range(text, "s", range), TextProblem::malformed) << text;
  EXPECT_EQ(parse_range("9:8", "ranks", range), TextProblem::out_of_range);
  EXPECT_TRUE(range.is_everything());
}

}  // namespace
}  // namespace meridian
