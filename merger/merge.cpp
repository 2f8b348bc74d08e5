// SPDX-License-Identifier: Apache-2.0
#include "merger/merge.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "merger/passes.hpp"

namespace meridian {
namespace {

/// The facts that can hold during a merge, one bit each; a set of facts is their union.
enum Fact : std::uint32_t {
  nothing = 0,
  ranks = 1 << 0,          // the rank files are open
  output = 1 << 1,         // the output may be written
  definitions = 1 << 2,    // every number has the same meaning for all ranks
  lines = 1 << 3,          // every clock has a line
  clocks = 1 << 4,         // every clock has the correction of the chosen model
  split = 1 << 5,          // ranks that named the same clock got separate clocks
  pairs = 1 << 6,          // messages and collectives are matched and stored on disk
  times = 1 << 7,          // the times of events are final
  events = 1 << 8,         // the output has all events, in global order
  ordered = 1 << 9,        // the output has all events and pairs
  damage_known = 1 << 10,  // matching knew every unreadable part of the rank files
  sites = 1 << 11,         // call sites have source locations, as far as possible
  meanings = 1 << 12,      // the output has the definitions of its numbers
  counters = 1 << 13,      // hardware counters are added up and in the output
  summary = 1 << 14,
  merged_file = 1 << 15,  // complete, under its final name
  values = 1 << 18,       // the output has the values of user events
  samples = 1 << 17,      // the output has the samples of threads, when they had no processor, memory and energy
  profiles = 1 << 19,     // the statistics have the sums that ranks recorded in place of calls
  pieces = 1 << 16,       // it is decided how much of each rank is in memory
};
constexpr Fact operator|(Fact a, Fact b) { return static_cast<Fact>(std::uint32_t{a} | std::uint32_t{b}); }
constexpr Fact operator&(Fact a, Fact b) { return static_cast<Fact>(std::uint32_t{a} & std::uint32_t{b}); }

/// Begin and end of a pass on the progress bar.
struct Share {
  double from = 0, to = 0;
  bool is_shown = true;
};
constexpr Share kQuiet{.is_shown = false};

using Run = Result<bool> (*)(Merge&);

struct Pass {
  Run run;
  Fact needs;
  Fact unless;
  Fact holds;
  Share share;
  std::string_view name;
  Run otherwise = nullptr;
};

// A pass runs if all facts in `needs` hold and none in `unless`; if it succeeds, `holds` holds. If it fails and has an
// `otherwise`, all facts established by that pass or later ones are dropped, and that pass runs next.
//
// If the clocks leave nothing reversed, the trace is read once. If something is reversed and all ranks name one clock,
// that may be wrong for some ranks: clocks are split, and the single reading is tried again. Otherwise matching, repair
// and ordering are separate passes.
// clang-format off
constexpr Pass kPasses[] = {
    // run                      needs                       unless   holds         share         name                       otherwise
    {passes::load_ranks,        nothing,                    nothing, ranks,        {0, 0},       "opening rank files"},
    {passes::check_output,      ranks,                      nothing, output,       kQuiet,       "checking the output"},
    {passes::bound_memory,      ranks | output,             nothing, pieces,       kQuiet,       "choosing pieces"},
    {passes::unify_definitions, ranks | output,             nothing, definitions,  kQuiet,       "unifying definitions"},
    {passes::fit_clocks,        definitions,                nothing, lines,        kQuiet,       "fitting lines of clocks"},
    {passes::refine_clocks,     lines,                      nothing, clocks,       kQuiet,       "refining clocks"},

    {passes::match_in_one_go,   clocks,                     nothing, ordered,      {0, 1},       "matching and ordering"},

    {passes::split_clocks,      clocks,                     ordered, split,        kQuiet,       "splitting clocks"},
    {passes::match_in_one_go,   split,                      ordered, ordered,      {0, 1},       "matching and ordering"},

    {passes::match_messages,    clocks,                     ordered, pairs,        {0, 0.6},     "matching"},
    {passes::repair_causality,  pairs,                      ordered, times,        {0.6, 0.7},   "repairing causality"},
    {passes::order_events,      times,                      ordered, events,       {0.7, 0.85},  "ordering events"},
    {passes::write_pairs,       pairs | events,             ordered, ordered,      {0.85, 1},    "writing messages"},

    {passes::find_damage,       ordered,                    nothing, damage_known, kQuiet,       "finding damage",        passes::unify_definitions},
    {passes::add_profiles,      ordered | damage_known,     nothing, profiles,     kQuiet,       "adding profiles"},
    {passes::resolve_sites,     ordered | profiles,         nothing, sites,        {1, 1},       "resolving call sites"},
    {passes::write_definitions, ordered | sites,            nothing, meanings,     kQuiet,       "writing definitions"},
    {passes::merge_samples,     ordered | damage_known, nothing, samples,      kQuiet,       "merging samples"},
    {passes::merge_user_values, ordered | damage_known,    nothing, values,       kQuiet,       "merging values of user events"},
    {passes::count_events,      ordered | damage_known,     nothing, counters,     kQuiet,       "adding up counters"},
    {passes::summarize,         ordered | sites | counters | samples | values, nothing, summary, kQuiet,    "summarizing"},
    {passes::finish_output,     meanings | summary,         nothing, merged_file,  kQuiet,       "writing the rest"},
};
// clang-format on

/// The union of the facts that can hold before a pass.
constexpr Fact before(const Pass* end) {
  Fact facts = nothing;
  for (const Pass* pass = std::begin(kPasses); pass != end; ++pass) facts = facts | pass->holds;
  return facts;
}

constexpr bool every_need_is_established_before() {
  return std::ranges::all_of(kPasses, [](const Pass& pass) { return (before(&pass) & pass.needs) == pass.needs; });
}
static_assert(every_need_is_established_before());

void show(Merge& merge, const Pass& pass) {
  const MergeProgress& progress = merge.options.progress;
  merge.report = [](std::uint64_t) {};
  if (!progress || !pass.share.is_shown) return;
  merge.report = [&pass, &progress, all = merge.trace.events](std::uint64_t done) {
    const double share = all == 0 ? 1 : std::min(1.0, static_cast<double>(done) / static_cast<double>(all));
    progress(pass.share.from + (pass.share.to - pass.share.from) * share, pass.name);
  };
  merge.report(0);
}

Status run_passes(Merge& merge) {
  Fact facts = nothing;
  for (const Pass* pass = std::begin(kPasses); pass != std::end(kPasses);) {
    const Pass& now = *pass++;
    if ((facts & now.needs) != now.needs || (facts & now.unless) != nothing) continue;
    if (merge.options.watch) merge.options.watch(now.name);
    show(merge, now);
    const Result<bool> is_established = now.run(merge);
    // A rank of a process that is gone looks damaged, which is not what happened.
    if (merge.readers && !merge.readers->status()) return merge.readers->status();
    if (!is_established) return is_established.error();
    if (*is_established) {
      facts = facts | now.holds;
    } else if (now.otherwise != nullptr) {
      pass = std::ranges::find(kPasses, now.otherwise, &Pass::run);
      facts = before(pass);
    }
  }
  MERIDIAN_CHECK((facts & merged_file) == merged_file);
  return {};
}

}  // namespace

Result<MergeOutcome> merge(std::span<const std::filesystem::path> directories, const MergeOptions& options) {
  Merge state{directories, options, options.output.empty() ? directories.front() / "merged.h5" : options.output};
  MERIDIAN_TRY_DO(run_passes(state));
  if (options.progress) options.progress(1, "done");
  return MergeOutcome{std::move(state.summary), std::move(state.output)};
}

}  // namespace meridian
