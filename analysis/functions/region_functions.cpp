// SPDX-License-Identifier: Apache-2.0
// Time outside MPI by region and function of the program. docs/FUNCTIONS.md has the definitions.

#include "analysis/functions/region_functions.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trace/model/event.hpp"
#include "trace/model/source_place.hpp"

namespace meridian {
namespace {

struct TimeInRegion {
  double self_s = 0, variance = 0;
  std::uint64_t samples = 0;
  std::map<std::uint32_t, std::uint64_t> lines;  // samples in each
  std::map<std::int32_t, double> ranks;          // seconds of each
};

}  // namespace

void RegionFunctions::take(const MergedEvent& event) {
  OpenRegions<>& open = open_[event.location];
  if ((event.flags & kFlagBegins) != 0)
    open.begin(event.call);
  else if ((event.flags & kFlagEnds) != 0)
    open.end(event.call);
}

void RegionFunctions::add(const MergedSample& sample) {
  const auto location = static_cast<std::uint32_t>(sample.location);
  const OpenRegions<>& open = open_[location];
  if (!open.empty()) ++counts_[open.innermost().call][location][static_cast<std::uint32_t>(sample.path)];
}

void RegionFunctions::fill(const SampleFunctions& functions,
                           const std::function<double(std::uint32_t location)>& seconds_of, Summary& summary) const {
  struct Region {
    double all_s = 0;
    std::vector<RegionFunctionSummary> rows;
  };
  std::vector<Region> regions;
  for (const auto& [call, locations] : counts_) {
    Region& region = regions.emplace_back();
    std::map<std::uint32_t, TimeInRegion> times;  // by number in SampleFunctions::functions()
    for (const auto& [location, paths] : locations) {
      const double sample_s = seconds_of(location);
      for (const auto& [path, samples] : paths) {
        const double time_s = sample_s * static_cast<double>(samples);
        region.all_s += time_s;
        const SampleFunctions::Line line = functions.line_of(path);
        if (line.function == SampleFunctions::kNone) continue;
        TimeInRegion& time = times[line.function];
        time.self_s += time_s;
        time.variance += sample_s * time_s;  // of a Poisson count
        time.samples += samples;
        time.lines[line.line] += samples;
        time.ranks[definitions_.locations[location].rank] += time_s;
      }
    }
    for (const auto& [number, time] : times) {
      const SampleFunctions::Function& function = functions.functions()[number];
      const auto most = std::ranges::max_element(time.ranks, {}, &std::pair<const std::int32_t, double>::second);
      RegionFunctionSummary& row = region.rows.emplace_back();
      row.region = definitions_.calls[call].name;
      row.function = shorten_templates(function.name, kMostFunctionName);
      row.place = place_of(function, most_sampled(time.lines));
      row.module = function.module;
      row.self_s = time.self_s;
      row.error_s = std::sqrt(time.variance);
      row.share = region.all_s > 0 ? time.self_s / region.all_s : 0;
      row.most_s = most->second;
      row.most_rank = most->first;
      row.samples = time.samples;
    }
    std::ranges::stable_sort(region.rows, std::greater{}, &RegionFunctionSummary::self_s);
  }
  std::ranges::stable_sort(regions, std::greater{}, &Region::all_s);
  for (Region& region : regions)
    summary.region_functions.insert(summary.region_functions.end(), std::make_move_iterator(region.rows.begin()),
                                    std::make_move_iterator(region.rows.end()));
}

}  // namespace meridian
