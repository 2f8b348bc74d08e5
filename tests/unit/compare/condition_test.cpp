// SPDX-License-Identifier: Apache-2.0
#include "summary/compare/condition.hpp"

#include <gtest/gtest.h>

#include <set>

#include "summary/compare/figures.hpp"
#include "tests/unit/compare/made_runs.hpp"

namespace meridian {
namespace {

constexpr std::array<std::string_view, 2> kProblems{"late sender", "lock"};

RunProfile run_with(double time_s, double sends_s = 1) {
  Summary summary = made::run_of(2, time_s);
  made::add_efficiency(summary, 2, time_s, time_s);  // parallel efficiency: 50 %
  made::add_function(summary, "MPI_Send", sends_s, 40, 320);
  made::add_problem(summary, "late sender", 0.25);
  RegionSummary region;
  region.name = "a<b";
  region.total_s = 3;
  summary.regions.push_back(region);
  return profile_of(summary, "run");
}

/// "sentence", "" for false, or the error.
std::string result_of(const std::string& text, std::vector<RunProfile> after, std::vector<RunProfile> before = {}) {
  const auto condition = parse_condition(text);
  if (!condition) return condition.error().what;
  const auto verdict = evaluate(*condition, before, after, kProblems);
  if (!verdict) return verdict.error().what + "; " + verdict.error().hint;
  EXPECT_EQ(verdict->is_true, !verdict->sentence.empty());
  return verdict->sentence;
}

TEST(Condition, HoldsForEachOperatorAsItReads) {
  for (const auto& [op, less, equal, more] : {std::tuple{"<", true, false, false},
                                              {"<=", true, true, false},
                                              {">", false, false, true},
                                              {">=", false, true, true},
                                              {"==", false, true, false},
                                              {"!=", true, false, true}}) {
    const std::string text = std::string{"time "} + op + " 10";
    EXPECT_EQ(!result_of(text, {run_with(9)}).empty(), less) << text;
    EXPECT_EQ(!result_of(text, {run_with(10)}).empty(), equal) << text;
    EXPECT_EQ(!result_of(text, {run_with(11)}).empty(), more) << text;
  }
}

TEST(Condition, GivesTheValues) {
  EXPECT_EQ(result_of("parallel_efficiency < 80%", {run_with(10)}), "parallel_efficiency is 0.5, which is < 0.8");
  EXPECT_EQ(result_of("parallel_efficiency<0.8", {run_with(10)}), "parallel_efficiency is 0.5, which is < 0.8");
  EXPECT_EQ(result_of("time > 1.05x", {run_with(12)}, {run_with(10)}), "time was 10 and is 12: 1.2x, which is > 1.05x");
}

TEST(Condition, OfRepeatsConcernsTheMean) {
  EXPECT_EQ(result_of("time > 10", {run_with(9), run_with(10.5)}), "");
  EXPECT_EQ(result_of("time > 10", {run_with(9), run_with(12)}), "time is 10.5, which is > 10");
}

TEST(Condition, NamesFiguresOfObjects) {
  EXPECT_EQ(result_of("seconds:MPI_Send > 0.5", {run_with(9)}), "seconds:MPI_Send is 1, which is > 0.5");
  EXPECT_EQ(result_of("calls:MPI_Send == 40", {run_with(9)}), "calls:MPI_Send is 40, which is == 40");
  EXPECT_EQ(result_of("bytes:MPI_Send == 320", {run_with(9)}), "bytes:MPI_Send is 320, which is == 320");
  EXPECT_EQ(result_of("calls:MPI_Recv > 0", {run_with(9)}), "") << "it was not called";
  EXPECT_EQ(result_of("problem:late_sender > 0.2", {run_with(9)}), "problem:late_sender is 0.25, which is > 0.2");
  EXPECT_EQ(result_of("problem:lock > 0", {run_with(9)}), "") << "it was not found";
  EXPECT_EQ(result_of("region:a<b >= 3", {run_with(9)}), "region:a<b is 3, which is >= 3");
}

TEST(Condition, AnUnknownNameGetsTheNearest) {
  EXPECT_EQ(result_of("parallel_eficiency < 1", {run_with(9)}),
            "there is no figure 'parallel_eficiency'; did you mean 'parallel_efficiency'? Else `meridian compare "
            "--list-figures` lists them");
  EXPECT_EQ(result_of("second:MPI_Send < 1", {run_with(9)}),
            "there is no figure 'second'; did you mean 'seconds'? Else `meridian compare --list-figures` lists them");
  EXPECT_EQ(
      result_of("seconds:MPI_Sned < 1", {run_with(9)}),
      "there is no function 'MPI_Sned'; did you mean 'MPI_Send'? Else `meridian stats` shows those that were called");
  EXPECT_EQ(result_of("problem:late_sander < 1", {run_with(9)}),
            "there is no problem 'late sander'; did you mean 'late sender'? Else docs/PROBLEMS.md lists them");
  EXPECT_EQ(result_of("region:sovle < 1", {run_with(9)}),
            "'run' has no region 'sovle'; `meridian stats` shows its regions");
}

TEST(Condition, WithoutAValueIsAnErrorAndNotFalse) {
  EXPECT_EQ(result_of("ipc < 1", {run_with(9)}),
            "cannot check 'ipc < 1': 'run' does not have this figure; merge it again; instructions, ipc and frequency "
            "need counters (docs/COUNTERS.md), energy and power readable ones of the kernel (docs/ENERGY.md)");
  EXPECT_EQ(result_of("time > 1.05x", {run_with(12)}),
            "--fail-if 'time > 1.05x': a ratio needs two runs; give a number without x, or use `meridian compare`");
}

TEST(Condition, ARatioToNothingIsInfinite) {
  EXPECT_EQ(result_of("seconds:MPI_Send > 1000x", {run_with(1)}, {run_with(1, 0)}),
            "seconds:MPI_Send was 0 and is 1: infx, which is > 1000x");
  EXPECT_EQ(result_of("seconds:MPI_Send > 1x", {run_with(1, 0)}, {run_with(1, 0)}), "");
}

TEST(Condition, OfAnotherFormIsRefused) {
  for (const std::string text :
       {"", "time", "time <", "< 3", "time < ", "time < x", "time < %", "time < 3s", "time << 3", "time =< 3",
        "time = 3", "time < nan", "time < inf", "time < 3 4", "time ! 3"})
    EXPECT_EQ(result_of(text, {run_with(9)}), "--fail-if '" + text + "': not of the form NAME OPERATOR NUMBER");
}

TEST(Condition, OfARatioBelowZeroIsRefused) {
  EXPECT_EQ(result_of("time > -1x", {run_with(9)}, {run_with(9)}),
            "--fail-if 'time > -1x': a ratio of two runs is not less than 0");
}

TEST(Condition, EveryFigureHasAnOwnNameAndAMeaning) {
  std::set<std::string_view> names;
  for (const Figure& figure : figures()) {
    EXPECT_TRUE(names.insert(figure.name).second) << figure.name;
    EXPECT_FALSE(figure.text.empty()) << figure.name;
    EXPECT_EQ(figure.name.find_first_of(" :<>=!"), std::string_view::npos) << figure.name;
    const auto condition = parse_condition(std::string{figure.name} + " < 1");
    ASSERT_TRUE(condition) << figure.name;
    EXPECT_EQ(condition->name, figure.name);
  }
}

}  // namespace
}  // namespace meridian
