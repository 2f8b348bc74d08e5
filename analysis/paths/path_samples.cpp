// SPDX-License-Identifier: Apache-2.0
#include "analysis/paths/path_samples.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "merged/sample_functions.hpp"
#include "trace/model/source_place.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

constexpr std::size_t kRowsAtATime = 256;

struct PathTime {
  double path_s = 0, variance = 0;
  std::uint64_t samples = 0;
  std::map<std::uint32_t, std::uint64_t> lines{};
};

}  // namespace

Result<PathSamples> PathSamples::open(const MergedTrace& trace) {
  MERIDIAN_TRY(SampleReader reader, trace.samples());
  return PathSamples{trace.definitions(), std::move(reader)};
}

PathSamples::PathSamples(const MergedDefinitions& definitions, SampleReader reader) : reader_{std::move(reader)} {
  if (reader_.size() == 0) return;
  threads_.resize(definitions.locations.size());
  for (const SampleRank& row : reader_.names().ranks)
    for (std::size_t i = 0; i < threads_.size(); ++i)
      if (definitions.locations[i].rank == row.rank) {
        threads_[i].next = row.first;
        threads_[i].end = row.first + row.count;
      }
}

Status PathSamples::add(std::uint32_t location, std::int64_t begin_ns, std::int64_t end_ns) {
  if (threads_.empty() || end_ns <= begin_ns) return {};
  Thread& thread = threads_[location];
  thread.ns += end_ns - begin_ns;
  for (;; ++thread.at) {
    if (thread.at == thread.rows.size()) {
      if (thread.next == thread.end) return {};
      thread.rows.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kRowsAtATime, thread.end - thread.next)));
      thread.at = 0;
      MERIDIAN_TRY_DO(reader_.read(thread.next, thread.rows));
      thread.next += thread.rows.size();
    }
    const MergedSample& sample = thread.rows[thread.at];
    if (sample.time_ns >= end_ns) return {};
    if (sample.time_ns < begin_ns || static_cast<std::uint32_t>(sample.location) != location) continue;
    ++thread.samples;
    ++thread.counts[static_cast<std::uint32_t>(sample.path)];
  }
}

void PathSamples::finish(std::int64_t length_ns, Summary& summary) const {
  summary.path_functions.clear();
  if (threads_.empty()) return;
  const SampleFunctions functions{reader_.names()};
  std::map<std::uint32_t, PathTime> times;
  for (const Thread& thread : threads_) {
    if (thread.samples == 0) continue;
    std::map<std::uint32_t, std::uint64_t> own;
    for (const auto& [path, samples] : thread.counts) {
      const SampleFunctions::Line& line = functions.line_of(path);
      if (line.function == SampleFunctions::kNone) continue;
      own[line.function] += samples;
      times[line.function].lines[line.line] += samples;
    }
    const double time_s = seconds(thread.ns);
    const auto all = static_cast<double>(thread.samples);
    for (const auto& [function, samples] : own) {
      const double share = static_cast<double>(samples) / all;
      PathTime& time = times[function];
      time.path_s += time_s * share;
      time.variance += time_s * time_s * share * (1 - share) / all;
      time.samples += samples;
    }
  }
  for (const auto& [number, time] : times) {
    const SampleFunctions::Function& function = functions.functions()[number];
    PathFunctionSummary& row = summary.path_functions.emplace_back();
    row.function = shorten_templates(function.name, kMostFunctionName);
    row.place = place_of(function, most_sampled(time.lines));
    row.module = function.module;
    row.path_s = time.path_s;
    row.error_s = std::sqrt(time.variance);
    row.share = length_ns > 0 ? time.path_s / seconds(length_ns) : 0;
    row.samples = time.samples;
  }
  std::ranges::stable_sort(summary.path_functions, std::greater{}, &PathFunctionSummary::path_s);
}

}  // namespace meridian
