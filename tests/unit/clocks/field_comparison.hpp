// SPDX-License-Identifier: Apache-2.0
#pragma once

// Methods of the field and the models of Meridian on the same simulated clocks, messages and exchanges.

#include <array>
#include <string>
#include <vector>

#include "clock_case.hpp"
#include "clock_simulator.hpp"

namespace meridian::test {

/// Eight hosts in a ring for five minutes.
Scenario field_scenario(const std::string& clocks);
/// The name of a class of clocks, for field_scenario().
inline constexpr std::array<const char*, 5> kFieldClocks{"straight", "walk of the rate", "temperature", "NTP slews",
                                                         "a step of 50 us"};

struct FieldFigures {
  std::string method;
  double mean_ns = 0, p99_ns = 0, worst_ns = 0;  ///< errors of the times of events, of hosts other than the reference
  double interval_p99_ns = 0, interval_worst_ns = 0;  ///< errors of the times between an event and the next of its host
  std::size_t reversed = 0, messages = 0;             ///< received before they were sent
};

struct FieldComparison {
  std::vector<FieldFigures> methods;
  std::size_t pairs_without_line = 0, pairs = 0;  ///< of Duda's hulls
  Checked checked;                                ///< Meridian's bounds
};

/// Means over the repetitions; the worst of all, and sums of messages.
FieldComparison compare_field(const std::string& clocks, int repetitions);

}  // namespace meridian::test
