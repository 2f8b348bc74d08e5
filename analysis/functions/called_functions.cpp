// SPDX-License-Identifier: Apache-2.0
// Processor time in functions of the program that MPI calls. docs/FUNCTIONS.md has the definitions.

#include "analysis/functions/called_functions.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/model/call_facts.hpp"
#include "trace/model/source_place.hpp"

namespace meridian {
namespace {

struct TimeInCalls {
  double processor_s = 0, variance = 0;
  std::uint64_t samples = 0;
  std::map<std::uint32_t, std::uint64_t> lines;  // samples in each
  std::map<std::int32_t, double> ranks;          // seconds of each
};

}  // namespace

bool CalledFunctions::is_called(const SampleFunctions& functions, std::uint32_t path, std::uint32_t site) const {
  const std::vector<SampleFunctions::Line> frames = functions.frames_of(path);
  const MergedSite& place = definitions_.sites[site];
  if (frames.size() < 2 || place.function.empty() || place.module >= definitions_.modules.size()) return false;
  const std::string name = without_copy_marks(place.function);
  const std::string_view file = definitions_.modules[place.module].path;
  const std::string_view module = file.substr(file.rfind('/') + 1);
  // Frames of Python are read some time after the sample: a frame of another line shows a moment after the call.
  const auto calls_mpi = [&](const SampleFunctions::Line& frame) {
    const SampleFunctions::Function& function = functions.functions()[frame.function];
    const bool is_same_line = frame.line == 0 || place.line == 0 || frame.line == place.line;
    return is_same_line && function.name == name && function.module == module;
  };
  const auto caller = std::ranges::find_if(frames, calls_mpi);
  if (caller == frames.begin() || caller == frames.end()) return false;
  const std::string& own = functions.functions()[frames.front().function].module;
  return std::any_of(caller, frames.end(), [&](const SampleFunctions::Line& frame) {
    return functions.functions()[frame.function].module == own;
  });
}

void CalledFunctions::fill(const SampleFunctions& functions,
                           const std::function<double(std::uint32_t location)>& seconds_of, Summary& summary) const {
  std::map<std::pair<std::uint32_t, std::uint32_t>, TimeInCalls> times;  // by call and number in functions()
  for (const auto& [key, paths] : counts_) {
    const auto& [call, site, location] = key;
    if (!is_mpi_name(definitions_.call_name(call))) continue;
    const double sample_s = seconds_of(static_cast<std::uint32_t>(location));
    for (const auto& [path, samples] : paths) {
      if (!is_called(functions, path, site)) continue;
      const SampleFunctions::Line line = functions.line_of(path);
      const double time_s = sample_s * static_cast<double>(samples);
      TimeInCalls& time = times[{call, line.function}];
      time.processor_s += time_s;
      time.variance += sample_s * time_s;  // of a Poisson count
      time.samples += samples;
      time.lines[line.line] += samples;
      time.ranks[definitions_.locations[static_cast<std::size_t>(location)].rank] += time_s;
    }
  }
  for (const auto& [key, time] : times) {
    const SampleFunctions::Function& function = functions.functions()[key.second];
    const auto most = std::ranges::max_element(time.ranks, {}, &std::pair<const std::int32_t, double>::second);
    CalledFunctionSummary& row = summary.called_functions.emplace_back();
    row.call = definitions_.call_name(key.first);
    row.function = shorten_templates(function.name, kMostFunctionName);
    row.place = place_of(function, most_sampled(time.lines));
    row.module = function.module;
    row.processor_s = time.processor_s;
    row.error_s = std::sqrt(time.variance);
    row.most_s = most->second;
    row.most_rank = most->first;
    row.samples = time.samples;
  }
  std::ranges::stable_sort(summary.called_functions, std::greater{}, &CalledFunctionSummary::processor_s);
}

}  // namespace meridian
