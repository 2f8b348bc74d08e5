// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "merged/merged_trace.hpp"
#include "merged/model/open_regions.hpp"
#include "merged/model/samples.hpp"
#include "merged/sample_functions.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// Samples outside MPI by the innermost region of the program that is open in their thread.
class RegionFunctions {
 public:
  /// `definitions` must outlive it.
  explicit RegionFunctions(const MergedDefinitions& definitions)
      : definitions_{definitions}, open_(definitions.locations.size()) {}

  /// A region begins or ends; all earlier samples of its thread have been added.
  void take(const MergedEvent& event);
  void add(const MergedSample& sample);
  /// Fills region_functions. seconds_of: of a sample of this location
  void fill(const SampleFunctions& functions, const std::function<double(std::uint32_t location)>& seconds_of,
            Summary& summary) const;

 private:
  using PathCounts = std::unordered_map<std::uint32_t, std::uint64_t>;  // samples by path
  const MergedDefinitions& definitions_;
  std::vector<OpenRegions<>> open_;                                      // [location]
  std::map<std::uint32_t, std::map<std::uint32_t, PathCounts>> counts_;  // by region, then location
};

}  // namespace meridian
