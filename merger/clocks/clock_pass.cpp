// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/clock_pass.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "merger/clocks/clock_compare.hpp"
#include "merger/clocks/clock_refine.hpp"
#include "merger/clocks/fit/fit_clocks.hpp"
#include "merger/clocks/report/report_clocks.hpp"
#include "merger/clocks/samples/clock_observer.hpp"
#include "merger/clocks/steps/place_steps.hpp"
#include "merger/match/match.hpp"
#include "merger/model/clocks.hpp"
#include "merger/model/findings.hpp"
#include "trace/containers/temp_spool.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/import_keys.hpp"
#include "trace/model/result.hpp"

namespace meridian {
namespace {

std::vector<const RankMeta*> metas_of(const Trace& trace) {
  std::vector<const RankMeta*> metas;
  for (const RankFile* file : trace.files) metas.push_back(&file->meta());
  return metas;
}

/// Bounds if all ranks read one clock.
ClockBounds exact_bounds() {
  ClockBounds bounds;
  bounds.domains.resize(1);
  bounds.domains[0].push_back({.is_certified = true});
  return bounds;
}

Status observe(Trace& trace, ClockObserver& observer, const CallCounter& counter) {
  Findings seen_later;  // not kept: the pass that stores the messages reports them
  const MatchSinks sinks{{},
                         [&](std::span<const MatchedMessage> rows) {
                           observer.add(rows);
                           return Status{};
                         },
                         [&](std::span<const CollectivePart> rows) {
                           observer.add(rows);
                           return Status{};
                         },
                         {}};
  auto matched = match(trace, MatchUntil::end, sinks, seen_later, counter);
  return matched ? Status{} : Status{std::move(matched).error()};
}

bool is_imported(const RankMeta& meta) {
  return std::ranges::find(meta.texts, kImportedKey, &TextRow::key) != meta.texts.end();
}

std::string names_of(std::span<const RankMeta* const> metas, const std::vector<std::uint32_t>& parts) {
  std::string names;
  for (std::size_t i = 0; i < parts.size() && names.size() < 40; ++i)
    if (parts[i] != 0) names += (names.empty() ? "rank " : ", ") + std::to_string(metas[i]->rank);
  return names;
}

}  // namespace

Result<ClockPass> fit_trace_clocks(Trace& trace, const ClockOptions& given, bool is_doubtful,
                                   const std::filesystem::path& scratch, const CallCounter& counter) {
  ClockPass pass;
  ClockOptions options = given;
  if (trace.clocks.domains < 2 && !is_doubtful) {
    if (options.model == ClockModel::meridian) trace.clocks.bounds = exact_bounds();
    return pass;
  }
  const std::vector<const RankMeta*> metas = metas_of(trace);
  MERIDIAN_TRY(const std::shared_ptr<TempFile> file, TempFile::create(scratch));
  TempSpool<DomainMessage> messages{file};
  ClockOptions first_options = options;
  if (!bends(options.model)) first_options.model = ClockModel::meridian;
  MERIDIAN_TRY(Clocks first, fit_clocks(metas, first_options));
  trace.clocks = first;
  auto observer = std::make_unique<ClockObserver>(metas, first, &messages);
  MERIDIAN_TRY_DO(observe(trace, *observer, counter));

  std::vector<std::uint32_t> parts = observer->find_split();
  if (!parts.empty()) {
    pass.is_split = true;
    options.parts = first_options.parts = parts;
    messages = TempSpool<DomainMessage>{file};
    MERIDIAN_TRY(first, fit_clocks(metas, first_options));
    trace.clocks = first;
    observer = std::make_unique<ClockObserver>(metas, first, &messages);
    MERIDIAN_TRY_DO(observe(trace, *observer, counter));
  }
  MERIDIAN_TRY_DO(messages.seal());
  const ClockSamples& samples = observer->finish();
  if (first.domains >= 2) {
    ClockCorrection correction;
    Clocks lines = first;
    if (bends(options.model)) {
      Status is_placed;
      const auto place = [&](ClockCorrection& stepped) { is_placed = place_steps(trace, stepped, counter); };
      Clocks refined = refine_clocks(metas, first, samples, options, &correction, place);
      MERIDIAN_TRY_DO(std::move(is_placed));
      trace.clocks = std::move(refined);
    } else {
      MERIDIAN_TRY(trace.clocks, fit_clocks(metas, options));
      ClockOptions line_options = options;
      line_options.model = ClockModel::linear;
      MERIDIAN_TRY(lines, fit_clocks(metas, line_options));
    }
    pass.report = report_clocks(metas, first, lines, trace.clocks, samples);
    MERIDIAN_TRY(pass.models, compare_models(metas, first, samples, messages, options, trace.clocks, correction));
  }
  if (first.domains < 2 && options.model == ClockModel::meridian) trace.clocks.bounds = exact_bounds();
  if (pass.is_split) {
    Findings findings;
    std::uint64_t ranks = 0;
    for (const std::uint32_t part : parts) ranks += part != 0;
    const bool are_imported = std::ranges::all_of(metas, [](const RankMeta* meta) { return is_imported(*meta); });
    findings.add(are_imported ? FindingId::import_clocks : FindingId::clock_domain_split, ranks,
                 names_of(metas, parts));
    for (const Finding& finding : findings.list()) trace.clocks.findings.push_back(finding);
  }
  return pass;
}

}  // namespace meridian
