// SPDX-License-Identifier: Apache-2.0
// The tables of the summary, from the sums of the events that remain.

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include "edit/remaining_summary.hpp"
#include "merger/statistics/summarize.hpp"
#include "merger/statistics/summarize_sites.hpp"
#include "trace/model/units.hpp"
#include "trace/model/user_fields.hpp"

namespace meridian {
namespace {

std::int64_t ns_of(double seconds) { return std::llround(seconds * kNsPerSecond); }

std::uint64_t less(std::uint64_t from, std::uint64_t count) { return from - std::min(from, count); }

}  // namespace

/// When the end of a rank was seen; the smallest number: unknown. An open call lasted until then, so that the rank's time
/// includes it.
std::int64_t RemainingSummary::end_of(std::int32_t number) const {
  constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::min();
  const auto row = std::ranges::find(original_.ranks, number, &RankSummary::rank);
  const auto at = ranks_.find(number);
  if (row == original_.ranks.end() || at == ranks_.end()) return kUnknown;
  if (row->end_s >= 0) return first_ns_ + ns_of(row->end_s);
  const std::int64_t last_ns = at->second.first_ns + ns_of(row->time_s);
  return last_ns > at->second.latest_ns ? last_ns : kUnknown;
}

MergedDefinitions RemainingSummary::definitions() const {
  MergedDefinitions all = stored_->definitions();
  for (std::size_t i = 0; i < all.locations.size(); ++i)
    all.locations[i].events = less(all.locations[i].events, dropped_of_location_[i]);
  return all;
}

/// In a file of an earlier version, which has no definitions, all user events are markers.
void RemainingSummary::fill_user_definitions() {
  for (UserDefinition& definition : trace_->user.list) {
    if (events_of_call_[definition.call] == 0 || is_region_[definition.call]) continue;
    definition.kind = UserKind::marker;
    const MergedUserEvent* const named = stored_->definitions().find_user(definition.call);
    if (named == nullptr) continue;
    const auto* const kind = std::ranges::find(kUserKindNames, named->kind);
    if (kind != std::end(kUserKindNames)) definition.kind = static_cast<UserKind>(kind - std::begin(kUserKindNames));
    definition.level = named->level;
    definition.name = named->name;
  }
}

void RemainingSummary::finish_run(Summary& summary) const {
  statistics_.fill(summary.run);
  summary.run.begin_realtime_ns = stored_->definitions().time_origin_realtime_ns + statistics_.first_ns();
}

std::vector<Statistics::Life> RemainingSummary::lives_of(std::int32_t rank) const {
  const std::int64_t first_ns = statistics_.first_ns(rank), last_ns = statistics_.last_ns(rank);
  std::vector<Statistics::Life> lives;
  for (const ThreadSummary& row : original_.threads) {
    if (row.rank != rank) continue;
    const std::int64_t begin_ns = first_ns_ + ns_of(row.begin_s);
    const bool is_first = row.creator < 0 && row.thread == 0;
    lives.push_back({row.thread, is_first ? first_ns : begin_ns, begin_ns + ns_of(row.life_s)});
  }
  if (lives.empty())
    for (const MergedLocation& location : stored_->definitions().locations)
      if (location.rank == rank) lives.push_back({location.thread, first_ns, last_ns});
  return lives;
}

void RemainingSummary::finish_ranks(Summary& summary) const {
  static const std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> kNone;
  const double shift_s = seconds(first_ns_ - statistics_.first_ns());
  for (RankSummary& rank : summary.ranks) {
    rank.waits_s = rank.sleep_s = 0;
    const auto joined = joined_ns_.find(rank.rank);
    statistics_.fill(rank, lives_of(rank.rank), joined == joined_ns_.end() ? kNone : joined->second);
    if (rank.end_s >= 0 && shift_s != 0) rank.end_s = std::max(0.0, rank.end_s + shift_s);
    const auto at = ranks_.find(rank.rank);
    if (at == ranks_.end()) continue;
    rank.messages_sent = less(rank.messages_sent, at->second.messages_sent);
    rank.bytes_sent = less(rank.bytes_sent, at->second.bytes_sent);
    rank.messages_received = less(rank.messages_received, at->second.messages_received);
    rank.bytes_received = less(rank.bytes_received, at->second.bytes_received);
  }
}

bool RemainingSummary::has_whole_time(const Summary& summary) const {
  return statistics_.first_ns() == first_ns_ && ns_of(original_.run.time_s) == ns_of(summary.run.time_s);
}

/// The system counts for the whole run how long a process was ready to run. Of a part of the run that is unknown.
void RemainingSummary::finish_usage(Summary& summary) const {
  if (has_whole_time(summary)) return;
  for (UsageSummary& usage : summary.usage)
    if (usage.thread == -1) usage.ready_s = 0;
}

/// Threads are observed from the first to the last event that remains.
void RemainingSummary::finish_threads(Summary& summary) const {
  const std::int64_t first_ns = statistics_.first_ns();
  const std::int64_t last_ns = first_ns + ns_of(summary.run.time_s);
  const bool is_whole = has_whole_time(summary);
  for (ThreadSummary& thread : summary.threads) {
    thread.calls = thread.thread_calls = thread.user_events = 0;
    statistics_.fill(thread);
    if (is_whole) continue;
    const std::int64_t begin_ns = first_ns_ + ns_of(thread.begin_s), end_ns = begin_ns + ns_of(thread.life_s);
    const std::int64_t from_ns = std::clamp(begin_ns, first_ns, std::max(first_ns, last_ns));
    thread.begin_s = seconds(from_ns - first_ns);
    thread.life_s = seconds(std::max<std::int64_t>(std::min(end_ns, last_ns) - from_ns, 0));
  }
}

void RemainingSummary::finish_messages(Summary& summary) const {
  summary.messages.matched = less(summary.messages.matched, dropped_messages_);
  summary.messages.bytes = less(summary.messages.bytes, dropped_bytes_);
  summary.messages.collectives = less(summary.messages.collectives, dropped_instances_);
  summary.messages.collective_calls = less(summary.messages.collective_calls, dropped_parts_);
  summary.messages.collective_bytes_sent = summary.messages.collective_bytes_received = 0;
  for (const FunctionSummary& function : summary.functions) {
    if (function.group != "coll") continue;
    summary.messages.collective_bytes_sent += function.bytes_sent;
    summary.messages.collective_bytes_received += function.bytes_received;
  }
  for (PairSummary& pair : summary.pairs) {
    const auto dropped = dropped_pairs_.find({pair.source, pair.dest});
    if (dropped == dropped_pairs_.end()) continue;
    pair.messages = less(pair.messages, dropped->second.first);
    pair.bytes = less(pair.bytes, dropped->second.second);
  }
  std::erase_if(summary.pairs, [](const PairSummary& pair) { return pair.messages == 0; });
  summary.user_messages = less(summary.user_messages, dropped_user_messages_);
  summary.user_message_bytes = less(summary.user_message_bytes, dropped_user_bytes_);
}

void RemainingSummary::finish_user(Summary& summary) const {
  summary.regions = user_.regions();
  summary.user_events = user_.events(counters_);
  if (!counters_.empty()) return;
  // A file of an earlier version has no values: the totals of the original are kept where all its events remain.
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  for (UserEventSummary& event : summary.user_events) {
    if (event.kind != "counter") continue;
    const auto before = std::ranges::find_if(original_.user_events, [&](const UserEventSummary& row) {
      return row.kind == event.kind && row.level == event.level && row.name == event.name && row.count == event.count;
    });
    const bool is_whole = before != original_.user_events.end();
    event.min = is_whole ? before->min : kUnknown;
    event.mean = is_whole ? before->mean : kUnknown;
    event.max = is_whole ? before->max : kUnknown;
    event.last = is_whole ? before->last : kUnknown;
  }
}

void RemainingSummary::finish_overhead(Summary& summary) const {
  const RecordedCalls recorded = count_recorded(summary.functions);
  const double whole_s = summary.run.time_s * static_cast<double>(summary.ranks.size());
  const auto count_of = [&](std::string_view name) {
    return name == kRecordedPolls ? recorded.polls : name == kRecordedOthers ? recorded.others : recorded.calls;
  };
  for (OverheadSummary& row : summary.overhead) {
    for (const std::string_view name : {kRecordedCalls, kReadCounters, kRecordedPolls, kRecordedOthers}) {
      if (row.name != name) continue;
      row.count = count_of(name);
      row.total_s = row.unit_s * static_cast<double>(row.count);
    }
    row.share = whole_s > 0 ? row.total_s / whole_s : 0;
  }
  std::erase_if(summary.overhead, [](const OverheadSummary& row) { return row.count == 0 && row.total_s == 0; });
}

void RemainingSummary::drop_tables(Summary& summary) const {
  std::set<std::string_view> incomplete;
  for (std::size_t call = 0; call < dropped_of_call_.size(); ++call)
    if (dropped_of_call_[call] != 0) incomplete.insert(trace_->calls[call].group);
  const bool has_requests = incomplete.contains("request");  // waits for windows and files
  if (incomplete.contains("rma") || has_requests) {
    summary.windows.clear();
    summary.window_locks.clear();
  }
  if (incomplete.contains("io") || incomplete.contains("files") || has_requests) summary.files.clear();
  const auto is_incomplete = [&](const LockSummary& row) {
    const auto at = ranks_.find(row.rank);
    return at != ranks_.end() && at->second.dropped_locks != 0;
  };
  std::erase_if(summary.locks, is_incomplete);
}

Summary RemainingSummary::finish(const CounterTotals& counters) {
  for (const EditedEvent& event : open_) {
    const std::int32_t rank = stored_->definitions().locations[event.location].rank;
    const std::int64_t end_ns = end_of(rank);
    add(event, end_ns > event.enter_ns ? end_ns - event.enter_ns : event.duration_ns);
  }
  fill_user_definitions();
  Findings of_regions;  // the original has its own
  user_.finish(of_regions);
  Summary summary = original_;
  finish_run(summary);
  finish_ranks(summary);
  finish_threads(summary);
  finish_usage(summary);
  summary.functions = statistics_.functions(trace_->calls);
  summary.function_times = statistics_.times(trace_->calls);
  summary.sites = summarize_sites(*trace_, statistics_, places_);
  summary.paths.clear();
  summary.path_frames.clear();
  if (has_paths_) summarize_paths(*trace_, statistics_, places_, summary);
  finish_messages(summary);
  finish_user(summary);
  finish_overhead(summary);
  summary.communicators = comms_.summaries(trace_->communicators.list, trace_->communicators.groups);
  drop_tables(summary);
  summary.counters.clear();
  summary.function_counters.clear();
  summary.metrics.clear();
  summary.region_counters.clear();
  summary.region_metrics.clear();
  summarize_counters(*trace_, counters, summary);
#define MERIDIAN_TABLE(name, Row, heading, text) summary.name.clear();
  MERIDIAN_ANALYSIS_TABLES(MERIDIAN_TABLE)
#undef MERIDIAN_TABLE
  return summary;
}

}  // namespace meridian
