// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/checks.hpp"

namespace meridian {

const char* health_name(Health health) {
  switch (health) {
    case Health::ok:
      return "ok";
    case Health::warn:
      return "warn";
    case Health::fail:
      break;
  }
  return "fail";
}

std::vector<Check> examine(const std::string& program) {
  std::vector<Check> all;
  for (const auto& look : {check_mpi, check_launcher, check_writer, check_clock, check_counters, check_hdf5,
                           check_directories, check_settings})
    for (Check& check : look()) all.push_back(std::move(check));
  if (!program.empty())
    for (Check& check : check_program(program)) all.push_back(std::move(check));
  return all;
}

}  // namespace meridian
