// SPDX-License-Identifier: Apache-2.0
#include "summary/compare/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/compare/made_runs.hpp"

namespace meridian {
namespace {

using made::add_function;
using made::add_problem;
using made::add_program_function;
using made::add_wait;
using made::group_of;
using made::run_of;
using testing::ElementsAre;

ItemChange change_of(const Comparison& comparison, Subject subject, const std::string& name) {
  for (const ItemChange& change : comparison.changes)
    if (change.subject == subject && change.name == name) return change;
  ADD_FAILURE() << name;
  return {};
}

FigureChange figure_named(const Comparison& comparison, const std::string& name) {
  const auto found = std::ranges::find(comparison.figures, name, &FigureChange::name);
  EXPECT_NE(found, comparison.figures.end()) << name;
  return found == comparison.figures.end() ? FigureChange{} : *found;
}

/// Runs of MPI_Send that take these times in all, on two ranks and ten seconds.
RunGroup sends(std::initializer_list<double> totals_s) {
  std::vector<Summary> runs;
  for (const double total_s : totals_s) {
    runs.push_back(run_of(2, 10));
    add_function(runs.back(), "MPI_Send", total_s, 100, 800);
  }
  return group_of("sends", runs);
}

TEST(Comparison, AFunctionHasItsChangeInSecondsOfAMeanRank) {
  const ItemChange change = change_of(compare_groups(sends({2}), sends({5})), Subject::function, "MPI_Send");
  EXPECT_DOUBLE_EQ(change.before_s, 1);
  EXPECT_DOUBLE_EQ(change.after_s, 2.5);
  EXPECT_DOUBLE_EQ(change.change_s, 1.5);
  EXPECT_DOUBLE_EQ(change.share, 0.15);
  EXPECT_EQ(change.before.total_s, 2);
  EXPECT_EQ(change.after.total_s, 5);
  EXPECT_EQ(change.after.count, 100);
  EXPECT_EQ(change.after.bytes, 800);
  EXPECT_EQ(change.status, "changed");
  EXPECT_TRUE(change.is_notable);
  EXPECT_TRUE(std::isnan(change.test.p_value));
}

/// Runs of ten seconds on two ranks that compute in assemble(), with a standard error by samples.
RunGroup assembles(std::initializer_list<std::pair<double, double>> totals_s) {
  std::vector<Summary> runs;
  std::uint32_t line = 40;
  for (const auto& [self_s, error_s] : totals_s) {
    runs.push_back(run_of(2, 10));
    add_program_function(runs.back(), "assemble", "solve.c:" + std::to_string(++line), self_s, error_s);
  }
  return group_of("assembles", runs);
}

TEST(Comparison, AFunctionOfTheProgramIsTheSameWhicheverOfItsLinesHasMostSamples) {
  const Comparison comparison = compare_groups(assembles({{4, 0.1}}), assembles({{8, 0.3}}));
  const ItemChange change = change_of(comparison, Subject::program_function, "assemble");
  EXPECT_EQ(change.status, "changed");
  EXPECT_EQ(change.place, "solve.c");
  EXPECT_DOUBLE_EQ(change.change_s, 2);
  EXPECT_DOUBLE_EQ(change.share, 0.2);
  EXPECT_TRUE(change.is_notable);
}

TEST(Comparison, AChangeOfAFunctionOfTheProgramWithinItsSamplingErrorIsNoise) {
  const auto is_notable = [](const RunGroup& before, const RunGroup& after) {
    return change_of(compare_groups(before, after), Subject::program_function, "assemble").is_notable;
  };
  // Standard errors of 0.3 and 0.4 s over two ranks: 0.25 s of a difference a rank.
  EXPECT_FALSE(is_notable(assembles({{4, 0.3}}), assembles({{4.99, 0.4}})));
  EXPECT_TRUE(is_notable(assembles({{4, 0.3}}), assembles({{5.01, 0.4}})));
  // Four repeats halve it.
  const std::pair<double, double> then{4, 0.3}, now{4.51, 0.4};
  EXPECT_TRUE(is_notable(assembles({then, then, then, then}), assembles({now, now, now, now})));
}

TEST(Comparison, FunctionsOfTheProgramAreComparedIfAllRunsHaveSamples) {
  const Comparison comparison = compare_groups(assembles({{4, 0}}), sends({2}));
  for (const ItemChange& change : comparison.changes) EXPECT_NE(change.subject, Subject::program_function);
}

TEST(Comparison, RanksMayDiffer) {
  Summary before = run_of(2, 10);
  Summary after = run_of(8, 10);
  add_function(before, "MPI_Send", 4);
  add_function(after, "MPI_Send", 16);
  EXPECT_EQ(change_of(compare_groups(group_of("a", {before}), group_of("b", {after})), Subject::function, "MPI_Send")
                .change_s,
            0);
}

TEST(Comparison, LessThanAThousandthOfTheRunIsNotNotable) {
  EXPECT_FALSE(compare_groups(sends({2}), sends({2.019})).changes.front().is_notable);
  EXPECT_TRUE(compare_groups(sends({2}), sends({2.021})).changes.front().is_notable);
  EXPECT_TRUE(compare_groups(sends({2.021}), sends({2})).changes.front().is_notable);
}

TEST(Comparison, AChangeWithinTheNoiseOfTheRepeatsIsNotNotable) {
  const ItemChange noise = compare_groups(sends({2, 3, 4}), sends({3, 4, 5})).changes.front();
  EXPECT_GT(noise.test.p_value, kSignificant);
  EXPECT_FALSE(noise.is_notable);
  const ItemChange change = compare_groups(sends({2, 2.1, 2.2}), sends({3, 3.1, 3.2})).changes.front();
  EXPECT_LT(change.test.p_value, 0.001);
  EXPECT_TRUE(change.is_notable);
  EXPECT_DOUBLE_EQ(change.before_s, 1.05);
  EXPECT_NEAR(change.before_sd_s, 0.05, 1e-12);
}

TEST(Comparison, ProblemsAppearChangeAndGo) {
  Summary before = run_of(2, 10);
  Summary after = run_of(2, 10);
  add_problem(before, "late sender", 2);
  add_problem(before, "lock", 1);
  add_problem(after, "lock", 3);
  add_problem(after, "imbalance", 4);
  const Comparison comparison = compare_groups(group_of("a", {before}), group_of("b", {after}));
  EXPECT_EQ(change_of(comparison, Subject::problem, "late sender").status, "gone");
  EXPECT_EQ(change_of(comparison, Subject::problem, "lock").status, "changed");
  EXPECT_EQ(change_of(comparison, Subject::problem, "imbalance").status, "appeared");
  EXPECT_EQ(change_of(comparison, Subject::problem, "late sender").change_s, -1);
  EXPECT_EQ(change_of(comparison, Subject::problem, "lock").change_s, 1);
  EXPECT_EQ(change_of(comparison, Subject::problem, "imbalance").change_s, 2);
}

TEST(Comparison, TheLargestChangeOfEachSubjectIsFirst) {
  Summary before = run_of(1, 10);
  Summary after = run_of(1, 10);
  for (const auto& [name, old_s, new_s] :
       {std::tuple{"MPI_Send", 1.0, 1.5}, {"MPI_Recv", 5.0, 2.0}, {"MPI_Wait", 0.0, 1.0}}) {
    add_function(before, name, old_s);
    add_function(after, name, new_s);
  }
  std::vector<std::string> names;
  for (const ItemChange& change : compare_groups(group_of("a", {before}), group_of("b", {after})).changes)
    names.push_back(change.name);
  EXPECT_THAT(names, ElementsAre("MPI_Recv", "MPI_Wait", "MPI_Send"));
}

TEST(Comparison, TimesThatAreNoNumbersHaveTheirPlaceInTheOrder) {
  Summary before = run_of(1, 10);
  Summary after = run_of(1, 10);
  for (const char* const name : {"MPI_Send", "MPI_Recv", "MPI_Wait"}) add_function(before, name, 1);
  add_function(after, "MPI_Send", std::nan(""));
  add_function(after, "MPI_Recv", 2);
  add_function(after, "MPI_Wait", 4);
  const Comparison comparison = compare_groups(group_of("a", {before}), group_of("b", {after}));
  EXPECT_EQ(comparison.changes.front().name, "MPI_Wait");
  EXPECT_EQ(comparison.changes.back().name, "MPI_Send");
  EXPECT_FALSE(comparison.changes.back().is_notable);
}

TEST(Comparison, WaitsBelongToTheirFunctionAndSite) {
  Summary before = run_of(1, 10);
  made::add_site(before, "MPI_Recv", 7, 3);
  add_function(before, "MPI_Recv", 3);
  Summary after = before;
  add_wait(after, "late sender", "MPI_Recv", "main, solve.c:7", 1);
  add_wait(after, "late sender", "MPI_Recv", "main, solve.c:7", 0.5);
  const Comparison comparison = compare_groups(group_of("a", {before}), group_of("b", {after}));
  EXPECT_EQ(change_of(comparison, Subject::function, "MPI_Recv").before.wait_s, 0);
  EXPECT_EQ(change_of(comparison, Subject::function, "MPI_Recv").after.wait_s, 1.5);
  EXPECT_EQ(change_of(comparison, Subject::site, "MPI_Recv").after.wait_s, 1.5);
  EXPECT_EQ(change_of(comparison, Subject::wait, "late sender").change_s, 1.5);
}

TEST(Comparison, WaitTimeIsThatForOtherRanksWithoutStartAndEnd) {
  Summary before = run_of(1, 10);
  Summary after = before;
  add_wait(after, "late sender", "MPI_Recv", "solve.c:7", 1);
  add_wait(after, "wait for lock", "pthread_mutex_lock", "solve.c:9", 2);
  add_wait(after, "wait at thread barrier", "pthread_barrier_wait", "solve.c:10", 4);
  add_wait(after, "wait at init", "MPI_Init", "solve.c:1", 8);
  const Comparison comparison = compare_groups(group_of("a", {before}), group_of("b", {after}));
  EXPECT_EQ(figure_named(comparison, "wait_time").after, 1);
}

TEST(Comparison, FiguresHaveTheirRatioAndTest) {
  const RunGroup before = group_of("a", {run_of(2, 9), run_of(2, 11)});
  const RunGroup after = group_of("b", {run_of(2, 14), run_of(2, 16)});
  const FigureChange time = figure_named(compare_groups(before, after), "time");
  EXPECT_DOUBLE_EQ(time.before, 10);
  EXPECT_DOUBLE_EQ(time.change, 5);
  EXPECT_DOUBLE_EQ(time.ratio, 1.5);
  EXPECT_DOUBLE_EQ(time.before_sd, std::sqrt(2));
  // t = 5 / sqrt(2) with 2 degrees of freedom: 1 - t / sqrt(2 + t^2).
  EXPECT_NEAR(time.test.p_value, 1 - 5 / std::sqrt(2.0) / std::sqrt(14.5), 1e-12);
  EXPECT_TRUE(std::isnan(figure_named(compare_groups(before, after), "ipc").before));
}

}  // namespace
}  // namespace meridian
