// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/walk/ready_times.hpp"
#include "analysis/walk/trace_visitor.hpp"
#include "merged/sample_reader.hpp"

namespace meridian {

/// The samples of one thread, and its time outside MPI.
struct ThreadSamples {
  std::uint64_t all = 0;                                    ///< wherever it was
  std::uint64_t outside = 0;                                ///< outside calls, in the span of its rank
  std::unordered_map<std::uint32_t, std::uint64_t> counts;  ///< of these, by path
  std::int64_t inside_ns = 0;                               ///< in calls, in that span
  std::int64_t ready_ns = 0;       ///< outside calls, in that span, ready without a processor; needs ReadyTimes
  std::uint64_t processor_ns = 0;  ///< while it was sampled; 0: unknown
};

/// Sorts the samples of a trace into those inside calls and those outside, while its events are read in global order: of the calls
/// that a thread has begun before a sample, all have been seen by then. Calls are those of MPI, and those of the C library and of
/// OpenMP in which a thread waits or sleeps.
class SampleCounts {
 public:
  /// Called for each sample outside calls, rank by rank in order of time.
  using Outside = std::function<void(const MergedSample&)>;
  /// Called for each sample inside a call that is one event of its own, and not a part of sums over calls.
  using Inside = std::function<void(const MergedSample&, const MergedEvent&)>;
  /// Called for each event of the program itself, when all earlier samples of its rank have been taken.
  using Program = std::function<void(const MergedEvent&)>;
  /// All of these must outlive it.
  SampleCounts(const MergedDefinitions& definitions, const SampleReader& reader, const std::vector<MeasuredSpan>& spans,
               Outside outside = {}, Program program = {}, const ReadyTimes* ready = nullptr);

  /// Before the first events; unless it is called, samples inside calls are only counted.
  void report_inside(Inside inside) {
    inside_ = std::move(inside);
    latest_.resize(threads_.size());
  }
  /// The next events.
  Status look_at(std::span<const WalkedEvent> events);
  /// After the last event.
  Status finish();
  /// By MergedEvent::location.
  const std::vector<ThreadSamples>& threads() const noexcept { return threads_; }

 private:
  /// The samples of a rank that were not looked at yet.
  struct Rank {
    std::uint64_t next = 0, end = 0;  // rows that were not read
    std::vector<MergedSample> rows;
    std::size_t at = 0;
    std::int64_t begin_ns = 0, end_ns = 0;  // the measured span
  };
  Status read(Rank& rank);
  /// Takes the rank's samples before `time_ns`.
  Status take_until(Rank& rank, std::int64_t time_ns);
  void take(const Rank& rank, const MergedSample& sample);

  const SampleReader& reader_;
  const ReadyTimes* ready_;
  Outside outside_;
  Program program_;
  Inside inside_;
  std::size_t rows_at_a_time_ = 0;
  std::vector<bool> is_call_, is_program_;  // [call]
  std::vector<Rank> ranks_;
  std::vector<std::size_t> rank_of_;      // [location]: in ranks_; their number: none
  std::vector<std::int64_t> busy_until_;  // [location]: latest leave of its calls
  std::vector<MergedEvent> latest_;       // [location]: the call that ends at busy_until_; empty without inside_
  std::vector<ThreadSamples> threads_;
};

}  // namespace meridian
