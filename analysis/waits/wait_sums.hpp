// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/walk/call_places.hpp"
#include "analysis/walk/event_window.hpp"
#include "merged/model/wait_sink.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// A wait, and the call that ended it.
struct FoundWait {
  WaitKind kind{};
  std::int64_t ns = 0;
  WindowEvent causer;
};

/// Adds up waits by kind, function, place and causer, and passes each one on.
class WaitSums {
 public:
  /// sink  may be null
  WaitSums(const MergedTrace& trace, ClockBounds bounds, WaitSink* sink);

  /// is_new  false: it continues a wait that was counted
  Status add(const FoundWait& wait, const WindowEvent& waiter, bool is_new = true);
  /// The time in which a participant of a collective did not return although another one, `first`, had: no wait for a
  /// call.
  void add_completion(WaitKind kind, std::int64_t ns, const WindowEvent& here, const WindowEvent& first);
  Status store() { return sink_ == nullptr ? Status{} : sink_->store(); }

  std::vector<WaitSummary> rows() const;
  std::vector<WaitPairSummary> pairs() const;

 private:
  using Key =
      std::tuple<WaitKind, std::int32_t, std::uint32_t, std::uint32_t, std::int32_t, std::uint32_t, std::uint32_t>;
  struct Sum {
    std::uint64_t count = 0, unresolved = 0;
    std::int64_t ns = 0, longest_ns = 0;
  };
  Sum& sum_of(const FoundWait& wait, const WindowEvent& waiter);
  std::int32_t rank_of(const WindowEvent& event) const;
  std::int64_t doubt(const WindowEvent& a, std::int64_t at_a_ns, const WindowEvent& b, std::int64_t at_b_ns) const;

  const MergedTrace& trace_;
  ClockBounds bounds_;
  WaitSink* sink_;
  CallPlaces places_;
  std::vector<std::uint32_t> domains_;  // [location]
  std::map<Key, Sum> waits_;
  std::map<std::pair<std::int32_t, std::int32_t>, Sum> pairs_;  // [waiting rank, rank waited for]
};

}  // namespace meridian
