// SPDX-License-Identifier: Apache-2.0
#include "analysis/analyses.hpp"

#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/analysis_list.hpp"
#include "analysis/analysis_walks.hpp"
#include "analysis/energy/energy.hpp"
#include "analysis/shared_analyses.hpp"
#include "summary/measures.hpp"
#include "summary/recorded_part.hpp"

namespace meridian {

namespace {

Status fill_tables(const MergedTrace& trace, Summary& summary) {
  for (const Analysis& analysis : all_analyses())
    if (const auto* const fill = std::get_if<TableFiller>(&analysis.analyse))
      MERIDIAN_TRY_DO(named(analysis.name, (*fill)(trace, summary)));
  return {};
}

}  // namespace

Status run_analyses(const MergedTrace& trace, Summary& summary, WaitSink* waits,
                    const std::function<void(double)>& progress, Processes* others, const std::filesystem::path& file) {
  if (is_profile(summary)) {  // without the times of calls nothing else is known
    summary.efficiencies = efficiencies_of_sums(summary);
    MERIDIAN_TRY_DO(find_energy_of_profile(trace, summary));
    return fill_tables(trace, summary);
  }
  AnalysisProgress shown{trace, progress};
  SharedAnalyses shared{others, file};
  AnalysisSet backwards = AnalysisSet::backwards();
  if (shared.count() > 1) {
    // This process finds the waits, because only it can store them. The other backward analyses do not read waits, so that
    // another process runs them at the same time. Its answer comes before the waits are written.
    MERIDIAN_TRY_DO(shared.publish());
    shared.ask(1, backwards.without(AnalysisSet::waits()), {}, summary);
    backwards = AnalysisSet::waits();
  }
  const auto take_answers = [&] { return shared.take_answers(summary); };
  MERIDIAN_TRY(const std::vector<MeasuredSpan> spans,
               walk_backwards(trace, backwards, summary, waits, take_answers, shown));
  MERIDIAN_TRY_DO(shared.publish());
  const std::vector<AnalysisSet> groups = divide_forwards(shared.count());
  for (std::size_t process = 1; process < groups.size(); ++process)
    shared.ask(process, groups[process], spans, summary);
  MERIDIAN_TRY_DO(walk_forwards(trace, groups.front(), spans, summary, shown));
  MERIDIAN_TRY_DO(shared.take_answers(summary));
  if (progress) progress(1);
  return fill_tables(trace, summary);
}

}  // namespace meridian
