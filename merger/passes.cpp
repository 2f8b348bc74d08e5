// SPDX-License-Identifier: Apache-2.0
#include "merger/passes.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "merged/model/merged_schema.hpp"
#include "merger/clocks/bounds/bound_widths.hpp"
#include "merger/clocks/fit/fit_clocks.hpp"
#include "merger/energy/merge_energy.hpp"
#include "merger/load/bound_memory.hpp"
#include "merger/load/describe_trace.hpp"
#include "merger/memory/merge_memory.hpp"
#include "merger/model/event_row.hpp"
#include "merger/order/order_events.hpp"
#include "merger/output/user_values.hpp"
#include "merger/samples/merge_processor.hpp"
#include "merger/samples/merge_samples.hpp"
#include "merger/sites/resolve_sites.hpp"
#include "merger/statistics/add_profiles.hpp"
#include "merger/statistics/count_events.hpp"
#include "merger/statistics/lock_findings.hpp"
#include "merger/statistics/summarize.hpp"
#include "merger/statistics/summarize_context.hpp"
#include "merger/statistics/summarize_sites.hpp"
#include "trace/definitions/nested_threads.hpp"
#include "trace/format/chunks/chunk_pool.hpp"
#include "trace/format/rank/rank_end.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

namespace fs = std::filesystem;

Result<Destination> Destination::open(const fs::path& output, const Trace& trace) {
  MERIDIAN_TRY(MergedFileWriter file, MergedFileWriter::create(output, trace));
  std::vector<std::int64_t> end_ns(trace.rank_index.size(), std::numeric_limits<std::int64_t>::min());
  for (std::size_t i = 0; i < trace.files.size(); ++i) {
    const RankMeta& meta = trace.files[i]->meta();
    const std::uint64_t end_ticks = rank_end_of(meta).ticks;
    if (end_ticks != 0) end_ns[static_cast<std::size_t>(meta.rank)] = trace.clocks.maps[i].to_global(end_ticks);
  }
  Statistics statistics{static_cast<std::int32_t>(trace.rank_index.size()), trace.calls.size(), trace.user.first_call};
  for (const RankFile* rank : trace.files)
    for (const auto& [thread, outer] : nested_threads(rank->meta())) statistics.set_nested(rank->meta().rank, thread);
  return Destination{std::move(file), std::move(statistics), UserStatistics{trace.user},
                     CommStatistics{trace.communicators.list.size(), trace.calls}, std::move(end_ns)};
}

Status Destination::append(std::span<const EventRow> rows) {
  const auto count = [this](const EventRow& row) {
    statistics.add(row);
    user.add(row);
    comms.add(row);
  };
  for (const EventRow& row : rows) {
    const bool is_open = (row.flags & kFlagUnfinished) != 0;
    if (!is_open || end_ns[static_cast<std::size_t>(row.rank)] <= row.enter_ns) [[likely]] {
      count(row);
      continue;
    }
    EventRow longer = row;
    longer.duration_ns = end_ns[static_cast<std::size_t>(row.rank)] - row.enter_ns;
    count(longer);
  }
  return file.append(rows);
}

Status Destination::append(const MatchedRows& rows) {
  file.add_paths(rows.sites);
  MERIDIAN_TRY_DO(append(rows.events));
  MERIDIAN_TRY_DO(file.append(rows.messages));
  MERIDIAN_TRY_DO(file.append(rows.parts));
  return file.append(rows.awaited);
}

namespace passes {
namespace {

/// Whether one thread may write the merged file while another one reads rank files.
bool may_write_aside(const Trace& trace) {
  const bool is_apart = std::ranges::none_of(trace.files, [](const RankFile* file) { return file->needs_hdf5(); });
  return ChunkPool::spare_processors() > 0 && (h5::has_thread_safety() || is_apart);
}

template <class Row>
void append(std::vector<Row>& to, std::span<const Row> rows) {
  to.insert(to.end(), rows.begin(), rows.end());
}

/// Rank files that another program has rewritten are open all at the same time.
void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

template <class Row>
Status copy(TempSpool<Row>& from, MergedFileWriter& to) {
  std::vector<Row> rows;
  for (std::uint64_t first = 0; first < from.size(); first += rows.size()) {
    rows.resize(static_cast<std::size_t>(std::min<std::uint64_t>(TempSpool<Row>::kRowsPerBlock, from.size() - first)));
    MERIDIAN_TRY_DO(from.read(first, rows));
    MERIDIAN_TRY_DO(to.append(std::span<const Row>{rows}));
  }
  return {};
}

/// The symbols of locks are resolved with the call sites.
void find_lock_sites(Trace& trace, std::span<const LockTable> locks) {
  constexpr std::size_t kMost = 256;  // of a rank, those with the longest waits
  trace.lock_sites.assign(trace.files.size(), {});
  for (std::size_t i = 0; i < locks.size(); ++i) {
    std::vector<LockSummary> rows = locks[i].rows(trace.files[i]->meta());
    rows.resize(std::min(rows.size(), kMost));
    for (const LockSummary& row : rows)
      if (const std::uint32_t site = trace.rank_sites[i].function(row.object); site != kNoSite)
        trace.lock_sites[i].push_back({row.object, site});
  }
}

void report_removed(const RemovedOverhead& removed, Findings& findings) {
  findings.add(FindingId::overhead_removed, removed.calls,
               std::to_string(static_cast<std::int64_t>(removed.removed_ns / 1000)) + " us of all ranks together");
  if (removed.chance != 0) findings.add(FindingId::overhead_chance, removed.chance);
  if (removed.kept_ranks != 0) findings.add(FindingId::overhead_kept, removed.kept_ranks);
  if (removed.unmeasured_ranks != 0) findings.add(FindingId::overhead_unmeasured, removed.unmeasured_ranks);
}

Result<ClockPass> fit(Merge& merge, bool is_doubtful) {
  return fit_trace_clocks(merge.trace, merge.options.clocks, is_doubtful, merge.output.parent_path(), merge.report);
}

}  // namespace

Result<bool> load_ranks(Merge& merge) {
  raise_file_limit();
  if (merge.options.processes != nullptr) merge.readers.emplace(*merge.options.processes, merge.output.parent_path());
  MERIDIAN_TRY(merge.ranks, meridian::load_ranks(merge.directories, merge.options.recover, merge.options.force,
                                                 merge.of_files, merge.readers ? &*merge.readers : nullptr));
  return true;
}

Result<bool> check_output(Merge& merge) {
  if (merge.options.claim) MERIDIAN_TRY_DO(merge.options.claim(merge.output));
  if (merge.options.force) return true;
  std::error_code problem;
  const fs::file_status status = fs::symlink_status(merge.output, problem);
  if (!fs::exists(status) || (fs::is_regular_file(status) && is_merged_file(merge.output))) return true;
  return Error{Errc::invalid_argument, "output '" + merge.output.string() + "' exists and is not a merged file",
               "choose another output, remove it, or overwrite it with --force"};
}

Result<bool> bound_memory(Merge& merge) {
  MERIDIAN_TRY_DO(meridian::bound_memory(merge.ranks.files, merge.output.parent_path()));
  return true;
}

Result<bool> unify_definitions(Merge& merge) {
  merge.destination.reset();  // it refers to the trace
  merge.findings = merge.of_files;
  merge.trace = describe_trace(merge.ranks, merge.findings);
  return true;
}

Result<bool> fit_clocks(Merge& merge) {
  MERIDIAN_TRY(merge.trace.clocks, meridian::fit_clocks(metas_of(merge.ranks.files), merge.options.clocks));
  return true;
}

Result<bool> refine_clocks(Merge& merge) {
  MERIDIAN_TRY(merge.clocks, fit(merge, false));
  return true;
}

Result<bool> match_in_one_go(Merge& merge) {
  Findings findings = merge.findings;    // an attempt that fails reports nothing
  if (merge.options.removes_overhead) {  // the times of events are not final yet; are the clocks right?
    MERIDIAN_TRY(const Matched matched, match(merge.trace, MatchUntil::reversed, {}, findings, merge.report));
    merge.is_in_order = matched.reversed() == 0;
    return false;
  }
  MERIDIAN_TRY(Destination destination, Destination::open(merge.output, merge.trace));
  BackgroundWriter writer{[&](const MatchedRows& rows) { return destination.append(rows); },
                          may_write_aside(merge.trace)};
  std::size_t known_paths = 0;
  const auto take = [&]<class Row>(std::vector<Row>& to, std::span<const Row> rows) {
    append(to, rows);
    return Status{};
  };
  const MatchSinks sinks{
      [&](std::span<const EventRow> rows) {
        append(writer.rows().events, rows);
        merge.trace.paths->take_sites(known_paths, writer.rows().sites);
        return writer.hand_over();
      },
      [&](std::span<const MatchedMessage> rows) { return take(writer.rows().messages, rows); },
      [&](std::span<const CollectivePart> rows) { return take(writer.rows().parts, rows); },
      [&](std::span<const AwaitedCall> rows) { return take(writer.rows().awaited, rows); },
  };
  MERIDIAN_TRY(Matched matched, match(merge.trace, MatchUntil::reversed, sinks, findings, merge.report));
  if (matched.reversed() != 0) return false;
  MERIDIAN_TRY_DO(writer.finish());
  merge.findings = std::move(findings);
  merge.matched = std::move(matched);
  merge.destination.emplace(std::move(destination));
  merge.reversed_after = 0;
  return true;
}

Result<bool> split_clocks(Merge& merge) {
  if (merge.is_in_order || merge.trace.clocks.domains > 1 || !bends(merge.options.clocks.model)) return false;
  MERIDIAN_TRY(merge.clocks, fit(merge, true));
  return merge.clocks.is_split;
}

Result<bool> match_messages(Merge& merge) {
  MERIDIAN_TRY(const std::shared_ptr<TempFile> scratch, TempFile::create(merge.output.parent_path()));
  Pairs& pairs = merge.pairs.emplace(Pairs{scratch, TempSpool<MatchedMessage>{scratch},
                                           TempSpool<CollectivePart>{scratch}, TempSpool<AwaitedCall>{scratch}});
  const auto append = [](auto& spool, auto rows) {
    for (const auto& row : rows) spool.append(row);
    return spool.seal();
  };
  const MatchSinks sinks{
      {},
      [&](std::span<const MatchedMessage> rows) { return append(pairs.messages, rows); },
      [&](std::span<const CollectivePart> rows) { return append(pairs.parts, rows); },
      [&](std::span<const AwaitedCall> rows) { return append(pairs.awaited, rows); },
  };
  MERIDIAN_TRY(merge.matched, match(merge.trace, MatchUntil::end, sinks, merge.findings, merge.report));
  return true;
}

Result<bool> repair_causality(Merge& merge) {
  Pairs& pairs = *merge.pairs;
  merge.times.clear();
  merge.reversed_after = merge.matched.reversed();
  auto repaired = meridian::repair_causality(merge.trace.files, merge.trace.clocks, pairs.messages, pairs.parts,
                                             pairs.scratch, merge.options.removes_overhead);
  if (!repaired && repaired.error().code == Errc::damaged) {
    merge.findings.add(FindingId::order_contradiction, 1, repaired.error().what);
    return true;
  }
  if (!repaired) return std::move(repaired).error();
  merge.times = std::move(repaired->streams);
  pairs.messages = std::move(repaired->messages);
  pairs.parts = std::move(repaired->collectives);
  merge.reversed_after = repaired->reversed_after;
  merge.trace.clocks.bounds.widen(repaired->moves_ns);
  set_bound_widths(merge.trace.clocks);
  if (merge.options.removes_overhead) report_removed(repaired->overhead, merge.findings);
  if (repaired->withdrawn != 0) merge.findings.add(FindingId::clock_order_withdrawn, repaired->withdrawn);
  return true;
}

Result<bool> order_events(Merge& merge) {
  MERIDIAN_TRY(Destination destination, Destination::open(merge.output, merge.trace));
  merge.destination.emplace(std::move(destination));
  std::size_t known_paths = 0;
  const auto store = [&](std::span<const EventRow> rows) {
    std::vector<std::uint32_t> sites;
    merge.trace.paths->take_sites(known_paths, sites);
    merge.destination->file.add_paths(sites);
    return merge.destination->append(rows);
  };
  MERIDIAN_TRY_DO(meridian::order_events(merge.trace, merge.times, store, merge.report));
  merge.times.clear();
  return true;
}

Result<bool> write_pairs(Merge& merge) {
  MERIDIAN_TRY_DO(copy(merge.pairs->messages, merge.destination->file));
  MERIDIAN_TRY_DO(copy(merge.pairs->parts, merge.destination->file));
  MERIDIAN_TRY_DO(copy(merge.pairs->awaited, merge.destination->file));
  merge.pairs.reset();
  return true;
}

Result<bool> find_damage(Merge& merge) {
  if (count_damaged_parts(merge.ranks.files) == merge.known_damage) return true;
  find_damaged_parts(merge.ranks.files);
  merge.known_damage = count_damaged_parts(merge.ranks.files);
  return false;
}

Result<bool> add_profiles(Merge& merge) {
  Destination& destination = *merge.destination;
  meridian::add_profiles(merge.trace, merge.matched, destination.statistics, destination.comms);
  return true;
}

Result<bool> resolve_sites(Merge& merge) {
  find_lock_sites(merge.trace, merge.matched.locks);
  merge.places = meridian::resolve_sites(*merge.trace.sites, merge.findings);
  return true;
}

Result<bool> write_definitions(Merge& merge) {
  MERIDIAN_TRY_DO(merge.destination->file.write_definitions(merge.trace, merge.places));
  MERIDIAN_TRY_DO(merge.destination->file.write_clocks(merge.clocks.report));
  return true;
}

Result<bool> merge_samples(Merge& merge) {
  MERIDIAN_TRY_DO(
      meridian::merge_samples(merge.trace, merge.ranks.places, merge.destination->file.id(), merge.findings));
  MERIDIAN_TRY_DO(
      meridian::merge_processor(merge.trace, merge.ranks.places, merge.destination->file.id(), merge.findings));
  MERIDIAN_TRY(merge.memory,
               merge_memory(merge.trace, merge.ranks.places, merge.destination->file.id(), merge.findings));
  MERIDIAN_TRY_DO(merge_energy(merge.trace, merge.ranks.places, merge.destination->file.id(), merge.findings));
  return true;
}

Result<bool> merge_user_values(Merge& merge) {
  MergedFileWriter& file = merge.destination->file;
  MERIDIAN_TRY_DO(for_each_user_value(merge.trace, [&](const EventRef& event, std::span<const std::uint64_t> words) {
    return file.append(event, words);
  }));
  MERIDIAN_TRY_DO(file.seal_user_values());
  return true;
}

Result<bool> count_events(Merge& merge) {
  MergedFileWriter& file = merge.destination->file;
  merge.counters = name_counters(merge.trace);
  if (!merge.counters.names.empty()) MERIDIAN_TRY_DO(file.write_counter_names(merge.counters));
  const auto store = [&](const CounterRows& rows) { return file.append(rows); };
  MERIDIAN_TRY_DO(meridian::count_events(merge.trace, merge.counters, store, merge.findings));
  return true;
}

Result<bool> summarize(Merge& merge) {
  Destination& destination = *merge.destination;
  destination.user.finish(merge.findings);
  report_lock_orders(merge.trace, merge.matched.lock_orders, merge.places, merge.findings);
  if (merge.trace.paths->is_full()) merge.findings.add(FindingId::site_too_many);
  if (const std::uint64_t lost = calls_with_lost_callers(merge.trace, destination.statistics); lost != 0)
    merge.findings.add(FindingId::stack_lost, lost);
  merge.summary = meridian::summarize(merge.trace, merge.matched, destination.statistics, destination.user,
                                      merge.places, merge.findings, merge.ranks.bytes, merge.reversed_after);
  summarize_counters(merge.trace, merge.counters, merge.summary);
  summarize_context(merge.trace, merge.summary);
  merge.summary.communicators =
      destination.comms.summaries(merge.trace.communicators.list, merge.trace.communicators.groups);
  merge.summary.communication_sizes = profiled_sizes(merge.trace);
  merge.summary.clock_models = merge.clocks.models;
  merge.summary.rank_memory = std::move(merge.memory);
  return true;
}

Result<bool> finish_output(Merge& merge) {
  MERIDIAN_TRY_DO(merge.destination->file.finish(merge.summary, merge.options.analyse));
  return true;
}

}  // namespace passes
}  // namespace meridian
