// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "merger/model/event_row.hpp"
#include "merger/model/named_call.hpp"
#include "merger/statistics/duration_histogram.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// Calls of one function by one thread from one path, of which only sums are known. All of them returned.
struct ProfiledCalls {
  std::int32_t rank = 0;
  std::uint32_t thread = 0;
  std::uint32_t call = 0;
  std::uint32_t path = 0;
  std::uint64_t count = 0;
  std::uint64_t total_ns = 0;
  std::uint64_t min_ns = 0;
  std::uint64_t max_ns = 0;
  unsigned __int128 squares = 0;  ///< ns^2
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
};

/// Adds up calls by function, by function and call path, and by rank. Sums are integers, so the order of the calls does
/// not affect them.
class Statistics {
 public:
  /// world_size  highest rank of any row, plus 1.  calls  highest number of a call, plus 1.
  /// first_user  number of the first user event; user events have the highest numbers.
  Statistics(std::int32_t world_size, std::size_t calls, std::size_t first_user = ~std::size_t{0})
      : parts_(calls), durations_(calls), ranks_(static_cast<std::size_t>(world_size)), first_user_{first_user} {}

  Statistics(Statistics&&) = default;
  Statistics& operator=(Statistics&&) = default;
  Statistics(const Statistics&) = delete;  // `recent` of a copy would point into the original
  Statistics& operator=(const Statistics&) = delete;

  /// Calls of this thread are made inside others, whose time includes theirs: they are counted, but not as time in MPI.
  void set_nested(std::int32_t rank, std::uint32_t thread) {
    ranks_[static_cast<std::size_t>(rank)].threads[thread].is_nested = true;
  }

  /// Adds a call. User events are counted, and extend the duration of the run.
  void add(const EventRow& row) { add(row, row.sent(), row.received()); }
  /// The same with other bytes: a row for several calls has no room for them.
  void add(const EventRow& row, std::uint64_t sent, std::uint64_t received);
  /// Adds calls of a profile, which say nothing about when the run began and ended, and not how their durations are spread.
  void add(const ProfiledCalls& calls);
  /// The rank was there until then, as far as it has events or calls of a profile.
  void extend(std::int32_t rank, std::int64_t until_ns);
  /// `count` calls of a profile that took about `ns` each.
  void add_times(std::uint32_t call, std::uint64_t ns, std::uint64_t count) { durations_[call].add(ns, count); }

  /// By total time, longest first; ties by name.
  std::vector<FunctionSummary> functions(std::span<const NamedCall> calls) const;
  /// In the order of functions().
  std::vector<FunctionTimesSummary> times(std::span<const NamedCall> calls) const;
  /// Calls of one function from one place; everything except the location, which the index `place` identifies.
  struct PlaceSums {
    std::uint32_t place = 0;
    SiteSummary summary;
  };
  static constexpr std::uint32_t kNowhere = 0xffffffff;
  /// By total time, longest first; ties by function and place. `place_of[path]` is the place to which calls from a path
  /// are added; kNowhere: to none.
  std::vector<PlaceSums> places(std::span<const NamedCall> calls, std::span<const std::uint32_t> place_of) const;
  /// The life of a thread in global time.
  struct Life {
    std::uint32_t thread = 0;
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
  };
  /// Fills in the counts, threads (those in MPI), the times, and the bytes of collectives and accesses.
  ///
  /// lives      of the threads of the rank.
  /// joined_ns  (waiting thread, thread) -> time for which the first waited for the end of the second.
  void fill(RankSummary& rank, std::span<const Life> lives,
            const std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t>& joined_ns) const;
  /// Fills in time_s, threads and the counts.
  void fill(RunSummary& run) const;
  /// Fills in the counts.
  void fill(ThreadSummary& thread) const;
  /// A call that had not returned.
  struct OpenCall {
    std::uint32_t thread = 0;
    std::uint32_t call = 0;
    std::uint32_t path = 0;
    std::int64_t duration_ns = 0;  ///< until the end of the rank; 0: that was not seen
  };
  /// In order of their beginnings.
  std::span<const OpenCall> open_calls(std::int32_t rank) const noexcept {
    return ranks_[static_cast<std::size_t>(rank)].open_calls;
  }
  std::int64_t first_ns() const noexcept { return has_events_ ? first_ns_ : 0; }
  /// First event of the rank.
  std::int64_t first_ns(std::int32_t rank) const noexcept {
    const RankSums& at = ranks_[static_cast<std::size_t>(rank)];
    return at.threads.empty() ? first_ns() : at.first_ns;
  }
  /// Last event of the rank.
  std::int64_t last_ns(std::int32_t rank) const noexcept {
    const RankSums& at = ranks_[static_cast<std::size_t>(rank)];
    return at.threads.empty() ? 0 : at.last_ns;
  }

 private:
  static constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t kEarliest = std::numeric_limits<std::int64_t>::min();
  static constexpr std::uint32_t kNone = 0xffffffff;
  /// The calls of one function from one path.
  struct Part {
    std::uint64_t count = 0;
    std::uint64_t timed = 0;  // calls that returned: others have no duration
    std::uint64_t total_ns = 0;
    std::uint64_t min_ns = ~std::uint64_t{0};
    std::uint64_t max_ns = 0;
    unsigned __int128 squares = 0;  // ns^2
    std::uint64_t bytes_sent = 0;
    std::uint64_t bytes_received = 0;
    std::uint32_t call = 0;
    std::uint32_t path = 0;
    std::uint32_t next = kNone;        // next part of the same path
    std::vector<std::uint64_t> ranks;  // one bit each; only for parts with a path

    void add(const Part& other) noexcept;
  };
  struct Counts {
    std::uint64_t mpi_calls = 0;
    std::uint64_t thread_calls = 0;
    std::uint64_t user_events = 0;
    bool is_nested = false;
    std::uint64_t waits_ns = 0;  // in calls about threads and locks
    std::uint64_t sleep_ns = 0;
  };
  struct RankSums {
    std::int64_t first_ns = kLatest;
    std::int64_t last_ns = kEarliest;
    std::uint64_t mpi_ns = 0;
    std::uint64_t ends_ns = 0;           // in MPI_Init and MPI_Finalize
    std::uint64_t other_bytes_sent = 0;  // of collectives and one-sided accesses
    std::uint64_t other_bytes_received = 0;
    std::vector<OpenCall> open_calls;
    std::map<std::uint32_t, Counts> threads;
    Counts* recent = nullptr;  // of `recent_thread`, in `threads`
    std::uint32_t recent_thread = 0;
  };
  Counts& count(RankSums& rank, std::uint32_t thread);
  /// Adds `calls` that took `ns` together to the sums of their rank and thread.
  static void add_to_rank(RankSums& rank, Counts& counts, std::uint32_t call, std::uint64_t calls, std::uint64_t ns,
                          std::uint64_t sent, std::uint64_t received);
  static Counts sum(const RankSums& rank) noexcept;
  static std::uint64_t threads_in_mpi(const RankSums& rank) noexcept;
  /// Fills in the event counts of a run, a rank or a thread.
  template <class Row>
  static void fill_counts(const Counts& counts, Row& row) noexcept;
  Part& part(std::uint32_t call, std::uint32_t path);
  Part& new_part(std::uint32_t call, std::uint32_t path);

  std::vector<Part> parts_;                   // parts without a path come first, by call
  std::vector<DurationHistogram> durations_;  // [call]
  std::vector<std::uint32_t> first_of_path_;  // [path]: a part
  std::vector<RankSums> ranks_;
  std::size_t first_user_;
  bool has_events_ = false;
  std::int64_t first_ns_ = kLatest;
  std::int64_t last_ns_ = kEarliest;
};

}  // namespace meridian
