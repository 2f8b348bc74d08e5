// SPDX-License-Identifier: Apache-2.0
#include "summary/problems/problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "summary/measures.hpp"
#include "summary/problems/problem_ends.hpp"
#include "summary/problems/problem_files.hpp"
#include "summary/problems/problem_iterations.hpp"
#include "summary/problems/problem_processors.hpp"
#include "summary/problems/problem_profile.hpp"
#include "summary/problems/problem_transfers.hpp"
#include "summary/problems/problem_waits.hpp"
#include "summary/problems/wait_texts.hpp"
#include "summary/recorded_part.hpp"
#include "summary/units.hpp"
#include "trace/model/call_facts.hpp"

namespace meridian {
namespace {

constexpr double kLeastShare = 0.01;   ///< of the ranks' time: less is not worth a user's
constexpr double kWorthSaying = 0.01;  ///< of a problem: a smaller part that counts for another one is not mentioned

bool is(const ProblemSummary& problem, ProblemKind kind) { return problem.problem == problem_name(kind); }

/// A part of the problem counts for another one.
void give_part(ProblemSummary& problem, double part_s, std::string_view to) {
  if (!(part_s > 0)) return;
  part_s = std::min(part_s, problem.cost_s);
  if (part_s >= kWorthSaying * problem.cost_s)
    problem.text += fmt::format(" {} of that is part of the {}.", human_duration(part_s), to);
  problem.cost_s -= part_s;
  problem.shared_s += part_s;
}

/// Slow iterations of a rank make others wait: where the rank that is waited for differs, these waits are theirs.
void share_with_iterations(std::vector<ProblemSummary>& problems) {
  std::map<std::pair<std::size_t, std::string>, double>
      parts;                           // [problem, kind of the other one]: there may be several of a kind
  std::map<std::size_t, double> left;  // [problem]
  for (const ProblemSummary& slow : problems) {
    if (!is(slow, ProblemKind::slow_iterations) && !is(slow, ProblemKind::drift)) continue;
    double left_s = slow.cost_s;
    for (std::size_t i = 0; i < problems.size(); ++i) {
      const ProblemSummary& problem = problems[i];
      if (!is_kind_of_wait(problem.problem) || (problem.causer >= 0 && problem.causer != slow.causer)) continue;
      double& rest_s = left.try_emplace(i, problem.cost_s).first->second;
      const double part_s = std::min(left_s, rest_s);
      parts[{i, slow.problem}] += part_s;
      rest_s -= part_s;
      left_s -= part_s;
    }
  }
  for (const auto& [key, part_s] : parts) give_part(problems[key.first], part_s, key.second);
}

double quotient(double part, double whole) { return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0; }

/// Of the time in MPI in which ranks wait for nobody, the part without a processor.
double ready_share_in_mpi(const Summary& summary) {
  double time_s = 0;
  for (const RankSummary& rank : summary.ranks) time_s += rank.mpi_s - rank.ends_s;
  for (const WaitSummary& wait : summary.waits)
    if (!is_of_threads(wait) && wait.pattern != "wait at init" && wait.pattern != "wait at finalize")
      time_s -= wait.total_s;
  return quotient(sum_of(summary.ready_times, &ReadyTimeSummary::mpi_s), time_s);
}

/// Calls of the program itself on files: most of the cost are waits for them.
bool makes_wait_by_files(const ProblemSummary& problem) {
  return is(problem, ProblemKind::input_and_output) && problem.causer >= 0 &&
         facts_of(problem.function).group == CallGroup::files;
}

/// The part of a problem that is there because threads had no processor.
double lack_in(const ProblemSummary& problem, const Summary& summary, const Lack& lack, double time_s) {
  if (!lack.knows_intervals) return quotient(lack.own_s, time_s);
  if (is(problem, ProblemKind::imbalance)) return 0;  // of the time with a processor
  if (is_kind_of_wait(problem.problem) || is(problem, ProblemKind::slow_iterations) ||
      is(problem, ProblemKind::drift) || is(problem, ProblemKind::serialisation) || makes_wait_by_files(problem)) {
    const ReadyDelays delays = ready_delays(summary, problem.causer);
    return quotient(delays.ready_s, delays.all_s);
  }
  const bool is_in_mpi = !problem.function.empty() && !is(problem, ProblemKind::lock) &&
                         !is(problem, ProblemKind::openmp_imbalance) &&
                         facts_of(problem.function).group != CallGroup::files;
  return is_in_mpi ? ready_share_in_mpi(summary) : quotient(lack.own_s, time_s);
}

/// A rank without a processor computes, waits and transfers all the same: that part of each problem counts for the lack.
void share_with_lack(const Summary& summary, const Lack& lack, double time_s, std::vector<ProblemSummary>& problems) {
  if (!(lack.own_s > 0)) return;
  for (ProblemSummary& problem : problems)
    if (!is(problem, ProblemKind::no_processor))
      give_part(problem, problem.cost_s * lack_in(problem, summary, lack, time_s),
                problem_name(ProblemKind::no_processor));
}

/// No second is counted twice, whatever the tables say: costs that no time is left for are cut, the least expensive first.
void keep_within(double time_s, std::vector<ProblemSummary>& problems) {
  for (ProblemSummary& problem : problems) {
    problem.cost_s = std::min(problem.cost_s, std::max(time_s, 0.0));
    time_s -= problem.cost_s;
  }
}

/// What the times of single calls show.
void find_with_causes(const Summary& summary, const Load& load, std::vector<ProblemSummary>& problems) {
  const std::map<std::string, ChargedWaits> charged = find_waiting(summary, load, problems);
  find_transfers(summary, load, charged, problems);
  find_file_problem(summary, load, charged, problems);
  const Lack lack = find_lack_of_processors(summary, load, problems);
  find_slow_iterations(summary, load, problems);
  share_with_iterations(problems);
  share_with_lack(summary, lack, load.time_s, problems);
}

}  // namespace

std::vector<ProblemSummary> find_problems(const Summary& summary) {
  const Load load = measure_load(summary);
  std::vector<ProblemSummary> problems;
  find_unfinished_calls(summary, problems);
  if (is_profile(summary))
    find_time_in_mpi(summary, load, problems);
  else
    find_with_causes(summary, load, problems);
  std::ranges::stable_sort(problems, std::greater{}, &ProblemSummary::cost_s);
  keep_within(load.time_s, problems);
  for (ProblemSummary& problem : problems) problem.share = load.time_s > 0 ? problem.cost_s / load.time_s : 0;
  std::erase_if(problems, [](const ProblemSummary& problem) { return !(problem.share >= kLeastShare); });
  return problems;
}

}  // namespace meridian
