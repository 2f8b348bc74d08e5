// SPDX-License-Identifier: Apache-2.0
#pragma once

// Simulated runs on networks as they are: floors that move, queues, busy hosts, and delays recorded over TCP.

#include <vector>

#include "clock_simulator.hpp"

namespace meridian::test {

struct Network {
  Scenario scenario;
  double p99 = 1;            ///< limit of the error, in L
  bool is_straight = false;  ///< then the error is at most that of the lines between start and end as well
  double uncertified = 0;    ///< share of the times
  std::uint64_t seeds = 2;
};

inline std::vector<Network> networks() {
  const auto run = [](const char* name, DelayShape delays, auto&& change) {
    Scenario one{.name = name, .hosts = 4, .ranks_per_host = 1, .seconds = 60, .latency_ns = 15'000, .delays = delays};
    change(one);
    return one;
  };
  const auto as_it_is = [](Scenario&) {};
  const auto straight = [](Scenario& s) { s.drift = Drift::linear; };
  const auto slewed = [](Scenario& s) { s.drift = Drift::slewed; };
  const auto sparse = [](Scenario& s) { s.drift = Drift::linear, s.only_every = 50; };
  // Rates change by 5 ppm a second and host, beside queues, in so few seconds that the fit takes that for noise.
  const auto bent = [](Scenario& s) {
    s.drift = Drift::linear, s.seconds = 3, s.latency_ns = 7000, s.has_queues = true;
    for (int host = 1; host < s.hosts; ++host)
      for (int step = -4; step < 16; ++step) s.slews.push_back({host, step * .25, .25, host * (10 - 1.25 * step)});
  };
  const auto bent_at_random = [bent](Scenario& s) {
    bent(s);
    s.pattern = Pattern::random, s.iteration_ms = 2;
  };
  constexpr auto gamma = DelayShape::gamma, recorded = DelayShape::recorded, mixture = DelayShape::mixture;
  return {
      {run("tcp", recorded, as_it_is), .3},
      {run("tcp-slewed", recorded, slewed), .3},
      {run("tcp-torus", recorded, [](Scenario& s) { s.pattern = Pattern::torus; }), .3},
      {run("tcp-random-slewed", recorded, [](Scenario& s) { s.pattern = Pattern::random, s.drift = Drift::slewed; }),
       .3},
      {run("tcp-straight", recorded, straight), .3, true},
      {run("tcp-sparse", recorded, sparse), .6},
      {run("tcp-one-way", recorded, [](Scenario& s) { s.pattern = Pattern::one_way; }), .6},
      {run("tcp-allreduce", recorded, [](Scenario& s) { s.pattern = Pattern::none; }), .6},
      {run("tcp-bent", recorded, bent), 4, false, .7, 10},
      {run("bent-at-random", gamma, bent_at_random), 1.5, false, .5, 10},
      {run("gamma", gamma, as_it_is), .1},
      {run("gamma-slewed", gamma, slewed), .3},
      {run("pareto", DelayShape::pareto, as_it_is), .1},
      {run("floors-straight", mixture,
           [](Scenario& s) {
             s.drift = Drift::linear, s.floors = {{20, 3}};
           }),
       .1, true},
      {run("floors", gamma,
           [](Scenario& s) {
             s.floors = {{20, 3}, {40, 1.5}};
           }),
       .2},
      {run("queues-straight", gamma, [](Scenario& s) { s.drift = Drift::linear, s.has_queues = true; }), .1, true},
      {run("queues", gamma, [](Scenario& s) { s.has_queues = true; }), .3},
      {run("asymmetric-queues", gamma,
           [](Scenario& s) { s.has_queues = true, s.drift = Drift::slewed, s.asymmetry = .2; }),
       .5},
      {run("busy-hosts", gamma,
           [](Scenario& s) {
             s.loads = {{1, 10, 20, 30'000}, {2, 40, 10, 60'000}};
           }),
       .1},
      {run("slew-of-1-ppm", gamma,
           [](Scenario& s) {
             s.drift = Drift::linear, s.slews = {{1, 20, 10, 1}};
           }),
       .1},
      {run("slew-by-one-latency", mixture,
           [](Scenario& s) {
             s.drift = Drift::linear, s.slews = {{1, 20, .1, 150}, {1, 40, .1, -150}};
           }),
       .5, false, .1},
      {run("slew-in-pairs", gamma,
           [](Scenario& s) {
             s.hosts = 2, s.drift = Drift::linear, s.slews = {{1, 20, .05, 450}, {1, 40, .05, -450}};
           }),
       .8, false, .2},
      {run("no-start", gamma, [](Scenario& s) { s.hosts_without_start = 2; }), .3},
      {run("ticks-of-1-us", mixture, [](Scenario& s) { s.tick_ns = 1000, s.latency_ns = 1300; }), 1},
      {run("ticks-of-10-us", gamma, [](Scenario& s) { s.tick_ns = 10'000; }), 1},
  };
}

}  // namespace meridian::test
