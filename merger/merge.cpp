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

/// What can hold during a merge, one bit each; a set of facts is their union.
enum Fact : std::uint32_t {
  nothing = 0,
  ranks = 1 << 0,          // the rank files are open
  output = 1 << 1,         // the output may be written
  definitions = 1 << 2,    // every number means the same for all ranks
  lines = 1 << 3,          // every clock has a line
  clocks = 1 << 4,         // every clock has the correction that was asked for
  split = 1 << 5,          // ranks that named one clock got clocks of their own
  pairs = 1 << 6,          // messages and collectives are matched, and wait on disk
  times = 1 << 7,          // no event moves any more
  events = 1 << 8,         // the output has all events, in global order
  ordered = 1 << 9,        // the output has all events and pairs
  damage_known = 1 << 10,  // matching knew every part of the rank files that cannot be read
  sites = 1 << 11,         // call sites have source locations, as far as possible
  meanings = 1 << 12,      // the output says what its numbers mean
  counters = 1 << 13,      // hardware counters are added up, and in the output
  summary = 1 << 14,
  merged_file = 1 << 15,  // complete, under its final name
};
constexpr Fact operator|(Fact a, Fact b) { return static_cast<Fact>(std::uint32_t{a} | std::uint32_t{b}); }
constexpr Fact operator&(Fact a, Fact b) { return static_cast<Fact>(std::uint32_t{a} & std::uint32_t{b}); }

/// Where a pass begins and ends on the progress bar.
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
  std::string_view shown_as;
  Run otherwise = nullptr;
};

// A pass runs if what it `needs` holds, and nothing of `unless` does; if it succeeds, `holds` does. If it does not and
// has an `otherwise`, all is forgotten that was established from that pass on, which is the next to run.
//
// Where the clocks leave nothing reversed, one reading does. If something is reversed and all ranks name one clock, its
// ranks may be wrong about that: clocks are split, and one reading is tried again. Else matching, repair and ordering
// are passes of their own.
// clang-format off
constexpr Pass kPasses[] = {
    // run                      needs                       unless   holds         share         shown as                 otherwise
    {passes::load_ranks,        nothing,                    nothing, ranks,        {0, 0},       "opening rank files"},
    {passes::check_output,      ranks,                      nothing, output,       kQuiet,       ""},
    {passes::unify_definitions, ranks | output,             nothing, definitions,  kQuiet,       ""},
    {passes::fit_clocks,        definitions,                nothing, lines,        kQuiet,       ""},
    {passes::refine_clocks,     lines,                      nothing, clocks,       kQuiet,       ""},

    {passes::match_in_one_go,   clocks,                     nothing, ordered,      {0, 1},       "matching and ordering"},

    {passes::split_clocks,      clocks,                     ordered, split,        kQuiet,       ""},
    {passes::match_in_one_go,   split,                      ordered, ordered,      {0, 1},       "matching and ordering"},

    {passes::match_messages,    clocks,                     ordered, pairs,        {0, 0.6},     "matching"},
    {passes::repair_causality,  pairs,                      ordered, times,        {0.6, 0.7},   "repairing causality"},
    {passes::order_events,      times,                      ordered, events,       {0.7, 0.85},  "ordering events"},
    {passes::write_pairs,       pairs | events,             ordered, ordered,      {0.85, 1},    "writing messages"},

    {passes::find_damage,       ordered,                    nothing, damage_known, kQuiet,       "",                      passes::unify_definitions},
    {passes::resolve_sites,     ordered | damage_known,     nothing, sites,        {1, 1},       "resolving call sites"},
    {passes::write_definitions, ordered | sites,            nothing, meanings,     kQuiet,       ""},
    {passes::count_events,      ordered | damage_known,     nothing, counters,     kQuiet,       ""},
    {passes::summarize,         ordered | sites | counters, nothing, summary,      kQuiet,       ""},
    {passes::finish_output,     meanings | summary,         nothing, merged_file,  kQuiet,       ""},
};
// clang-format on

/// Everything that can hold before a pass.
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
    progress(pass.share.from + (pass.share.to - pass.share.from) * share, pass.shown_as);
  };
  merge.report(0);
}

Status run_passes(Merge& merge) {
  Fact facts = nothing;
  for (const Pass* pass = std::begin(kPasses); pass != std::end(kPasses);) {
    const Pass& now = *pass++;
    if ((facts & now.needs) != now.needs || (facts & now.unless) != nothing) continue;
    show(merge, now);
    MERIDIAN_TRY(const bool is_established, now.run(merge));
    if (is_established) {
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

bool MergeOutcome::has_errors() const {
  return std::ranges::any_of(summary.findings,
                             [](const Finding& finding) { return finding.severity == Severity::error; });
}

Result<MergeOutcome> merge(std::span<const std::filesystem::path> directories, const MergeOptions& options) {
  Merge state{directories, options, options.output.empty() ? directories.front() / "merged.h5" : options.output};
  MERIDIAN_TRY_DO(run_passes(state));
  if (options.progress) options.progress(1, "done");
  return MergeOutcome{std::move(state.summary), std::move(state.output)};
}

}  // namespace meridian
