// SPDX-License-Identifier: Apache-2.0
// Section VERDICT: what the run was, how it ended, and what costs most.

#include <fmt/format.h>

#include <algorithm>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "summary/advice.hpp"
#include "summary/measures.hpp"
#include "summary/problems/problem_profile.hpp"
#include "summary/recorded_part.hpp"
#include "summary/run_end.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostProblems = 3;
constexpr std::size_t kMostVerdictLines = 25;

std::string paragraph(const std::string& text) { return wrapped(printable(text), kIndent, prose_width()); }

/// "halo2d, 4 ranks on 1 host, 2.28 s", "halo2d, 2 of 4 ranks on 1 host, 2.28 s"
std::string describe_run(const Summary& summary) {
  const RunSummary& run = summary.run;
  const auto ranks = static_cast<std::uint64_t>(std::max(run.ranks_present, 0));
  const std::string of =
      lacks_ranks(summary) ? fmt::format(" of {}", human_count(static_cast<std::uint64_t>(run.ranks_expected))) : "";
  return fmt::format("{}, {}{} {} on {} {}, {}", run.executable.empty() ? "The program" : file_name(run.executable),
                     human_count(ranks), of, ranks == 1 && of.empty() ? "rank" : "ranks", human_count(run.hosts),
                     run.hosts == 1 ? "host" : "hosts", human_duration(run.time_s));
}

/// The name of a problem; a word of the trade is explained.
std::string_view explained(std::string_view problem) {
  return problem == "wait at N x N" ? "wait at N x N (an all-to-all collective)" : problem;
}

std::string describe_problem(std::size_t number, const ProblemSummary& problem, bool has_share) {
  const std::string cost = has_share ? human_percent(problem.share) + " of the ranks' time"
                                     : human_duration(problem.cost_s) + " of all ranks";
  std::string text = wrapped(printable(fmt::format("{}: {}. {}{}{}", cost, explained(problem.problem), problem.text,
                                                   problem.remedy.empty() ? "" : " ", problem.remedy)),
                             2 * kIndent + 1, prose_width());
  const std::string label = fmt::format("{}.", number);
  return text.replace(kIndent, label.size(), label);
}

/// "60 % of the ranks' time is in MPI; load balance 98 %."
std::string describe_load(const Summary& summary) {
  const Load load = measure_load(summary);
  std::string text =
      fmt::format("{} of the ranks' time{} is in MPI", human_percent(load.mpi_share), measured_time(summary));
  if (load.ranks.size() > 1) text += fmt::format("; load balance {}", human_percent(load_balance(summary, load)));
  return paragraph(text + ".");
}

/// Sentences on what a profile cannot show, and on the rank that computes longest.
std::string describe_profile(const Summary& summary) {
  const std::string imbalance = describe_imbalance_of_sums(measure_load(summary));
  return paragraph(
             "This is a profile: sums over calls. It does not show who waits for whom, nor since when; a trace of a "
             "shorter run does.") +
         (imbalance.empty() ? "" : paragraph(imbalance));
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

std::string headline(const Summary& summary) {
  const std::string end = describe_run_end(summary);
  return describe_run(summary) + (end.empty() ? ", ended by MPI_Finalize." : ". " + end);
}

std::string verdict_section(const Summary& summary, const Paint& paint, VerdictLength length) {
  std::string result = paint.heading("VERDICT") + "\n";
  if (summary.run.calls == 0) {
    for (const std::string& sentence : advise(summary)) result += paragraph(sentence);
    return result;
  }
  const bool is_brief = length == VerdictLength::brief;
  const bool has_shares = !recorded_part(summary).misleads;
  result += paragraph(headline(summary));
  if (const std::string part = describe_part(summary); !part.empty()) result += paragraph(part);
  if (has_shares) result += describe_load(summary);
  if (is_profile(summary)) result += describe_profile(summary);
  if (is_last_part(summary))
    result += paragraph(
        "This is the end of the run, as long as MERIDIAN_KEEP says: all figures are of that part. Sums of the whole "
        "run: `meridian "
        "merge` of the folder `whole` of the trace.");
  if (const std::string flaws = describe_flaws(summary); !flaws.empty()) result += paragraph(flaws);
  const std::size_t shown = is_brief ? std::min(kMostProblems, summary.problems.size()) : summary.problems.size();
  for (std::size_t i = 0; i < shown; ++i) result += describe_problem(i + 1, summary.problems[i], has_shares);
  if (summary.problems.empty()) result += paragraph("No known problem costs a hundredth of the ranks' time.");
  if (const std::size_t more = summary.problems.size() - shown; more > 0)
    result += paragraph(fmt::format("{} more cost{} at least a hundredth{}: `meridian stats --section verdict`.", more,
                                    more == 1 ? "s" : "", more == 1 ? "" : " each"));
  for (const std::string& sentence : advise(summary)) {
    const std::string added = paragraph(sentence);
    if (is_brief && lines_in(result) + lines_in(added) > kMostVerdictLines) break;
    result += added;
  }
  return result;
}

}  // namespace meridian
