// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "edit/stored_trace.hpp"
#include "merger/model/trace.hpp"
#include "merger/sites/debug_info.hpp"
#include "merger/statistics/comm_statistics.hpp"
#include "merger/statistics/compute_statistics.hpp"
#include "merger/statistics/count_events.hpp"
#include "merger/statistics/user_statistics.hpp"
#include "summary/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Computes the summary of the events that remain. Facts about the run that only rank files have (hosts, clocks, usage,
/// findings ...) are those of the original; tables that only rank files can give (windows, files, locks) remain if all
/// their calls do.
class RemainingSummary {
 public:
  /// errors  damaged: the definitions contradict each other
  static Result<RemainingSummary> make(const StoredTrace& trace, Summary original);

  /// The trace with its definitions, but without rank files.
  const Trace& trace() const noexcept { return *trace_; }
  const Summary& original() const noexcept { return original_; }

  /// In the order of each thread.
  void keep(const EditedEvent& event);
  void drop(const EditedEvent& event);
  void drop_message(const MessageLinks::Message& message, std::int32_t source, std::int32_t dest);
  void drop_collective(std::uint64_t parts);
  /// A thread waited for the end of another one of its rank.
  void join(std::int32_t rank, std::uint32_t waiter, std::uint32_t joined, std::int64_t ns) {
    joined_ns_[rank][{waiter, joined}] += ns;
  }

  /// The value of an event that remains, in the order of time.
  void keep_value(std::uint32_t call, std::uint64_t word, std::int64_t at_ns);

  /// The original's definitions with the present numbers of events.
  MergedDefinitions definitions() const;
  /// Without the analyses. After all events, messages and collectives.
  Summary finish(const CounterTotals& counters);

 private:
  struct PerRank {
    std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();   // of the original
    std::int64_t latest_ns = std::numeric_limits<std::int64_t>::min();  // of the original, without open calls
    std::uint64_t dropped_locks = 0;
    std::uint64_t messages_sent = 0, bytes_sent = 0, messages_received = 0, bytes_received = 0;  // dropped
  };

  RemainingSummary(const StoredTrace& stored, Summary original, std::unique_ptr<Trace> trace);
  Status fill_sites();
  void fill_user_definitions();
  void note(const EditedEvent& event);
  void add(const EditedEvent& event, std::int64_t duration_ns);
  std::int64_t end_of(std::int32_t rank) const;
  std::vector<Statistics::Life> lives_of(std::int32_t rank) const;

  void finish_run(Summary& summary) const;
  void finish_ranks(Summary& summary) const;
  bool has_whole_time(const Summary& summary) const;
  void finish_usage(Summary& summary) const;
  void finish_threads(Summary& summary) const;
  void finish_messages(Summary& summary) const;
  void finish_user(Summary& summary) const;
  void finish_overhead(Summary& summary) const;
  void drop_tables(Summary& summary) const;

  const StoredTrace* stored_;
  Summary original_;
  std::unique_ptr<Trace> trace_;
  std::vector<SourcePlace> places_;
  bool has_paths_ = false;
  Statistics statistics_;
  UserStatistics user_;
  std::vector<ValueTotals> counters_;  // [user definition]; empty: the file has no values
  CommStatistics comms_;
  std::vector<EditedEvent> open_;  // unfinished calls: their time is known in the end
  std::map<std::int32_t, PerRank> ranks_;
  std::vector<std::uint64_t> dropped_of_location_;  // rows
  std::vector<std::uint64_t> events_of_call_, dropped_of_call_;
  std::vector<bool> is_region_;  // [call]
  std::map<std::int32_t, std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t>> joined_ns_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::pair<std::uint64_t, std::uint64_t>> dropped_pairs_;
  std::uint64_t dropped_messages_ = 0, dropped_bytes_ = 0;            // without user layers
  std::uint64_t dropped_user_messages_ = 0, dropped_user_bytes_ = 0;  // of user layers
  std::uint64_t dropped_instances_ = 0, dropped_parts_ = 0;
  std::int64_t first_ns_ = std::numeric_limits<std::int64_t>::max();  // of the original
  std::int64_t latest_ns_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace meridian
