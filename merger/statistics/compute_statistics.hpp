#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "merger/containers/number_set.hpp"
#include "merger/event_row.hpp"
#include "trace/format/summary.hpp"

namespace meridian {

/// A call of the merged file: a row of /calls. Its number is its place in the list.
struct NamedCall {
  std::string name;   ///< "MPI_Send"; empty: a number that is not used
  std::string group;  ///< a name of call_groups.def; empty when unknown
};

/// Adds calls up, by function, by function and call path, and by rank. Sums are integers, so the order of the calls
/// does not matter to them.
class Statistics {
 public:
  /// world_size  largest rank that a row may have, plus 1.  calls  largest number of a call, plus 1.
  /// first_user  number of the first of the program's own events; they are the last numbers of all.
  Statistics(std::int32_t world_size, std::size_t calls, std::size_t first_user = ~std::size_t{0})
      : parts_(calls), ranks_(static_cast<std::size_t>(world_size)), first_user_{first_user} {}

  /// Rows of the program's own events only make the run as long as it was.
  void add(const EventRow& row);

  /// By total time, longest first; ties by name.
  std::vector<FunctionSummary> functions(std::span<const NamedCall> calls) const;
  /// Calls of one function from one place. Everything but where the place is, which `place` numbers.
  struct PlaceSums {
    std::uint32_t place = 0;
    SiteSummary summary;
  };
  static constexpr std::uint32_t kNowhere = 0xffffffff;
  /// By total time, longest first; ties by function and place. `place_of[path]` is the place that calls from a path are
  /// added to; kNowhere: to none.
  std::vector<PlaceSums> places(std::span<const NamedCall> calls, std::span<const std::uint32_t> place_of) const;
  /// Fills in calls, threads (those in MPI), time_s and mpi_s.
  void fill(RankSummary& rank) const;
  /// Fills in time_s, threads and calls.
  void fill(RunSummary& run) const;
  std::int64_t first_ns() const noexcept { return calls_ == 0 ? 0 : first_ns_; }
  /// Of one rank's calls.
  std::int64_t last_ns(std::int32_t rank) const noexcept {
    const RankSums& at = ranks_[static_cast<std::size_t>(rank)];
    return at.calls == 0 ? 0 : at.last_ns;
  }
  std::uint64_t calls() const noexcept { return calls_; }

 private:
  static constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t kEarliest = std::numeric_limits<std::int64_t>::min();
  static constexpr std::uint32_t kNone = 0xffffffff;
  /// The calls of one function from one path.
  struct Part {
    std::uint64_t count = 0;
    std::uint64_t timed = 0;  // those that returned: the others have no duration
    std::uint64_t total_ns = 0;
    std::uint64_t min_ns = ~std::uint64_t{0};
    std::uint64_t max_ns = 0;
    unsigned __int128 squares = 0;  // ns^2
    std::uint64_t bytes_sent = 0;
    std::uint64_t bytes_received = 0;
    std::uint32_t call = 0;
    std::uint32_t path = 0;
    std::uint32_t next = kNone;        // part of the same path
    std::vector<std::uint64_t> ranks;  // a bit each; only where there is a path

    void add(const Part& other) noexcept;
  };
  struct RankSums {
    std::uint64_t calls = 0;
    std::int64_t first_ns = kLatest;
    std::int64_t last_ns = kEarliest;
    std::uint64_t mpi_ns = 0;
    NumberSet in_mpi;  // threads
  };
  Part& part(std::uint32_t call, std::uint32_t path);
  Part& new_part(std::uint32_t call, std::uint32_t path);

  std::vector<Part> parts_;                   // first those without a path, by call
  std::vector<std::uint32_t> first_of_path_;  // [path]: a part
  std::vector<RankSums> ranks_;
  std::size_t first_user_;
  std::uint64_t calls_ = 0;
  std::int64_t first_ns_ = kLatest;
  std::int64_t last_ns_ = kEarliest;
};

}  // namespace meridian
