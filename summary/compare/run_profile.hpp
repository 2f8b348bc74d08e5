// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of a summary that comparisons use: a few kilobytes, so that many runs fit into memory.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "summary/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

enum class Subject : std::uint8_t { state, function, site, region, wait, problem, program_function };

/// "state", "function", "site", "region", "wait", "problem", "program_function"
std::string_view subject_name(Subject subject);

/// Time over all ranks, with what belongs to it. All are 0 for what a run does not have.
struct Measures {
  double total_s = 0;
  double count = 0;
  double bytes = 0;    ///< sent and received
  double wait_s = 0;   ///< of functions and sites: waits for other ranks or threads; of regions: in MPI
  double error_s = 0;  ///< standard error of total_s, of what is known by samples
};

/// A part of a run that other runs may have, too.
struct ProfileItem {
  Subject subject{};
  std::string name;      ///< of the state, function, region, wait or problem; of a site the called function
  std::string function;  ///< of waits and problems: where; otherwise empty
  std::string caller;    ///< of sites: the function that contains the call; otherwise empty
  std::string place;     ///< "halo.c:70"; of a function of the program "halo.c"; empty: none, or unknown
  Measures measures;
};

/// The efficiencies of the run, as far as scaling needs them. NaN: undefined.
struct PopFigures {
  double threads = 0;  ///< that lived at the same time, over all ranks
  double time_s = 0;
  double parallel = 0;
  double compute_s = 0;
  double instructions = 0;
  double ipc = 0;
  double frequency_hz = 0;
};

struct RunProfile {
  std::string source;      ///< as the user named it
  std::string executable;  ///< without its directory
  std::int64_t begin_realtime_ns = 0;
  double ranks = 0;  ///< present ones
  double time_s = 0;
  bool is_profile = false;   ///< of sums over calls: states, regions and waits are unknown, and problems are others
  bool has_samples = false;  ///< functions of the program are known
  PopFigures pop;
  std::vector<double> figures;     ///< in the order of figures(); NaN: undefined
  std::vector<ProfileItem> items;  ///< no two are the same in all texts
};

RunProfile profile_of(const Summary& summary, std::string source);

/// The figure of this name, or of an object ("seconds:MPI_Send", "problem:late sender"); NaN: the run does not have it.
/// Functions that were not called and problems that were not found are 0.
///
/// problems  all names that problems can have
/// errors    invalid_argument: no figure or object of that name; the hint has the nearest name
Result<double> figure_of(const RunProfile& run, std::string_view name, std::span<const std::string_view> problems);

}  // namespace meridian
