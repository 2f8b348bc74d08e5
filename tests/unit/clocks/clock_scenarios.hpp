#pragma once

// The runs on which the clocks have to prove themselves, and what has to hold in each.

#include <vector>

#include "clock_simulator.hpp"

namespace meridian::test {

/// Limits in L, the smallest one-way latency; of the error against the known truth.
struct Acceptance {
  Scenario scenario;
  double p50 = 1e9, p99 = 1e9, max = 1e9;
  double t1_p50 = 1e9, t1_p99 = 1e9, t2_p50 = 1e9;  ///< half widths of the bounds
  bool may_reverse = false;                         ///< before events are moved
  double uncertified = 0;                           ///< share of the points
};

inline std::vector<Acceptance> acceptances() {
  return {
      {.scenario = {.name = "ring"}, .p50 = .02, .p99 = .10, .max = .25},
      {.scenario = {.name = "torus", .pattern = Pattern::torus}, .p50 = .02, .p99 = .10, .max = .25},
      {.scenario = {.name = "random", .pattern = Pattern::random}, .p50 = .02, .p99 = .10, .max = .25},
      {.scenario = {.name = "2-hosts", .hosts = 2, .ranks_per_host = 4}, .p50 = .02, .p99 = .10, .max = .25},
      {.scenario = {.name = "64-hosts", .hosts = 64, .pattern = Pattern::torus}, .p50 = .02, .p99 = .10, .max = .25},
      {.scenario = {.name = "congested", .is_congested = true}, .p50 = .02, .p99 = .10, .max = .25},
      {.scenario = {.name = "dense", .seconds = 60, .iteration_ms = 0.5}, .p50 = .02, .p99 = .10, .max = .25},
      {.scenario = {.name = "linear", .drift = Drift::linear}, .p50 = .02, .p99 = .10, .max = .25},
      {.scenario = {.name = "slewed", .drift = Drift::slewed}, .p99 = .30, .max = 1},
      {.scenario = {.name = "sparse", .only_every = 100}, .p99 = .35},
      {.scenario = {.name = "one-way", .pattern = Pattern::one_way}, .p99 = .5},
      {.scenario = {.name = "epochs", .pattern = Pattern::none, .epoch_s = 10}, .p99 = .10},
      {.scenario = {.name = "star+ring", .epoch_s = 10},
       .p50 = .02,
       .p99 = .10,
       .max = .25,
       .t1_p50 = 1.6,
       .t1_p99 = 2.2,
       .t2_p50 = .6},
      {.scenario = {.name = "asymmetric10", .asymmetry = 0.1}, .p99 = .1 + 1.1 * .1},
      {.scenario = {.name = "asymmetric30", .asymmetry = 0.3}, .p99 = .1 + 1.1 * .3},
      {.scenario = {.name = "step", .step_ns = 50'000}, .p99 = .10, .may_reverse = true, .uncertified = .005},
  };
}

/// Runs in which something is not as it should be, on purpose: nothing false may be certified.
inline std::vector<Scenario> broken_scenarios() {
  return {
      {.name = "wild", .hosts = 6, .seconds = 60, .drift = Drift::wild},
      {.name = "wrong-domain", .hosts = 6, .seconds = 60, .fault = Fault::wrong_domain},
      {.name = "swapped", .hosts = 6, .seconds = 60, .fault = Fault::swapped_ranks},
      {.name = "no-finish", .hosts = 6, .seconds = 60, .has_finish = false},
      {.name = "no-pings", .hosts = 6, .seconds = 60, .has_finish = false, .has_start = false},
      {.name = "apart",
       .hosts = 6,
       .seconds = 60,
       .pattern = Pattern::none,
       .collective_every = 0,
       .has_finish = false,
       .has_start = false},
  };
}

}  // namespace meridian::test
