// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counters of the program's regions, thread by thread.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "merged/model/open_regions.hpp"

namespace meridian {

/// Processes the regions of one thread after the other, as UserStatistics does with their times: a region ends with its
/// own end, with that of an enclosing region, or with its thread; an end without a beginning is ignored.
class RegionCounters {
 public:
  struct Sums {
    std::vector<std::int64_t> total;      ///< [counters], without regions nested in one of the same name
    std::vector<std::int64_t> exclusive;  ///< without nested regions
    std::vector<std::int64_t> mpi;        ///< the part of the total in MPI calls
  };

  /// regions  number of definitions.  counters  number of counters.
  RegionCounters(std::size_t regions, std::size_t counters) : sums_(regions), now_(counters), mpi_(counters) {}

  /// Adds an increase of the counter with this index.
  void add(std::size_t counter, std::int64_t value, bool is_mpi) noexcept {
    now_[counter] += value;
    if (is_mpi) mpi_[counter] += value;
  }
  void begin(std::size_t region);
  void end(std::size_t region);
  void end_thread();

  /// [regions]; empty for a region that was never open.
  const std::vector<Sums>& sums() const noexcept { return sums_; }

 private:
  struct Open {
    std::vector<std::int64_t> before, mpi_before, inside;
  };
  void close(const OpenRegions<Open>::Region& region);

  std::vector<Sums> sums_;
  std::vector<std::int64_t> now_, mpi_;  // since the thread's first event
  OpenRegions<Open> open_;
};

}  // namespace meridian
