// SPDX-License-Identifier: Apache-2.0
#include "analysis/functions/late_functions.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "trace/model/source_place.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

constexpr std::size_t kKeptOfAll = 1 << 22, kLeastKept = 256, kMostKept = 8192;  // samples; of one thread
constexpr std::uint64_t kLooksForASample = 64;
constexpr std::int64_t kMostCompared = 256;  // samples of a thread, for one wait, when the budget is spent
constexpr std::int64_t kEarliest = std::numeric_limits<std::int64_t>::min();
constexpr std::size_t kCallersNamed = 3;
constexpr std::size_t kRowsOfAPlace = 10;

}  // namespace

LateFunctions::LateFunctions(const AnalysisInput& input, SampleReader reader)
    : definitions_{input.trace.definitions()},
      reader_{std::move(reader)},
      functions_{reader_.names()},
      budget_{kLooksForASample * reader_.size()},
      threads_(definitions_.locations.size()),
      spans_{input.spans},
      counts_{definitions_, reader_, input.spans, [this](const MergedSample& sample) { keep(sample); }} {
  most_kept_ = std::clamp(kKeptOfAll / std::max<std::size_t>(threads_.size(), 1), kLeastKept, kMostKept);
}

void LateFunctions::keep(const MergedSample& sample) {
  Thread& thread = threads_[static_cast<std::size_t>(sample.location)];
  thread.samples.push_back({sample.time_ns, static_cast<std::uint32_t>(sample.path)});
  if (thread.samples.size() <= most_kept_) return;
  thread.dropped_ns = thread.samples.front().time_ns + 1;
  thread.samples.pop_front();
}

std::span<const LateFunctions::Kept> LateFunctions::between(std::uint32_t location, std::int64_t from_ns,
                                                            std::int64_t until_ns) {
  const std::deque<Kept>& samples = threads_[location].samples;
  const auto begin = std::ranges::lower_bound(samples, from_ns, {}, &Kept::time_ns);
  const auto end = std::ranges::lower_bound(begin, samples.end(), until_ns, {}, &Kept::time_ns);
  found_.assign(begin, end);
  budget_ -= std::min<std::uint64_t>(budget_, found_.size());
  return found_;
}

void LateFunctions::Excess::end_causer() {
  variance += waits * waits * of_causer;
  of_causer = waits = 0;
}

std::uint32_t LateFunctions::Excess::main_path() const {
  std::map<std::uint32_t, std::uint64_t> longer;
  for (const auto& [path, count] : paths)
    if (count > 0) longer.emplace(path, static_cast<std::uint64_t>(count));
  return most_sampled(longer);
}

void LateFunctions::add(const EndedWait& wait) {
  if (is_of_threads(wait.kind)) return;
  const Thread &waiter = threads_[wait.waiter_location], &causer = threads_[wait.causer_location];
  std::int64_t from_ns = std::max({wait.since_ns.value_or(kEarliest), waiter.dropped_ns, causer.dropped_ns});
  if (budget_ == 0)
    for (const Thread* const thread : {&waiter, &causer})
      if (const auto count = std::ssize(thread->samples); count > kMostCompared)
        from_ns = std::max(from_ns, thread->samples[static_cast<std::size_t>(count - kMostCompared)].time_ns);
  Group& group = groups_[{wait.kind, wait.call, wait.place}];
  group.waited_ns += wait.ns;
  std::map<std::uint32_t, double> of_causer;
  for (const Kept& sample : between(wait.causer_location, from_ns, wait.end_ns)) {
    const std::uint32_t function = functions_.line_of(sample.path).function;
    if (function == SampleFunctions::kNone) continue;
    ++of_causer[function];
    ++group.functions[function].paths[sample.path];
  }
  for (const auto& [function, samples] : of_causer) {
    Excess& excess = group.functions[function];
    if (excess.causer != wait.causer) excess.end_causer();
    excess.causer = wait.causer;
    excess.of_causer = samples;
    ++excess.waits;
    excess.samples += samples;
  }
  for (const Kept& sample : between(wait.waiter_location, from_ns, wait.end_ns)) {
    const std::uint32_t function = functions_.line_of(sample.path).function;
    if (function == SampleFunctions::kNone) continue;
    Excess& excess = group.functions[function];
    --excess.samples;
    --excess.paths[sample.path];
    ++excess.variance;
  }
}

double LateFunctions::seconds_of_a_sample() const {
  double all_s = 0, samples = 0;
  for (std::size_t i = 0; i < counts_.threads().size(); ++i) {
    const ThreadSamples& thread = counts_.threads()[i];
    if (thread.outside == 0) continue;
    const auto outside = static_cast<double>(thread.outside);
    samples += outside;
    if (thread.processor_ns != 0) {
      all_s += static_cast<double>(thread.processor_ns) / 1e9 * outside / static_cast<double>(thread.all);
      continue;
    }
    const auto span = std::ranges::find(spans_, definitions_.locations[i].rank, &MeasuredSpan::rank);
    if (span != spans_.end()) all_s += std::max(0.0, seconds(span->end_ns - span->begin_ns - thread.inside_ns));
  }
  return samples > 0 ? all_s / samples : 0;
}

Status LateFunctions::fill(const CallPlaces& places, Summary& summary) {
  MERIDIAN_TRY_DO(counts_.finish());
  const double sample_s = seconds_of_a_sample();
  for (auto& [key, group] : groups_) {
    const auto& [kind, call, place] = key;
    const std::size_t first = summary.late_functions.size();
    double all_s = 0;
    for (auto& [number, excess] : group.functions) {
      excess.end_causer();
      if (!(excess.samples > 0) || !(sample_s > 0)) continue;
      all_s += excess.samples * sample_s;
      const SampleFunctions::Function& function = functions_.functions()[number];
      const std::uint32_t path = excess.main_path();
      summary.late_functions.push_back(
          {std::string{kWaitKindNames[static_cast<std::size_t>(kind)]}, std::string{definitions_.call_name(call)},
           std::string{places.name(place)}, shorten_templates(function.name, kMostFunctionName),
           place_of(function, functions_.line_of(path).line), functions_.callers_of(path, kCallersNamed),
           excess.samples * sample_s, std::sqrt(excess.variance) * sample_s});
    }
    const std::span rows = std::span{summary.late_functions}.subspan(first);
    // More than the waits themselves cannot be explained: a rank that is late for several reasons is so at the same time.
    const double scale = std::min(1.0, seconds(group.waited_ns) / std::max(all_s, 1e-9));
    for (LateFunctionSummary& row : rows) row.excess_s *= scale, row.error_s *= scale;
    std::ranges::stable_sort(rows, std::greater{}, &LateFunctionSummary::excess_s);
    summary.late_functions.resize(std::min(summary.late_functions.size(), first + kRowsOfAPlace));
  }
  return {};
}

}  // namespace meridian
