// SPDX-License-Identifier: Apache-2.0
#pragma once

// What was counted while regions of the program were open, thread by thread.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace meridian {

/// Follows the regions of one thread after the other, as UserStatistics does with their times: a region ends with its
/// own end, with that of a region around it, or with its thread; an end without a beginning is left out.
class RegionCounters {
 public:
  struct Sums {
    std::vector<std::int64_t> total;      ///< [counters] without that of regions inside of one of the same name
    std::vector<std::int64_t> exclusive;  ///< without the regions inside
    std::vector<std::int64_t> mpi;        ///< of the total, in MPI calls
  };

  /// regions  definitions that there are.  counters  how many.
  RegionCounters(std::size_t regions, std::size_t counters) : sums_(regions), now_(counters), mpi_(counters) {}

  /// Something was counted, by the counter of this number.
  void add(std::size_t counter, std::int64_t value, bool is_mpi) noexcept {
    now_[counter] += value;
    if (is_mpi) mpi_[counter] += value;
  }
  void begin(std::size_t region);
  void end(std::size_t region);
  void end_thread();

  /// [regions]; without values where a region was never open.
  const std::vector<Sums>& sums() const noexcept { return sums_; }

 private:
  struct Open {
    std::size_t region = 0;
    std::vector<std::int64_t> before, mpi_before, inside;
  };
  void close();

  std::vector<Sums> sums_;
  std::vector<std::int64_t> now_, mpi_;  // since the thread's first event
  std::vector<Open> stack_;
};

}  // namespace meridian
