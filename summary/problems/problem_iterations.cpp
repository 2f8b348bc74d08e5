// SPDX-License-Identifier: Apache-2.0
// Iterations that are slower than others.
#include "summary/problems/problem_iterations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "summary/problems/problem_waits.hpp"
#include "summary/problems/problems.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr double kNoise = 0.05;            ///< of the ranks' time: slow iterations that cost less may be the machine's
constexpr std::size_t kMostFindings = 20;  ///< of the table: more slow iterations may have been found
constexpr std::size_t kLeastPeriodic = 4;  ///< slow iterations of a period
constexpr std::uint64_t kLeastPeriod = 3;
constexpr std::uint64_t kMostMultiples = 3;  ///< of the period, for each that is slow

/// Slow iterations of a rank, or of most, in one phase.
struct Slow {
  double cost_s = 0;
  std::set<std::uint64_t> iterations{};
  const IterationFindingSummary* worst = nullptr;
};

/// 50: iterations 7, 57, 207, 257 are slow; 0: there is no period. A few of very many multiples are some by chance.
std::uint64_t period_of(const std::set<std::uint64_t>& iterations) {
  if (iterations.size() < kLeastPeriodic) return 0;
  std::uint64_t period = 0;
  for (const std::uint64_t iteration : iterations) period = std::gcd(period, iteration - *iterations.begin());
  if (period < kLeastPeriod) return 0;
  const std::uint64_t multiples = (*iterations.rbegin() - *iterations.begin()) / period + 1;
  const bool are_all = iterations.size() < kMostFindings;
  return are_all && kMostMultiples * iterations.size() < multiples ? 0 : period;
}

std::string describe_count(const Slow& slow, const PhaseSummary& phase) {
  const std::size_t count = slow.iterations.size();
  if (const std::uint64_t period = period_of(slow.iterations); period != 0)
    return fmt::format(" The slow iterations are {} or a multiple of that apart.", period);
  if (count < 2) return "";
  return fmt::format(" {}{} of {} iterations are slow.", count >= kMostFindings ? "At least " : "", human_count(count),
                     human_count(phase.iterations));
}

class IterationFinder {
 public:
  IterationFinder(const Summary& summary, const Load& load, std::vector<ProblemSummary>& problems)
      : summary_{summary},
        noise_s_{kNoise * load.time_s},
        problems_{problems},
        others_{problems.size()},
        has_lack_{std::ranges::find(problems, problem_name(ProblemKind::no_processor), &ProblemSummary::problem) !=
                  problems.end()} {}

  void find() {
    std::map<std::pair<std::uint64_t, std::int32_t>, Slow> all;  // phase, rank
    for (const IterationFindingSummary& finding : summary_.iteration_findings) {
      // Instances of regions say the same once more.
      if (finding.phase >= summary_.phases.size() || summary_.phases[finding.phase].unit == "instance") continue;
      if (finding.kind == "slow iteration") {
        Slow& slow = all[{finding.phase, finding.rank}];
        slow.cost_s += finding.cost_s;
        slow.iterations.insert(finding.iteration);
        if (slow.worst == nullptr || finding.cost_s > slow.worst->cost_s) slow.worst = &finding;
      } else if (finding.kind != "slow in MPI") {
        add_change(finding);
      }
    }
    for (const auto& [key, slow] : all) add_slow(slow);
    add_noise();
  }

 private:
  ProblemSummary problem_of(ProblemKind kind, const IterationFindingSummary& finding, double cost_s) const {
    const PhaseSummary& phase = summary_.phases[finding.phase];
    ProblemSummary problem;
    problem.problem = problem_name(kind);
    problem.cost_s = cost_s;
    problem.function = phase.function;
    problem.place = phase.place;
    problem.causer = finding.rank;
    problem.text = finding.text;
    return problem;
  }

  /// A problem found before with the same rank; nullptr: none costs as much.
  ProblemSummary* cause_of(const ProblemSummary& problem) {
    for (std::size_t i = 0; i < others_; ++i)
      if (problem.causer >= 0 && problems_[i].causer == problem.causer &&
          problems_[i].cost_s >= kKnownShare * problem.cost_s)
        return &problems_[i];
    return nullptr;
  }

  void explain_or_add(ProblemSummary problem) {
    ProblemSummary* const cause = cause_of(problem);
    if (cause == nullptr)
      problems_.push_back(std::move(problem));
    else if (problem.cost_s >= kKnownShare * cause->cost_s)
      cause->text += " " + problem.text;
  }

  void add_change(const IterationFindingSummary& finding) {
    ProblemSummary problem = problem_of(ProblemKind::drift, finding, finding.cost_s);
    problem.remedy = has_lack_
                         ? "Ranks had no processor for some time: see whether that grew with the iterations."
                         : "Look for what grows with the iterations: work, data, fragments of memory, heat of the "
                           "processor.";
    explain_or_add(std::move(problem));
  }

  void add_slow(const Slow& slow) {
    ProblemSummary problem = problem_of(ProblemKind::slow_iterations, *slow.worst, slow.cost_s);
    problem.text += describe_count(slow, summary_.phases[slow.worst->phase]);
    const bool is_periodic = period_of(slow.iterations) != 0;
    problem.remedy = is_periodic ? "Look at what the program does in these iterations only, such as output."
                                 : "Look at these iterations in a timeline: what is only done in some of them, or by "
                                   "other programs?";
    const bool is_noise = slow.cost_s < noise_s_ && !is_periodic;
    if (!is_noise || cause_of(problem) != nullptr) return explain_or_add(std::move(problem));
    noise_.cost_s += slow.cost_s;
    noise_.iterations.insert(slow.iterations.begin(), slow.iterations.end());
    if (noise_.worst == nullptr || slow.worst->cost_s > noise_.worst->cost_s) noise_.worst = slow.worst;
  }

  /// All that may be the machine's is one short problem.
  void add_noise() {
    if (noise_.worst == nullptr) return;
    ProblemSummary problem = problem_of(ProblemKind::slow_iterations, *noise_.worst, noise_.cost_s);
    if (noise_.iterations.size() > 1)
      problem.text = fmt::format("{} iterations are slow, which may be noise of the machine.",
                                 human_count(noise_.iterations.size()));
    problems_.push_back(std::move(problem));
  }

  const Summary& summary_;
  double noise_s_;
  std::vector<ProblemSummary>& problems_;
  std::size_t others_;
  bool has_lack_;
  Slow noise_;
};

}  // namespace

void find_slow_iterations(const Summary& summary, const Load& load, std::vector<ProblemSummary>& problems) {
  IterationFinder{summary, load, problems}.find();
}

}  // namespace meridian
