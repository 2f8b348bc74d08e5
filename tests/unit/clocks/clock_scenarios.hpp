#pragma once

// The runs on which the clocks have to prove themselves.

#include <vector>

#include "clock_simulator.hpp"

namespace meridian::test {

inline std::vector<Scenario> acceptance_scenarios() {
  return {
      {.name = "ring"},
      {.name = "torus", .pattern = Pattern::torus},
      {.name = "random", .pattern = Pattern::random},
      {.name = "64-hosts", .hosts = 64, .pattern = Pattern::torus},
      {.name = "congested", .is_congested = true},
      {.name = "linear", .drift = Drift::linear},
      {.name = "slewed", .drift = Drift::slewed},
      {.name = "sparse", .only_every = 100},
      {.name = "one-way", .pattern = Pattern::one_way},
      {.name = "epochs", .pattern = Pattern::none, .collective_every = 50, .epoch_s = 10},
      {.name = "star+ring", .epoch_s = 10},
      {.name = "asymmetric10", .asymmetry = 0.1},
      {.name = "asymmetric30", .asymmetry = 0.3},
      {.name = "step", .step_ns = 50'000},
      {.name = "2-hosts", .hosts = 2, .ranks_per_host = 4},
      {.name = "dense", .seconds = 60, .iteration_ms = 0.5},
  };
}

}  // namespace meridian::test
