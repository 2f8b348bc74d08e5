// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>

#include "edit/stored_trace.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// From when until when the events that an edit keeps are, for each rank.
class KeptTimes {
 public:
  explicit KeptTimes(const MergedDefinitions& definitions) : definitions_{&definitions} {}

  void add(const EditedEvent& event) {
    Span& span = spans_[definitions_->locations[event.location].rank];
    span.begin_ns = std::min(span.begin_ns, event.enter_ns);
    span.end_ns = std::max(span.end_ns, event.leave_ns());
  }
  bool has(std::int32_t rank, std::int64_t time_ns) const { return has(rank, time_ns, time_ns); }
  /// Any time from `begin_ns` to `end_ns`.
  bool has(std::int32_t rank, std::int64_t begin_ns, std::int64_t end_ns) const {
    const auto span = spans_.find(rank);
    return span != spans_.end() && end_ns >= span->second.begin_ns && begin_ns <= span->second.end_ns;
  }

 private:
  struct Span {
    std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max();
    std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();
  };
  const MergedDefinitions* definitions_;
  std::map<std::int32_t, Span> spans_;
};

/// Copies the samples between the first and the last of a rank's remaining events to an HDF5 file (hid_t), with all names.
Status copy_samples(const StoredTrace& trace, const KeptTimes& kept, std::int64_t file);
/// The same with the intervals without a processor that are, at least in part, between these events.
Status copy_processor(const StoredTrace& trace, const KeptTimes& kept, std::int64_t file);

}  // namespace meridian
