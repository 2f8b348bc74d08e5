// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>

#include "merged/merged_trace.hpp"
#include "merged/model/samples.hpp"
#include "merged/sample_functions.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// Samples in functions of the program that MPI calls: of user-defined operations, attributes and error handlers. Their callers include the
/// function that called MPI. Functions of the MPI library have it as a caller too, but are in a module that neither it nor its callers are in.
class CalledFunctions {
 public:
  /// `definitions` must outlive it.
  explicit CalledFunctions(const MergedDefinitions& definitions) : definitions_{definitions} {}

  /// A sample that was taken inside this call.
  void add(const MergedSample& sample, const MergedEvent& event) {
    if (event.site != 0 && event.site < definitions_.sites.size())
      ++counts_[{event.call, event.site, sample.location}][static_cast<std::uint32_t>(sample.path)];
  }
  /// Fills called_functions. seconds_of: processor time of a sample of this location; 0: unknown
  void fill(const SampleFunctions& functions, const std::function<double(std::uint32_t location)>& seconds_of,
            Summary& summary) const;

 private:
  /// Whether the function of the path was called by MPI, in a call from this site.
  bool is_called(const SampleFunctions& functions, std::uint32_t path, std::uint32_t site) const;

  const MergedDefinitions& definitions_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int32_t>, std::unordered_map<std::uint32_t, std::uint64_t>>
      counts_;  // by call, site and location: samples by path
};

}  // namespace meridian
