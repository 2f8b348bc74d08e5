// SPDX-License-Identifier: Apache-2.0
// Time outside MPI by function of the program, from samples. docs/FUNCTIONS.md has the definitions.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/functions/called_functions.hpp"
#include "analysis/functions/region_functions.hpp"
#include "analysis/functions/sample_counts.hpp"
#include "analysis/walk/ready_times.hpp"
#include "analysis/walk/trace_visitor.hpp"
#include "merged/sample_functions.hpp"
#include "trace/model/source_place.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

constexpr double kNearlyAll = 0.9;  ///< of the time outside calls; the rest is then noise of the samples, not sleep
constexpr std::size_t kMostCallers = 3;
constexpr std::size_t kMostRankRows = std::size_t{1} << 17;

/// Samples of one function, in one rank or in all ranks.
struct FunctionTime {
  double self_s = 0, inclusive_s = 0, variance = 0, processor_s = 0;
  std::uint64_t samples = 0;
  std::map<std::uint32_t, std::uint64_t> lines;       // samples in each
  std::map<std::uint32_t, std::uint64_t> call_lines;  // samples by line, including samples of called functions
  std::map<std::uint32_t, std::uint64_t> paths;

  /// The line with most samples; the line of the call, for a function that only calls others.
  std::uint32_t line() const { return most_sampled(lines.empty() ? call_lines : lines); }
};
using FunctionTimes = std::map<std::uint32_t, FunctionTime>;  // by number in SampleFunctions::functions()

class FunctionFinder final : public TraceVisitor {
 public:
  FunctionFinder(const AnalysisInput& input, SampleReader reader, ReadyTimes ready)
      : definitions_{input.trace.definitions()},
        reader_{std::move(reader)},
        ready_{std::move(ready)},
        spans_{input.spans},
        functions_{reader_.names()},
        regions_{definitions_},
        called_{definitions_},
        counts_{definitions_,
                reader_,
                input.spans,
                [this](const MergedSample& sample) { regions_.add(sample); },
                [this](const MergedEvent& event) { regions_.take(event); },
                &ready_} {
    counts_.report_inside([this](const MergedSample& sample, const MergedEvent& event) { called_.add(sample, event); });
    for (const UsageSummary& usage : input.summary.usage)
      if (usage.thread == -1) ready_s_[usage.rank] = usage.ready_s;
  }

  Status look_at(std::span<const WalkedEvent> events) override {
    return reader_.size() != 0 ? counts_.look_at(events) : Status{};
  }

  Status finish(Summary& summary) override {
    summary.program_functions.clear();
    summary.rank_functions.clear();
    summary.region_functions.clear();
    summary.thread_functions.clear();
    summary.called_functions.clear();
    if (reader_.size() == 0) return {};
    MERIDIAN_TRY_DO(counts_.finish());
    std::map<std::int32_t, FunctionTimes> ranks;
    std::map<std::int32_t, std::size_t> threads;  // of a rank that have samples
    for (std::uint32_t i = 0; i < counts_.threads().size(); ++i) {
      const std::int32_t rank = definitions_.locations[i].rank;
      add_thread(i, ranks[rank]);
      if (counts_.threads()[i].outside != 0) ++threads[rank];
    }
    fill_functions(ranks, summary);
    fill_ranks(ranks, summary);
    for (std::uint32_t i = 0; i < counts_.threads().size(); ++i)
      if (threads[definitions_.locations[i].rank] > 1) fill_thread(i, summary);
    const auto seconds_of = [this](std::uint32_t location) {
      return computing_s(location) /
             static_cast<double>(std::max<std::uint64_t>(counts_.threads()[location].outside, 1));
    };
    regions_.fill(functions_, seconds_of, summary);
    called_.fill(
        functions_, [this](std::uint32_t location) { return processor_s(counts_.threads()[location], 1); }, summary);
    return {};
  }

 private:
  /// Processor time of a thread by its samples; 0: unknown.
  static double processor_s(const ThreadSamples& thread, std::uint64_t samples) {
    if (thread.all == 0) return 0;
    return static_cast<double>(thread.processor_ns) / 1e9 * static_cast<double>(samples) /
           static_cast<double>(thread.all);
  }

  /// Time outside calls in which a thread computed or had no processor, but did not sleep.
  double computing_s(std::uint32_t location) const {
    const ThreadSamples& thread = counts_.threads()[location];
    const std::int32_t rank = definitions_.locations[location].rank;
    const auto span = std::ranges::find(spans_, rank, &MeasuredSpan::rank);
    if (span == spans_.end()) return 0;
    const double outside_s = std::max(0.0, seconds(span->end_ns - span->begin_ns - thread.inside_ns));
    if (thread.processor_ns == 0) return outside_s;
    const double own_s = processor_s(thread, thread.outside);
    const double ready_s = ready_.is_known() ? seconds(thread.ready_ns) : share_of_ready_s(rank, own_s);
    return own_s + ready_s >= kNearlyAll * outside_s ? outside_s : own_s + ready_s;
  }

  /// Without intervals: of the time in which the rank was ready, the part of a thread with this processor time outside calls.
  double share_of_ready_s(std::int32_t rank, double own_s) const {
    double all_s = 0;  // of the rank's threads
    for (std::uint32_t i = 0; i < counts_.threads().size(); ++i)
      if (definitions_.locations[i].rank == rank) all_s += processor_s(counts_.threads()[i], counts_.threads()[i].all);
    const auto ready = ready_s_.find(rank);
    return ready != ready_s_.end() && all_s > 0 ? ready->second * own_s / all_s : 0;
  }

  void add_thread(std::uint32_t location, FunctionTimes& times) {
    const ThreadSamples& thread = counts_.threads()[location];
    if (thread.outside == 0) return;
    const double time_s = computing_s(location);
    outside_s_ += time_s;
    const auto all = static_cast<double>(thread.outside);
    std::map<std::uint32_t, std::uint64_t> self;
    for (const auto& [path, samples] : thread.counts) {
      const SampleFunctions::Line line = functions_.line_of(path);
      for (const SampleFunctions::Line& frame : functions_.frames_of(path)) {
        FunctionTime& time = times[frame.function];
        time.inclusive_s += time_s * static_cast<double>(samples) / all;
        time.call_lines[frame.line] += samples;
      }
      if (line.function == SampleFunctions::kNone) continue;
      FunctionTime& time = times[line.function];
      time.lines[line.line] += samples;
      time.paths[path] += samples;
      self[line.function] += samples;
    }
    for (const auto& [function, samples] : self) {
      const double share = static_cast<double>(samples) / all;
      const double self_s = time_s * share;
      times[function].self_s += self_s;
      // A thread that yields its processor often in MPI gets samples that are due there only when it computes again: too many.
      times[function].processor_s += thread.processor_ns != 0 ? std::min(processor_s(thread, samples), self_s) : self_s;
      times[function].samples += samples;
      times[function].variance += time_s * time_s * share * (1 - share) / all;
    }
  }

  void fill_functions(const std::map<std::int32_t, FunctionTimes>& ranks, Summary& summary) const {
    FunctionTimes all;
    std::map<std::uint32_t, std::pair<double, std::int32_t>> most;
    for (const auto& [rank, times] : ranks)
      for (const auto& [function, time] : times) {
        FunctionTime& sum = all[function];
        sum.self_s += time.self_s;
        sum.inclusive_s += time.inclusive_s;
        sum.variance += time.variance;
        sum.processor_s += time.processor_s;
        sum.samples += time.samples;
        for (const auto& [line, samples] : time.lines) sum.lines[line] += samples;
        for (const auto& [line, samples] : time.call_lines) sum.call_lines[line] += samples;
        auto& [most_s, most_rank] = most.try_emplace(function, -1.0, -1).first->second;
        if (time.self_s > most_s) most_s = time.self_s, most_rank = rank;
      }
    for (const auto& [number, time] : all) {
      const SampleFunctions::Function& function = functions_.functions()[number];
      ProgramFunctionSummary& row = summary.program_functions.emplace_back();
      row.function = shorten_templates(function.name, kMostFunctionName);
      row.place = place_of(function, time.line());
      row.module = function.module;
      row.self_s = time.self_s;
      row.error_s = std::sqrt(time.variance);
      row.processor_s = time.processor_s;
      row.share = outside_s_ > 0 ? time.self_s / outside_s_ : 0;
      row.inclusive_s = time.inclusive_s;
      row.mean_s = time.self_s / static_cast<double>(ranks.size());
      std::tie(row.most_s, row.most_rank) = most[number];
      row.imbalance_s = row.most_s - row.mean_s;
      row.samples = time.samples;
    }
    const auto by_time = [](const ProgramFunctionSummary& row) { return std::pair{row.self_s, row.inclusive_s}; };
    std::ranges::stable_sort(summary.program_functions, std::greater{}, by_time);
  }

  void fill_ranks(const std::map<std::int32_t, FunctionTimes>& ranks, Summary& summary) const {
    const std::size_t most = std::max<std::size_t>(1, kMostRankRows / std::max<std::size_t>(1, ranks.size()));
    for (const auto& [rank, times] : ranks) {
      std::vector<std::pair<std::uint32_t, const FunctionTime*>> sorted;
      for (const auto& [number, time] : times) sorted.emplace_back(number, &time);
      std::ranges::stable_sort(sorted, std::greater{}, [](const auto& entry) { return entry.second->self_s; });
      sorted.resize(std::min(sorted.size(), most));
      for (const auto& [number, time] : sorted) {
        const SampleFunctions::Function& function = functions_.functions()[number];
        RankFunctionSummary& row = summary.rank_functions.emplace_back();
        row.rank = rank;
        row.function = shorten_templates(function.name, kMostFunctionName);
        row.place = place_of(function, time->line());
        row.module = function.module;
        row.self_s = time->self_s;
        row.error_s = std::sqrt(time->variance);
        row.processor_s = time->processor_s;
        row.inclusive_s = time->inclusive_s;
        row.samples = time->samples;
        if (!time->paths.empty()) row.callers = functions_.callers_of(most_sampled(time->paths), kMostCallers);
      }
    }
  }

  void fill_thread(std::uint32_t location, Summary& summary) {
    const ThreadSamples& thread = counts_.threads()[location];
    if (thread.outside == 0 || summary.thread_functions.size() >= kMostRankRows) return;
    FunctionTimes times;
    const double time_s = computing_s(location);
    for (const auto& [path, samples] : thread.counts) {
      const SampleFunctions::Line line = functions_.line_of(path);
      if (line.function == SampleFunctions::kNone) continue;
      times[line.function].samples += samples;
      times[line.function].lines[line.line] += samples;
    }
    const std::size_t first = summary.thread_functions.size();
    for (const auto& [number, time] : times) {
      const SampleFunctions::Function& function = functions_.functions()[number];
      ThreadFunctionSummary& row = summary.thread_functions.emplace_back();
      row.rank = definitions_.locations[location].rank;
      row.thread = definitions_.locations[location].thread;
      row.function = shorten_templates(function.name, kMostFunctionName);
      row.place = place_of(function, time.line());
      row.samples = time.samples;
      row.share = static_cast<double>(time.samples) / static_cast<double>(thread.outside);
      row.self_s = time_s * row.share;
      row.error_s = time_s * std::sqrt(row.share * (1 - row.share) / static_cast<double>(thread.outside));
    }
    std::ranges::stable_sort(summary.thread_functions.begin() + static_cast<std::ptrdiff_t>(first),
                             summary.thread_functions.end(), std::greater{}, &ThreadFunctionSummary::self_s);
  }

  const MergedDefinitions& definitions_;
  SampleReader reader_;
  ReadyTimes ready_;
  std::vector<MeasuredSpan> spans_;
  SampleFunctions functions_;
  RegionFunctions regions_;
  CalledFunctions called_;
  SampleCounts counts_;
  std::map<std::int32_t, double> ready_s_;  // [rank]
  double outside_s_ = 0;                    // of all sampled threads
};

}  // namespace

Result<std::unique_ptr<TraceVisitor>> find_functions(const AnalysisInput& input) {
  MERIDIAN_TRY(SampleReader reader, input.trace.samples());
  ReadyTimes ready;
  if (reader.size() != 0) {
    MERIDIAN_TRY(ready, ReadyTimes::read(input.trace));
  }
  return std::unique_ptr<TraceVisitor>{std::make_unique<FunctionFinder>(input, std::move(reader), std::move(ready))};
}

}  // namespace meridian
