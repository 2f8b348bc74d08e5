// SPDX-License-Identifier: Apache-2.0
#include "merger/statistics/summarize.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "merger/model/findings.hpp"
#include "merger/model/recording_costs.hpp"
#include "merger/model/trace.hpp"
#include "merger/statistics/recorded_time.hpp"
#include "merger/statistics/summarize_sites.hpp"
#include "trace/definitions/nested_threads.hpp"
#include "trace/format/rank/rank_end.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/call_facts.hpp"
#include "trace/model/source_place.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

constexpr std::array<std::string_view, 5> kOverheadNames{"start", "finish", "clock exchange", "flush wait",
                                                         "thread attach"};

}  // namespace

RecordedCalls count_recorded(std::span<const FunctionSummary> functions) {
  RecordedCalls counts;
  for (const FunctionSummary& function : functions) {
    const auto [id, group, facts] = facts_of(function.name);
    (is_recorded_in_phases(facts) ? counts.polls : is_mpi(id) ? counts.calls : counts.others) += function.count;
  }
  return counts;
}

namespace {

/// Without the streams of calls that the program makes inside others.
std::uint64_t count_threads(const RankMeta& meta) {
  return meta.threads.size() - std::min(meta.threads.size(), nested_threads(meta).size());
}

RunSummary summarize_run(const Trace& trace, const Statistics& statistics, std::uint64_t trace_bytes) {
  RunSummary run;
  std::set<std::string> hosts;
  for (const RankFile* file : trace.files) {
    const RankMeta& meta = file->meta();
    hosts.insert(meta.hostname);
    if (run.executable.empty()) run.executable = meta.executable;
    run.all_threads += count_threads(meta);
    for (const TextRow& text : meta.texts)
      if (text.key == "mpi_library" && run.mpi_library.empty()) run.mpi_library = text.value;
  }
  run.hosts = hosts.size();
  run.ranks_expected = static_cast<std::int32_t>(trace.rank_index.size());
  run.ranks_present = static_cast<std::int32_t>(trace.files.size());
  run.begin_realtime_ns = trace.clocks.origin_realtime_ns + statistics.first_ns();
  run.trace_bytes = trace_bytes;
  statistics.fill(run);
  return run;
}

std::vector<WorldSummary> summarize_worlds(const Trace& trace) {
  std::vector<WorldSummary> worlds;
  if (trace.worlds.size() < 2) return worlds;
  for (const World& world : trace.worlds) {
    WorldSummary& row = worlds.emplace_back();
    row.world = static_cast<std::int32_t>(worlds.size());
    row.first_rank = world.first_rank;
    row.ranks_expected = world.size;
    row.parent = static_cast<std::int32_t>(world.parent + 1);
    row.directory = world.directory;
  }
  for (const RankFile* file : trace.files) {
    WorldSummary& row = worlds[file->meta().world];
    ++row.ranks_present;
    if (row.executable.empty()) row.executable = file->meta().executable;
  }
  return worlds;
}

std::vector<Statistics::Life> lives_of(const Trace& trace, std::size_t index, const Statistics& statistics) {
  const RankMeta& meta = trace.files[index]->meta();
  const ClockMap& clock = trace.clocks.maps[index];
  std::vector<Statistics::Life> lives;
  for (const ThreadRow& row : meta.threads) {
    const std::int64_t last_ns = statistics.last_ns(meta.rank);
    const std::int64_t end_ns = row.end_ticks != 0 ? clock.to_global(row.end_ticks) : last_ns;
    // The tracer sees the first thread from its first call on; that call began earlier.
    const bool is_first = row.creator < 0 && row.thread == 0;
    lives.push_back({row.thread, is_first ? statistics.first_ns(meta.rank) : clock.to_global(row.begin_ticks), end_ns});
  }
  return lives;
}

/// "MPI_Recv (halo.c:70)": the call in progress at the end of a rank, one of MPI if there are several.
std::string describe_open_call(const Trace& trace, std::span<const SourcePlace> places,
                               const Statistics::OpenCall& open) {
  const std::uint32_t site = trace.paths->paths()[open.path].site;
  if (site == kNoSite) return trace.calls[open.call].name;
  const Site& code = trace.sites->sites()[site];
  const std::string& module = trace.sites->modules()[code.module].path;
  const SourcePlace& place = places[site];
  const std::string text =
      place_text({place.function, place.file, place.line, module, module.empty() ? 0 : code.offset});
  return text.empty() ? trace.calls[open.call].name : trace.calls[open.call].name + " (" + text + ")";
}

void summarize_end(const Trace& trace, std::size_t index, const Statistics& statistics,
                   std::span<const SourcePlace> places, RankSummary& rank) {
  const RankMeta& meta = trace.files[index]->meta();
  if (meta.is_finalized) return;
  const RankEnd end = rank_end_of(meta);
  rank.end = describe_end(end.how);
  if (end.ticks != 0)
    rank.end_s =
        static_cast<double>(trace.clocks.maps[index].to_global(end.ticks) - statistics.first_ns()) * kSecondsPerNs;
  const auto open = statistics.open_calls(rank.rank);
  if (open.empty()) return;
  const auto is_abort = [](const auto& call) { return call.call == static_cast<std::uint32_t>(CallId::Abort); };
  const auto is_mpi = [](const auto& call) { return call.call <= kMpiCallCount; };
  auto shown = std::ranges::find_if(open, is_abort);
  if (shown != open.end()) rank.end = kAborted;
  if (shown == open.end()) shown = std::ranges::find_if(open, is_mpi);
  if (shown == open.end()) shown = open.begin();
  rank.end_call = describe_open_call(trace, places, *shown);
  rank.end_call_s = static_cast<double>(shown->duration_ns) * kSecondsPerNs;
}

std::vector<RankSummary> summarize_ranks(const Trace& trace, const Matched& matched, const Statistics& statistics,
                                         std::span<const SourcePlace> places) {
  const MessageTotals& messages = matched.messages;
  std::vector<RankSummary> ranks;
  for (std::size_t i = 0; i < trace.files.size(); ++i) {
    const RankMeta& meta = trace.files[i]->meta();
    RankSummary rank;
    rank.rank = meta.rank;
    rank.host = meta.hostname;
    rank.messages_sent = messages.ranks[i].messages_sent;
    rank.bytes_sent = messages.ranks[i].bytes_sent;
    rank.messages_received = messages.ranks[i].messages_received;
    rank.bytes_received = messages.ranks[i].bytes_received;
    rank.all_threads = count_threads(meta);
    statistics.fill(rank, lives_of(trace, i, statistics), matched.locks[i].joined_ns());
    fill_recorded_time(meta, trace.clocks.maps[i], statistics.first_ns(meta.rank), statistics.last_ns(meta.rank), rank);
    summarize_end(trace, i, statistics, places, rank);
    ranks.push_back(std::move(rank));
  }
  return ranks;
}

MessageSummary summarize_messages(const Matched& matched, const Statistics& statistics,
                                  std::span<const NamedCall> calls) {
  MessageSummary messages;
  messages.matched = matched.messages.matched;
  messages.bytes = matched.messages.bytes;
  messages.unmatched_sends = matched.messages.unmatched_sends;
  messages.unmatched_receives = matched.messages.unmatched_receives;
  messages.collectives = matched.collectives.instances;
  messages.collective_calls = matched.collectives.calls;
  for (const FunctionSummary& function : statistics.functions(calls))
    if (group_by_name(function.group) == CallGroup::coll) {
      messages.collective_bytes_sent += function.bytes_sent;
      messages.collective_bytes_received += function.bytes_received;
    }
  return messages;
}

/// The direct cost of recording: calls of each class times the mean of what the ranks measured.
std::vector<OverheadSummary> summarize_recording(const Trace& trace, const Statistics& statistics) {
  RecordingCosts mean;
  double measured = 0;
  bool has_counters = false;
  for (std::size_t i = 0; i < trace.files.size(); ++i) {
    const RecordingCosts costs = recording_costs(trace.files[i]->meta(), trace.clocks.maps[i]);
    if (!(costs.call.all_ns > 0)) continue;
    ++measured;
    has_counters = has_counters || costs.counted_call.all_ns > 0;
    mean.call.all_ns += costs.call.all_ns;
    mean.counted_call.all_ns += std::max(costs.counted_call.all_ns, costs.call.all_ns);
    mean.other.all_ns += costs.other.all_ns;
    mean.poll_ns += costs.poll_ns;
  }
  if (measured == 0) return {};
  const auto [calls, polls, others] = count_recorded(statistics.functions(trace.calls));
  std::vector<OverheadSummary> list;
  const auto add = [&](std::string_view name, std::uint64_t count, double ns) {
    const double unit_s = ns / measured * kSecondsPerNs;
    if (count > 0) list.push_back({std::string{name}, count, unit_s * static_cast<double>(count), 0, unit_s});
  };
  add(kRecordedCalls, calls, mean.call.all_ns);
  if (has_counters) add(kReadCounters, calls, mean.counted_call.all_ns - mean.call.all_ns);
  add(kRecordedPolls, polls, mean.poll_ns);
  add(kRecordedOthers, others, mean.other.all_ns);
  return list;
}

std::vector<OverheadSummary> summarize_overhead(const Trace& trace, const Statistics& statistics, double time_s) {
  std::array<OverheadSummary, kOverheadNames.size()> sums;
  for (std::size_t i = 0; i < trace.files.size(); ++i) {
    const ClockMap& clock = trace.clocks.maps[i];
    for (const OverheadRow& row : trace.files[i]->meta().overheads) {
      const auto kind = static_cast<std::size_t>(row.kind);
      if (kind >= sums.size()) continue;
      sums[kind].count += row.count;
      sums[kind].total_s +=
          static_cast<double>(clock.to_global(row.leave_ticks) - clock.to_global(row.enter_ticks)) * kSecondsPerNs;
    }
  }
  std::vector<OverheadSummary> list;
  const double whole_s = time_s * static_cast<double>(trace.files.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].count == 0 && sums[i].total_s == 0) continue;
    sums[i].name = kOverheadNames[i];
    if (sums[i].count != 0) sums[i].unit_s = sums[i].total_s / static_cast<double>(sums[i].count);
    list.push_back(sums[i]);
  }
  std::ranges::move(summarize_recording(trace, statistics), std::back_inserter(list));
  for (OverheadSummary& row : list) row.share = whole_s > 0 ? row.total_s / whole_s : 0;
  return list;
}

std::vector<PassedSummary> summarize_passed(const Trace& trace) {
  std::vector<PassedSummary> list;
  for (const RankFile* file : trace.files) {
    const RankMeta& meta = file->meta();
    for (const PassedRow& row : meta.passed) {
      const std::string_view group = kGroups[static_cast<std::size_t>(info(meta.calls[row.call]).group)].name;
      list.push_back({meta.rank, meta.call_names[row.call], std::string{group}, row.count});
    }
  }
  std::ranges::sort(list, [](const PassedSummary& a, const PassedSummary& b) {
    return std::tie(a.rank, b.count, a.name) < std::tie(b.rank, a.count, b.name);
  });
  return list;
}

std::vector<ThreadSummary> summarize_threads(const Trace& trace, const Statistics& statistics,
                                             std::span<const SourcePlace> places) {
  std::vector<ThreadSummary> list;
  for (std::size_t i = 0; i < trace.files.size(); ++i) {
    const RankMeta& meta = trace.files[i]->meta();
    if (meta.threads.size() < 2) continue;
    const ClockMap& clock = trace.clocks.maps[i];
    for (std::size_t number = 0; number < meta.threads.size(); ++number) {
      const ThreadRow& row = meta.threads[number];
      ThreadSummary thread;
      thread.rank = meta.rank;
      thread.thread = row.thread;
      for (const TextRow& text : meta.texts)
        if (text.key == "thread.name" && text.handle == row.thread) thread.name = text.value;
      thread.routine = row.routine;
      thread.routine_name = places[trace.routines[i][number]].function;
      thread.creator = row.creator;
      thread.kernel_tid = row.kernel_tid;
      // A thread may be older than the first event; it is observed from there on.
      const std::int64_t begin_ns = std::max(clock.to_global(row.begin_ticks), statistics.first_ns());
      const std::int64_t end_ns = row.end_ticks != 0 ? clock.to_global(row.end_ticks) : statistics.last_ns(meta.rank);
      thread.begin_s = static_cast<double>(begin_ns - statistics.first_ns()) * kSecondsPerNs;
      thread.life_s = static_cast<double>(std::max<std::int64_t>(end_ns - begin_ns, 0)) * kSecondsPerNs;
      statistics.fill(thread);
      list.push_back(std::move(thread));
    }
  }
  return list;
}

/// Adds the names of a rank's semaphores, without duplicates, in order of first use, then the symbols of locks.
void add_lock_names(const RankMeta& meta, std::span<const LockSite> sites, std::span<const SourcePlace> places,
                    std::vector<LockNameSummary>& list) {
  const std::size_t first = list.size();
  for (const TextRow& text : meta.texts) {
    if (text.key != kSemaphoreNameKey) continue;
    const auto begin = list.begin() + static_cast<std::ptrdiff_t>(first);
    const auto at = std::find_if(begin, list.end(), [&](const auto& row) { return row.object == text.handle; });
    if (at == list.end()) {
      list.push_back({meta.rank, text.handle, text.value});
    } else if ((", " + at->name + ", ").find(", " + text.value + ", ") == std::string::npos) {
      at->name += ", " + text.value;
    }
  }
  for (const LockSite& lock : sites) {
    const auto begin = list.begin() + static_cast<std::ptrdiff_t>(first);
    const bool is_named = std::any_of(begin, list.end(), [&](const auto& row) { return row.object == lock.object; });
    if (!is_named && !places[lock.site].function.empty())
      list.push_back({meta.rank, lock.object, places[lock.site].function});
  }
}

}  // namespace

Summary summarize(const Trace& trace, const Matched& matched, const Statistics& statistics, const UserStatistics& user,
                  std::span<const SourcePlace> places, const Findings& findings, std::uint64_t trace_bytes,
                  std::uint64_t reversed_after) {
  Summary summary;
  summary.run = summarize_run(trace, statistics, trace_bytes);
  summary.worlds = summarize_worlds(trace);
  summary.ranks = summarize_ranks(trace, matched, statistics, places);
  summary.functions = statistics.functions(trace.calls);
  summary.function_times = statistics.times(trace.calls);
  summary.sites = summarize_sites(trace, statistics, places);
  if (trace.has_stacks) summarize_paths(trace, statistics, places, summary);
  summary.messages = summarize_messages(matched, statistics, trace.calls);
  for (const auto& [ends, traffic] : matched.messages.pairs)
    summary.pairs.push_back({ends.first, ends.second, traffic.messages, traffic.bytes});
  summary.regions = user.regions();
  summary.user_events = user.events(matched.counters);
  summary.user_messages = matched.user_messages.matched;
  summary.user_message_bytes = matched.user_messages.bytes;
  summary.passed = summarize_passed(trace);
  summary.windows = matched.objects.windows();
  summary.window_locks = matched.window_locks;
  summary.files = matched.objects.files();
  summary.clocks = trace.clocks.table;
  summary.reversed_before = matched.reversed();
  summary.reversed_after = reversed_after;
  summary.overhead = summarize_overhead(trace, statistics, summary.run.time_s);
  for (std::size_t i = 0; i < trace.files.size(); ++i)
    for (LockSummary& row : matched.locks[i].rows(trace.files[i]->meta())) summary.locks.push_back(std::move(row));
  for (std::size_t i = 0; i < trace.files.size(); ++i)
    add_lock_names(trace.files[i]->meta(), i < trace.lock_sites.size() ? trace.lock_sites[i] : std::vector<LockSite>{},
                   places, summary.lock_names);
  summary.threads = summarize_threads(trace, statistics, places);
  summary.findings = findings.list();
  for (const Finding& finding : trace.clocks.findings) summary.findings.push_back(finding);
  std::ranges::stable_sort(summary.findings,
                           [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  return summary;
}

}  // namespace meridian
