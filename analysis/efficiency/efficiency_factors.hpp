// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "summary/rows/efficiency_rows.hpp"
#include "trace/model/units.hpp"

namespace meridian {

/// The times from which efficiencies are computed, ns.
struct EfficiencyTimes {
  std::int64_t run_ns = 0;    ///< T
  std::int64_t ideal_ns = 0;  ///< T on a network that costs nothing
  /// [process] time outside MPI with a processor: computing, and in a rank with threads also the waits of its main thread for them, or the
  /// longest computing of one of them if that is more
  std::vector<std::int64_t> outside_ns;
  std::int64_t compute_ns = 0;  ///< of all threads
  std::uint64_t threads = 0;    ///< the most that lived at the same time, over all processes
  /// T on a network that costs nothing, with a processor for each thread at any time; 0 where that is not known
  std::int64_t processor_ns = 0;
};

/// The factors of POP (docs/EFFICIENCY.md). A quotient of 0 and 0 is 1.
inline void fill_factors(const EfficiencyTimes& times, EfficiencySummary& row) {
  const auto ratio = [](double a, double b) { return b > 0 ? a / b : 1; };
  std::int64_t longest_ns = 0, sum_ns = 0;
  for (const std::int64_t ns : times.outside_ns) {
    longest_ns = std::max(longest_ns, ns);
    sum_ns += ns;
  }
  const auto processes = static_cast<double>(times.outside_ns.size());
  const auto longest = static_cast<double>(longest_ns);
  const double mean = processes > 0 ? static_cast<double>(sum_ns) / processes : 0;
  // A thread cannot be quicker than its computing, even where the replay moves the threads of a rank apart.
  const std::int64_t ideal_ns = std::min(std::max(times.ideal_ns, longest_ns), times.run_ns);
  const std::int64_t processor_ns =
      times.processor_ns == 0 ? ideal_ns : std::clamp(times.processor_ns, longest_ns, std::max(ideal_ns, longest_ns));
  row.time_s = seconds(times.run_ns);
  row.ideal_s = seconds(ideal_ns);
  row.compute_s = seconds(times.compute_ns);
  row.processes = times.outside_ns.size();
  row.threads = times.threads;
  row.load_balance = ratio(mean, longest);
  row.serialisation = ratio(longest, static_cast<double>(processor_ns));
  row.processor = ratio(static_cast<double>(processor_ns), static_cast<double>(ideal_ns));
  row.transfer = ratio(static_cast<double>(ideal_ns), static_cast<double>(times.run_ns));
  row.communication = row.serialisation * row.transfer;
  row.mpi_factor = row.load_balance * row.communication;
  row.thread_factor = ratio(static_cast<double>(times.compute_ns), mean * static_cast<double>(times.threads));
  row.parallel = row.mpi_factor * row.thread_factor * row.processor;
}

}  // namespace meridian
