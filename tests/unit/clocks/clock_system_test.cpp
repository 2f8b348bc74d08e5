// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/fit/clock_system.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/support/seed.hpp"

namespace meridian {
namespace {

constexpr std::size_t kDomains = 6, kKnots = 11, kReference = 2;
constexpr double kRidge = 1e-12;

/// Solves the same problem with a dense matrix, by elimination.
std::vector<double> solve_densely(const ClockSystem& system) {
  const std::size_t n = system.unknowns(), total = system.x.size();
  std::vector<std::vector<long double>> matrix(total, std::vector<long double>(total + 1, 0));
  const auto add = [&](const std::vector<std::pair<std::size_t, double>>& terms, double value, double weight) {
    for (const auto& [i, a] : terms) {
      for (const auto& [j, b] : terms) matrix[i][j] += static_cast<long double>(weight) * a * b;
      matrix[i][total] += static_cast<long double>(weight) * a * value;
    }
  };
  for (const ClockRow& row : system.rows) {
    const auto to = static_cast<double>(row.to_share), from = static_cast<double>(row.from_share);
    add({{row.to, 1 - to}, {row.to + 1, to}, {row.from, from - 1}, {row.from + 1, -from}, {n + row.latency, -1}},
        row.value, row.weight);
  }
  for (std::size_t i = 0; i < n; ++i) {
    add({{i, 1}}, system.home[i], kRidge);
    const std::size_t k = i % kKnots;
    if (k > 0 && k + 1 < kKnots) add({{i - 1, 1}, {i, -2}, {i + 1, 1}}, 0, system.bends[i]);
  }
  for (std::size_t l = 0; l < system.priors.size(); ++l) add({{n + l, 1}}, system.priors[l], system.stiffness);
  for (std::size_t k = 0; k < kKnots; ++k) {
    const std::size_t fixed = kReference * kKnots + k;
    for (std::size_t i = 0; i < total; ++i) {
      matrix[i][total] -= matrix[i][fixed] * static_cast<long double>(system.x[fixed]);
      matrix[i][fixed] = matrix[fixed][i] = 0;
    }
    matrix[fixed][fixed] = 1;
    matrix[fixed][total] = static_cast<long double>(system.x[fixed]);
  }
  for (std::size_t c = 0; c < total; ++c)
    for (std::size_t r = c + 1; r < total; ++r) {
      const long double factor = matrix[r][c] / matrix[c][c];
      if (factor == 0) continue;
      for (std::size_t j = c; j <= total; ++j) matrix[r][j] -= factor * matrix[c][j];
    }
  std::vector<double> x(total);
  for (std::size_t i = total; i-- > 0;) {
    long double sum = matrix[i][total];
    for (std::size_t j = i + 1; j < total; ++j) sum -= matrix[i][j] * static_cast<long double>(x[j]);
    x[i] = static_cast<double>(sum / matrix[i][i]);
  }
  return x;
}

class Problem {
 public:
  explicit Problem(std::uint64_t seed) : random_{test::seeded(seed)} {
    system.priors = {3, 4, 5};
    system.stiffness = 0.5;
    system.x.assign(system.unknowns() + system.priors.size(), 0);
    system.home.assign(system.unknowns(), 0);
    for (double& bend : system.bends) bend = uniform(0.1, 3);
  }
  double uniform(double low, double high) { return std::uniform_real_distribution<double>{low, high}(random_); }
  std::size_t below(std::size_t count) { return random_() % count; }
  void add(std::size_t to, std::size_t to_knot, std::size_t from, std::size_t from_knot, std::uint32_t latency) {
    ClockRow row;
    row.to = static_cast<std::uint32_t>(to * kKnots + to_knot);
    row.from = static_cast<std::uint32_t>(from * kKnots + from_knot);
    row.latency = latency;
    row.to_share = static_cast<float>(uniform(0, 1));
    row.from_share = static_cast<float>(uniform(0, 1));
    row.value = uniform(-50, 50);
    row.weight = uniform(0.1, 2);
    system.rows.push_back(row);
  }
  /// Both directions at every knot.
  void talk_all_the_time(std::size_t a, std::size_t b, std::uint32_t latency) {
    for (std::size_t k = 0; k + 1 < kKnots; ++k) {
      add(a, k, b, k, latency);
      add(b, k, a, k, latency);
    }
  }

  ClockSystem system{kDomains, kKnots, kReference};

 private:
  std::mt19937_64 random_;
};

void expect_solved(Problem& problem) {
  ASSERT_GT(problem.system.solve(1e-28, 2000), 0);
  const std::vector<double> expected = solve_densely(problem.system);
  const auto expect_near = [&](double most) {
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(problem.system.x[i], expected[i], most) << i;
  };
  expect_near(1e-5);
  // Bands have single precision, the gradient has not: the next solution removes the error that they leave.
  problem.system.solve(1e-28, 2000);
  expect_near(1e-9);
  EXPECT_GT(std::abs(*std::ranges::max_element(expected, {}, [](double x) { return std::abs(x); })), 1);
}

TEST(ClockSystem, IsSolvedForPairsThatCommunicateThroughout) {
  Problem problem{1};
  problem.talk_all_the_time(0, 1, 0);
  problem.talk_all_the_time(1, kReference, 1);
  for (std::size_t h = 3; h < kDomains; ++h) problem.add(h, 1 + h, h - 1, 1 + h, 2);
  for (std::size_t h = 3; h < kDomains; ++h) problem.add(h - 1, 2 + h, h, 2 + h, 2);
  expect_solved(problem);
}

TEST(ClockSystem, IsSolvedForReceivesAfterTheNextKnot) {
  Problem problem{2};
  problem.talk_all_the_time(0, kReference, 0);
  for (std::size_t i = 0; i < 200; ++i) {
    const std::size_t to = problem.below(kDomains), from = (to + 1 + problem.below(kDomains - 1)) % kDomains;
    const std::size_t knot = problem.below(kKnots - 2);
    problem.add(to, knot + problem.below(2), from, knot, static_cast<std::uint32_t>(1 + problem.below(2)));
  }
  // Also for the pair that communicates throughout the run.
  for (std::size_t k = 0; k + 2 < kKnots; ++k) problem.add(0, k + 1, kReference, k, 0);
  expect_solved(problem);
}

TEST(ClockSystem, ALatencyOfSeveralPairsTiesThemAll) {
  Problem problem{3};
  for (std::size_t h = 0; h < kDomains; ++h)
    if (h != kReference) problem.talk_all_the_time(h, kReference, 0);
  expect_solved(problem);
}

TEST(ClockSystem, UnconstrainedKnotsTakeTheirHomeValue) {
  Problem problem{4};
  problem.talk_all_the_time(0, kReference, 0);
  for (double& bend : problem.system.bends) bend = 0;
  for (std::size_t i = 0; i < problem.system.unknowns(); ++i) problem.system.home[i] = static_cast<double>(i);
  problem.system.solve(1e-28, 2000);
  for (std::size_t k = 0; k < kKnots; ++k)
    EXPECT_NEAR(problem.system.x[4 * kKnots + k], static_cast<double>(4 * kKnots + k), 1e-6) << k;
}

TEST(ClockSystem, WeightsMayChangeBetweenSolutions) {
  Problem problem{5};
  for (std::size_t h = 0; h < kDomains; ++h)
    if (h != kReference) problem.talk_all_the_time(h, kReference, static_cast<std::uint32_t>(h % 3));
  expect_solved(problem);
  const std::vector<double> before = problem.system.x;
  for (ClockRow& row : problem.system.rows) row.weight = problem.uniform(0.1, 2);
  for (double& bend : problem.system.bends) bend = problem.uniform(0.1, 3);
  expect_solved(problem);
  EXPECT_NE(problem.system.x, before);
}

}  // namespace
}  // namespace meridian
