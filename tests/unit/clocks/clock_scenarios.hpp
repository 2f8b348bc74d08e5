#pragma once

// The runs on which the clocks have to prove themselves, and what has to hold in each.

#include <stdexcept>
#include <string>
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
      // Some hosts are always behind: of each pair, one takes all messages late.
      {.scenario = {.name = "behind", .only_every = 100, .collective_every = 0}, .p99 = .8},
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
      {.scenario = {.name = "step-1ms", .step_ns = -1e6}, .p99 = .10, .may_reverse = true, .uncertified = .005},
      {.scenario = {.name = "step+1s", .step_ns = 1e9}, .p99 = .10, .may_reverse = true, .uncertified = .005},
  };
}

/// Runs in which something is not as it should be, on purpose: nothing false may be certified.
struct Broken {
  Scenario scenario;
  /// What has to be among the findings, one of these; empty: the bounds may well hold, and nothing needs to be said.
  std::vector<std::string> findings;
};

inline std::vector<Broken> broken_runs() {
  const auto run = [](const char* name, auto&& change) {
    Scenario one{.name = name, .hosts = 6, .seconds = 60};
    change(one);
    return one;
  };
  const auto faulty = [&](const char* name, Fault fault) { return run(name, [&](Scenario& s) { s.fault = fault; }); };
  const auto stepped = [&](const char* name, double ns) { return run(name, [&](Scenario& s) { s.step_ns = ns; }); };
  const std::vector<std::string> seen{"clock.step", "clock.rate_changed", "clock.uncertified"};
  return {
      {run("wild", [](Scenario& s) { s.drift = Drift::wild; }), {"clock.rate_changed"}},
      {faulty("wrong-domain", Fault::wrong_domain), {}},  // found before the clocks are fitted: ClockTrial::is_split
      {faulty("swapped", Fault::swapped_ranks), {}},
      {run("no-finish", [](Scenario& s) { s.has_finish = false; }), {}},
      {run("no-pings", [](Scenario& s) { s.has_start = s.has_finish = false; }), {}},
      {run("apart",
           [](Scenario& s) {
             s.pattern = Pattern::none;
             s.collective_every = 0;
             s.has_start = s.has_finish = false;
           }),
       {"clock.unsynchronised"}},
      {stepped("set-forward", 50'000), seen},
      {stepped("set-far-forward", 3e6), seen},
      {stepped("set-back", -50'000), seen},
      {stepped("wrapped", -4294967296.0), seen},
      {faulty("stands-still", Fault::stands_still), seen},
      {faulty("suspended", Fault::suspended), seen},
      {faulty("rate-step", Fault::rate_step), seen},
      {faulty("false-trips", Fault::false_trips), seen},
      {faulty("false-messages", Fault::false_messages), seen},
      {faulty("reference-wild", Fault::reference_wobbles), seen},
      {run("asymmetric", [](Scenario& s) { s.asymmetry = 0.4; }), {}},
  };
}

/// One of them.
inline Scenario broken_scenario(const std::string& name) {
  for (Broken& one : broken_runs())
    if (one.scenario.name == name) return one.scenario;
  throw std::runtime_error("no scenario " + name);
}

}  // namespace meridian::test
