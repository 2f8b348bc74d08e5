// SPDX-License-Identifier: Apache-2.0
#pragma once

// Checks the requirements of tracing on this machine, without changing anything.

#include <cstdint>
#include <string>
#include <vector>

namespace meridian {

enum class Health : std::uint8_t {
  ok,
  warn,  ///< works with restrictions
  fail,  ///< tracing is impossible
};

struct Check {
  std::string name;  ///< "clock"
  Health health{};
  std::string text;    ///< the result
  std::string remedy;  ///< what the user can do; empty when ok
};

const char* health_name(Health health);

// One or more rows each, in the order in which they are printed.
std::vector<Check> check_mpi();  ///< libraries, and the tracer for each
std::vector<Check> check_launcher();
std::vector<Check> check_writer();
std::vector<Check> check_clock();
std::vector<Check> check_counters();  ///< PAPI and the kernel's counters
std::vector<Check> check_hdf5();
std::vector<Check> check_directories();  ///< scratch and output
std::vector<Check> check_settings();     ///< MERIDIAN_* and meridian.conf

/// Whether this program can be traced, and started by the launchers in PATH.
std::vector<Check> check_program(const std::string& program);

/// All of them; of the program only if one is given.
std::vector<Check> examine(const std::string& program);

}  // namespace meridian
