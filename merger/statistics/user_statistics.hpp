// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "merged/model/open_regions.hpp"
#include "merger/match/calls/value_totals.hpp"
#include "merger/model/event_row.hpp"
#include "merger/model/findings.hpp"
#include "merger/model/user_definitions.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// Tracks the regions of every thread and counts user events. Rows of a thread come in its order.
///
/// A region ends with its own end, with that of an enclosing region if it was left by an exception or longjmp, or with
/// the last event of its thread. An end without a beginning is ignored. Both cases are counted.
/// with the last event of its thread. An end without a beginning is left out. Both are counted.
class UserStatistics {
 public:
  UserStatistics() = default;
  explicit UserStatistics(const UserDefinitions& definitions);

  void add(const EventRow& row) {
    if (regions_.empty()) return;
    follow(row);
  }
  /// Ends all open regions. `calls` are those of the merged file.
  void finish(Findings& findings);

  /// By total time, longest first; ties by name.
  std::vector<RegionSummary> regions() const;
  /// All other events, by level and name. `counters` is indexed by definition.
  std::vector<UserEventSummary> events(std::span<const ValueTotals> counters) const;

 private:
  struct Region {
    std::uint64_t count = 0;
    std::int64_t total_ns = 0;  // without regions nested in one of the same name
    std::int64_t exclusive_ns = 0;
    std::int64_t mpi_ns = 0;
    std::int64_t min_ns = std::numeric_limits<std::int64_t>::max();
    std::int64_t max_ns = 0;
  };
  struct Open {
    std::int64_t begin_ns = 0;
    std::int64_t inside_ns = 0;  // in nested regions
    std::int64_t mpi_before_ns = 0;
  };
  struct Thread {
    OpenRegions<Open> open;
    std::int64_t mpi_ns = 0;
    std::int64_t last_ns = 0;
  };
  void follow(const EventRow& row);
  void end(Thread& thread, const EventRow& row, std::uint32_t definition);
  void close(Thread& thread, const OpenRegions<Open>::Region& region, std::int64_t at_ns);

  const UserDefinitions* definitions_ = nullptr;
  std::vector<Region> regions_;  // [definition]; count: also of other events
  std::map<std::pair<std::int32_t, std::uint32_t>, Thread> threads_;
  std::pair<std::int32_t, std::uint32_t> last_thread_{-1, 0};
  Thread* last_ = nullptr;
  std::uint64_t ends_alone_ = 0;
  std::uint64_t left_open_ = 0;
  std::vector<std::string> ends_alone_names_;
  std::vector<std::string> left_open_names_;
};

}  // namespace meridian
