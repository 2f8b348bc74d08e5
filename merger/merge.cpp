#include "merger/merge.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "merger/clocks/clock_pass.hpp"
#include "merger/containers/temp_spool.hpp"
#include "merger/match/match.hpp"
#include "merger/order_events.hpp"
#include "merger/output/merged_file.hpp"
#include "merger/repair/repair_causality.hpp"
#include "merger/sites/resolve_sites.hpp"
#include "merger/statistics/comm_statistics.hpp"
#include "merger/statistics/count_events.hpp"
#include "merger/statistics/summarize.hpp"
#include "merger/statistics/summarize_context.hpp"
#include "merger/statistics/summarize_sites.hpp"
#include "trace/format/h5.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

// Where each pass ends when events have to be moved, as shares of the work.
constexpr double kMatched = 0.6, kRepaired = 0.7, kOrdered = 0.85;

/// Every rank file is open at once.
void allow_many_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

/// The output is replaced only if it is what merge() makes.
Status may_replace(const fs::path& output) {
  std::error_code problem;
  const fs::file_status status = fs::symlink_status(output, problem);
  if (!fs::exists(status)) return {};
  const h5::Quiet quiet;
  if (fs::is_regular_file(status)) {
    const auto file = h5::open_read_only(output);
    if (file) {
      const auto schema = h5::read_string_attribute(file->get(), "schema");
      if (schema && *schema == kMergedSchema) return {};
    }
  }
  return Error{Errc::invalid_argument, "output '" + output.string() + "' exists and is no merged file",
               "choose another output, remove it, or overwrite it with --force"};
}

/// The rows of /calls: those that this build knows, then the names of those that it does not. Which of several unknown
/// calls it was is not kept in a batch: those of a rank that has several are row 0.
void name_calls(Trace& trace) {
  std::vector<std::string> unknown_of;  // [files]: empty unless there is one such call
  std::set<std::string> unknown;
  for (const RankFile* file : trace.files) {
    const RankMeta& meta = file->meta();
    std::set<std::string> names;
    for (std::size_t i = 0; i < meta.calls.size() && i < meta.call_names.size(); ++i)
      if (meta.calls[i] == CallId::none && !meta.call_names[i].empty()) names.insert(meta.call_names[i]);
    unknown_of.push_back(names.size() == 1 ? *names.begin() : "");
    if (names.size() == 1) unknown.insert(*names.begin());
  }
  for (const CallInfo& call : kCalls)
    trace.calls.push_back({std::string{call.name}, std::string{kGroups[static_cast<std::size_t>(call.group)].name}});
  trace.calls.front().name = "(unknown call)";
  for (const std::string& name : unknown) trace.calls.push_back({name, ""});
  for (const std::string& name : unknown_of) {
    const auto place = std::distance(unknown.begin(), unknown.find(name));
    trace.unknown_call.push_back(
        static_cast<std::uint16_t>(name.empty() ? 0 : kCallCount + static_cast<std::size_t>(place)));
  }
}

/// Parts of rank files that turned out to be unreadable.
std::size_t flaws_of(const std::vector<RankFile>& files) {
  std::size_t flaws = 0;
  for (const RankFile& file : files) flaws += file.flaws();
  return flaws;
}

/// Finds all of them.
void find_flaws(std::vector<RankFile>& files) {
  EventBatch batch;
  for (RankFile& file : files)
    for (std::size_t i = 0; i < file.meta().segments.size(); ++i) static_cast<void>(bool{file.read(i, batch)});
}

Result<Trace> describe(LoadedRanks& ranks, const ClockOptions& clocks, Findings& findings) {
  Trace trace;
  trace.sites = std::make_unique<SiteTable>();
  trace.paths = std::make_unique<PathTable>();
  std::vector<const RankMeta*> metas;
  trace.rank_index.assign(static_cast<std::size_t>(ranks.ranks), MessageMatcher::kMissing);
  for (RankFile& file : ranks.files) {
    trace.rank_index[static_cast<std::size_t>(file.meta().rank)] = static_cast<std::uint32_t>(trace.files.size());
    trace.files.push_back(&file);
    metas.push_back(&file.meta());
    trace.rank_sites.emplace_back(file.meta(), *trace.sites, *trace.paths);
    std::vector<std::uint32_t>& routines = trace.routines.emplace_back();
    for (const ThreadRow& thread : file.meta().threads)
      routines.push_back(trace.rank_sites.back().function(thread.routine));
    for (const SegmentRow& segment : file.meta().segments) {
      trace.events += segment.events;
      trace.has_sites |= segment.sites != 0;
      trace.has_stacks |= segment.nodes != 0;
    }
  }
  trace.gaps = find_gaps(metas);
  if (trace.gaps.has_gaps) findings.expect_gaps();
  if (trace.gaps.has_selection) findings.expect_unknown_requests();
  name_calls(trace);
  trace.communicators = unify_definitions(metas, ranks.worlds, findings);
  trace.worlds = ranks.worlds;
  trace.objects = unify_objects(metas, trace.communicators);
  trace.user = unify_user_definitions(metas, trace.calls, trace.communicators);
  MERIDIAN_TRY(trace.clocks, fit_clocks(metas, clocks));
  return trace;
}

/// Tells the user how far a pass is.
class PassProgress {
 public:
  PassProgress(const MergeProgress& progress, std::uint64_t events) : progress_{progress}, events_{events} {}
  void begin(double from, double to, std::string_view pass) {
    from_ = from;
    to_ = to;
    pass_ = pass;
    report(0);
  }
  void report(std::uint64_t done) const {
    if (!progress_) return;
    const double share = events_ == 0 ? 1 : std::min(1.0, static_cast<double>(done) / static_cast<double>(events_));
    progress_(from_ + (to_ - from_) * share, pass_);
  }

 private:
  const MergeProgress& progress_;
  std::uint64_t events_;
  double from_ = 0, to_ = 0;
  std::string_view pass_;
};

struct Destination {
  MergedFileWriter file;
  Statistics statistics;
  UserStatistics user;
  CommStatistics comms;

  Status take(std::span<const EventRow> rows) {
    for (const EventRow& row : rows) {
      statistics.add(row);
      user.add(row);
      comms.add(row);
    }
    return file.append(rows);
  }
};

Result<Destination> open_destination(const fs::path& output, const Trace& trace) {
  MERIDIAN_TRY(MergedFileWriter file, MergedFileWriter::create(output, trace));
  return Destination{
      std::move(file),
      Statistics{static_cast<std::int32_t>(trace.rank_index.size()), trace.calls.size(), trace.user.first_call},
      UserStatistics{trace.user}, CommStatistics{trace.communicators.list.size(), trace.calls}};
}

struct Ordered {
  Destination destination;  // holds all events, messages and collectives
  Matched matched;
  std::uint64_t reversed_after = 0;
};

/// Everything in one go, which does when the clocks leave nothing reversed.
Result<Ordered> try_in_one_go(Trace& trace, const fs::path& output, Findings& findings, PassProgress& progress) {
  progress.begin(0, 1, "matching and ordering");
  MERIDIAN_TRY(Destination destination, open_destination(output, trace));
  const MatchSinks sinks{
      [&](std::span<const EventRow> rows) { return destination.take(rows); },
      [&](std::span<const MatchedMessage> rows) { return destination.file.append(rows); },
      [&](std::span<const CollectivePart> rows) { return destination.file.append(rows); },
  };
  MERIDIAN_TRY(Matched matched, match(trace, MatchUntil::reversed, sinks, findings,
                                      [&](std::uint64_t calls) { progress.report(calls); }));
  return Ordered{std::move(destination), std::move(matched), 0};
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

/// Matches first, moves events until nothing is reversed, and then orders them. A trace that contradicts itself stays
/// as it is, with a finding.
Result<Ordered> repair_and_order(Trace& trace, const fs::path& output, Findings& findings, PassProgress& progress) {
  MERIDIAN_TRY(const std::shared_ptr<TempFile> scratch, TempFile::create(output.parent_path()));
  TempSpool<MatchedMessage> messages{scratch};
  TempSpool<CollectivePart> parts{scratch};
  const auto append = [](auto& spool, auto rows) {
    for (const auto& row : rows) spool.append(row);
    return spool.seal();
  };
  progress.begin(0, kMatched, "matching");
  MERIDIAN_TRY(Matched matched, match(trace, MatchUntil::end,
                                      {{},
                                       [&](std::span<const MatchedMessage> rows) { return append(messages, rows); },
                                       [&](std::span<const CollectivePart> rows) { return append(parts, rows); }},
                                      findings, [&](std::uint64_t calls) { progress.report(calls); }));

  progress.begin(kMatched, kRepaired, "repairing causality");
  std::vector<StreamTimes> times;
  std::uint64_t reversed_after = matched.reversed();
  auto repaired = repair_causality(trace.files, trace.clocks, messages, parts, scratch);
  if (repaired) {
    times = std::move(repaired->streams);
    messages = std::move(repaired->messages);
    parts = std::move(repaired->collectives);
    reversed_after = repaired->reversed_after;
    trace.clocks.bounds.largest_move_ns = repaired->largest_move_ns;
    if (repaired->withdrawn != 0) findings.add(FindingId::clock_order_withdrawn, repaired->withdrawn);
  } else if (repaired.error().code == Errc::damaged) {
    findings.add(FindingId::order_contradiction, 1, repaired.error().what);
  } else {
    return std::move(repaired).error();
  }

  progress.begin(kRepaired, kOrdered, "ordering events");
  MERIDIAN_TRY(Destination destination, open_destination(output, trace));
  MERIDIAN_TRY_DO(order_events(
      trace, times, [&](std::span<const EventRow> rows) { return destination.take(rows); },
      [&](std::uint64_t calls) { progress.report(calls); }));
  progress.begin(kOrdered, 1, "writing messages");
  MERIDIAN_TRY_DO(copy(messages, destination.file));
  MERIDIAN_TRY_DO(copy(parts, destination.file));
  return Ordered{std::move(destination), std::move(matched), reversed_after};
}

/// In one go if nothing turns out to be reversed; else nothing.
Result<std::optional<Ordered>> order_if_right(Trace& trace, const fs::path& output, Findings& findings,
                                              PassProgress& progress) {
  Findings first = findings;
  MERIDIAN_TRY(Ordered ordered, try_in_one_go(trace, output, first, progress));
  if (ordered.matched.reversed() != 0) return std::optional<Ordered>{};  // its file goes, for the next of its name
  findings = std::move(first);
  return std::optional{std::move(ordered)};
}

Result<Ordered> match_and_order(Trace& trace, const fs::path& output, const ClockOptions& options, Findings& findings,
                                PassProgress& progress, ClockPass& pass) {
  const auto fit = [&](bool is_doubtful) {
    return fit_trace_clocks(trace, options, is_doubtful, output.parent_path(), [](std::uint64_t) {});
  };
  const bool has_one_clock = trace.clocks.domains < 2;
  MERIDIAN_TRY(pass, fit(false));
  MERIDIAN_TRY(std::optional<Ordered> ordered, order_if_right(trace, output, findings, progress));
  if (!ordered && has_one_clock && bends(options.model)) {
    MERIDIAN_TRY(pass, fit(true));
    if (pass.is_split) {
      MERIDIAN_TRY(ordered, order_if_right(trace, output, findings, progress));
    }
  }
  if (ordered) return std::move(*ordered);
  return repair_and_order(trace, output, findings, progress);
}

}  // namespace

bool MergeOutcome::has_errors() const {
  return std::ranges::any_of(summary.findings,
                             [](const Finding& finding) { return finding.severity == Severity::error; });
}

Result<MergeOutcome> merge(std::span<const fs::path> directories, const MergeOptions& options) {
  const fs::path output = options.output.empty() ? directories.front() / "merged.h5" : options.output;
  allow_many_files();
  Findings findings;
  if (options.progress) options.progress(0, "opening rank files");
  MERIDIAN_TRY(LoadedRanks ranks, load_ranks(directories, options.recover, options.force, findings));
  if (!options.force) MERIDIAN_TRY_DO(may_replace(output));
  const Findings of_files = findings;
  Trace trace;
  ClockPass clocks;
  std::optional<Ordered> matched;
  // Matching has to know where calls are missing: if that turns out only now, all begins again.
  for (std::size_t known = 0; !matched; known = flaws_of(ranks.files)) {
    findings = of_files;
    MERIDIAN_TRY(trace, describe(ranks, options.clocks, findings));
    PassProgress progress{options.progress, trace.events};
    MERIDIAN_TRY(matched, match_and_order(trace, output, options.clocks, findings, progress, clocks));
    if (flaws_of(ranks.files) == known) break;
    matched.reset();
    find_flaws(ranks.files);
  }
  Ordered& ordered = *matched;
  if (options.progress && trace.has_sites) options.progress(1, "resolving call sites");
  const std::vector<SourcePlace> places = resolve_sites(*trace.sites, findings);
  MERIDIAN_TRY_DO(ordered.destination.file.write_definitions(trace, places));
  MERIDIAN_TRY_DO(ordered.destination.file.write_clocks(clocks.report));
  ordered.destination.user.finish(findings);
  if (trace.paths->is_full()) findings.add(FindingId::site_too_many);
  if (const std::uint64_t lost = calls_with_lost_callers(trace, ordered.destination.statistics); lost != 0)
    findings.add(FindingId::stack_lost, lost);
  CounterTotals counters = name_counters(trace);
  const auto store = [&](const CounterRows& rows) { return ordered.destination.file.append(rows); };
  if (!counters.names.empty()) MERIDIAN_TRY_DO(ordered.destination.file.write_counter_names(counters));
  MERIDIAN_TRY_DO(count_events(trace, counters, store, findings));
  MergeOutcome outcome{summarize(trace, ordered.matched, ordered.destination.statistics, ordered.destination.user,
                                 places, findings, ranks.bytes, ordered.reversed_after),
                       output};
  summarize_counters(trace, counters, outcome.summary);
  summarize_context(trace, outcome.summary);
  outcome.summary.communicators =
      ordered.destination.comms.summaries(trace.communicators.list, trace.communicators.groups);
  outcome.summary.clock_models = std::move(clocks.models);
  MERIDIAN_TRY_DO(ordered.destination.file.finish(outcome.summary));
  if (options.progress) options.progress(1, "done");
  return outcome;
}

}  // namespace meridian
