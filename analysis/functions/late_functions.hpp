// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "analysis/functions/sample_counts.hpp"
#include "analysis/walk/call_places.hpp"
#include "analysis/walk/trace_visitor.hpp"
#include "merged/model/event_waits.hpp"
#include "merged/sample_functions.hpp"
#include "merged/sample_reader.hpp"

namespace meridian {

/// A wait that has ended.
struct EndedWait {
  WaitKind kind{};
  std::uint32_t call = 0, place = 0;  ///< of the call that waited
  std::int64_t ns = 0, end_ns = 0;
  std::optional<std::int64_t> since_ns{};  ///< since when both are compared; nullopt: since the beginning of the trace
  std::uint64_t causer = 0;                ///< row of the call that was waited for
  std::uint32_t waiter_location = 0, causer_location = 0;
};

/// Finds, by samples, the functions of the program in which a rank that is waited for spends more time than the rank that waits, since both
/// were last at one instant. If another rank is late each time, sums over the run have no excess. Memory: the latest samples of each thread.
class LateFunctions {
 public:
  LateFunctions(const AnalysisInput& input, SampleReader reader);
  LateFunctions(const LateFunctions&) = delete;
  LateFunctions& operator=(const LateFunctions&) = delete;

  /// The next event, before waits that end when it begins.
  Status look_at(const WalkedEvent& event) { return counts_.look_at(std::span{&event, 1}); }
  /// Waits must come in the order of their ends.
  void add(const EndedWait& wait);
  /// Adds the rows of late_functions, after the last event. errors: damaged; io
  Status fill(const CallPlaces& places, Summary& summary);

 private:
  struct Kept {
    std::int64_t time_ns = 0;
    std::uint32_t path = 0;
  };
  /// The latest samples of a thread outside calls.
  struct Thread {
    std::deque<Kept> samples;
    std::int64_t dropped_ns = std::numeric_limits<std::int64_t>::min();  // older ones are not known
  };
  /// Samples of causers, less the samples of waiting threads.
  struct Excess {
    double samples = 0, variance = 0;
    std::map<std::uint32_t, std::int64_t> paths;  // the same by path
    std::uint64_t causer = 0;                     // the last one, its samples, and how many waits they count for
    double of_causer = 0, waits = 0;
    /// The samples of one causer are the same for all that wait for it: they err together.
    void end_causer();
    /// The path with most of the excess.
    std::uint32_t main_path() const;
  };
  struct Group {
    std::int64_t waited_ns = 0;
    std::map<std::uint32_t, Excess> functions;
  };
  using Key = std::tuple<WaitKind, std::uint32_t, std::uint32_t>;  // call, place

  void keep(const MergedSample& sample);
  /// Processor time; where it is unknown, time outside calls.
  double seconds_of_a_sample() const;
  /// Samples of a thread in [from, until), valid until the next call; their number is taken off the budget.
  std::span<const Kept> between(std::uint32_t location, std::int64_t from_ns, std::int64_t until_ns);

  const MergedDefinitions& definitions_;
  SampleReader reader_;
  SampleFunctions functions_;
  std::size_t most_kept_ = 0;
  std::uint64_t budget_ = 0;     // samples that may be looked at without a bound for each wait
  std::vector<Thread> threads_;  // [location]
  std::vector<Kept> found_;
  std::map<Key, Group> groups_;
  std::vector<MeasuredSpan> spans_;
  SampleCounts counts_;
};

}  // namespace meridian
