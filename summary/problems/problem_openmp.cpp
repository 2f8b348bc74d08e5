// SPDX-License-Identifier: Apache-2.0
#include "summary/problems/problem_openmp.hpp"

#include <fmt/format.h>

#include <string>

#include "summary/problems/problem_waits.hpp"
#include "summary/problems/problems.hpp"
#include "summary/units.hpp"

namespace meridian {

const OpenmpRegionSummary* worst_openmp_region(const Summary& summary, std::int32_t rank) {
  const OpenmpRegionSummary* worst = nullptr;
  for (const OpenmpRegionSummary& region : summary.openmp_regions)
    if (region.rank == rank && region.lost_s > 0 && (worst == nullptr || region.lost_s > worst->lost_s))
      worst = &region;
  return worst;
}

ProblemSummary describe_openmp_imbalance(const OpenmpRegionSummary& region, double victims_s) {
  ProblemSummary problem;
  problem.problem = problem_name(ProblemKind::openmp_imbalance);
  problem.cost_s = region.lost_s + victims_s;
  problem.function = "omp_parallel";
  problem.place = region.place;
  problem.causer = region.rank;
  const double mean_threads = static_cast<double>(region.shares) / static_cast<double>(region.regions);
  problem.text = fmt::format(
      "Threads of rank {} wait {} for each other at the ends and barriers of the parallel region in {}{}, executed {} "
      "times by "
      "{:.3g} threads: thread {} computes {}, the mean is {}.",
      region.rank, human_duration(region.barrier_s), region.function.empty() ? "an unknown function" : region.function,
      in_brackets(region.place), human_count(region.regions), mean_threads, region.slowest,
      human_duration(region.slowest_s), human_duration(region.share_s / mean_threads));
  if (victims_s > 0)
    problem.text += fmt::format(" Therefore other ranks wait {} for rank {}.", human_duration(victims_s), region.rank);
  problem.remedy =
      "Share the iterations evenly, as with schedule(dynamic) or (guided), or make the work of tasks smaller.";
  return problem;
}

}  // namespace meridian
