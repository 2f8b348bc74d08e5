// SPDX-License-Identifier: Apache-2.0
#include "summary/problems/problem_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "summary/problems/problem_waits.hpp"
#include "summary/problems/problems.hpp"
#include "summary/units.hpp"
#include "trace/model/call_facts.hpp"

namespace meridian {
namespace {

constexpr double kMuchInPlace = 0.05;  ///< of the ranks' time in one place: as for the problem `transfer` of traces
constexpr double kUnevenSums = 0.1;    ///< 1 - load balance: as for the problem `imbalance` of traces
constexpr std::size_t kMostPlaces = 5;

void add(const std::string& function, const std::string& place, std::uint64_t count, double total_s,
         std::uint64_t bytes, std::vector<ProblemSummary>& problems) {
  const double calls = std::max(static_cast<double>(count), 1.0);
  ProblemSummary& problem = problems.emplace_back();
  problem.problem = problem_name(ProblemKind::time_in_mpi);
  problem.cost_s = total_s;
  problem.function = function;
  problem.place = place;
  problem.text = fmt::format("{}{}: {} call{} of {} on average", function, place.empty() ? "" : " (" + place + ")",
                             human_count(count), count == 1 ? "" : "s", human_duration(total_s / calls));
  if (bytes > 0) problem.text += fmt::format(", {} each", human_bytes(static_cast<double>(bytes) / calls));
  problem.text += ".";
}

bool counts(const std::string& function) {
  return is_mpi_name(function) && !starts_or_ends_mpi(facts_of(function).facts.role);
}

}  // namespace

void find_time_in_mpi(const Summary& summary, const Load& load, std::vector<ProblemSummary>& problems) {
  const double least_s = kMuchInPlace * load.time_s;
  const std::size_t before = problems.size();
  const auto has_room = [&](double total_s) {
    return total_s >= least_s && total_s > 0 && problems.size() < before + kMostPlaces;
  };
  for (const SiteSummary& site : summary.sites)
    if (counts(site.function) && has_room(site.total_s))
      add(site.function, place_text(site), site.count, site.total_s, std::max(site.bytes_sent, site.bytes_received),
          problems);
  if (!summary.sites.empty()) return;
  for (const FunctionSummary& function : summary.functions)
    if (counts(function.name) && has_room(function.total_s))
      add(function.name, "", function.count, function.total_s, std::max(function.bytes_sent, function.bytes_received),
          problems);
}

std::string describe_imbalance_of_sums(const Load& load) {
  if (load.ranks.size() < 2 || !(1 - load.balance >= kUnevenSums)) return {};
  return fmt::format(
      "Rank {} is outside MPI for {}, the mean is {}: where the ranks wait for one another, part of their time in MPI "
      "is waiting for it.",
      load.ranks[load.slowest].rank->rank, human_duration(load.max_outside_s), human_duration(load.mean_outside_s));
}

}  // namespace meridian
