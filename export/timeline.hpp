// SPDX-License-Identifier: Apache-2.0
#pragma once

// A merged trace as a stream of moments in order of time, from which formats with timelines are made.

#include <cstdint>
#include <span>

#include "export/source.hpp"
#include "merged/merged_trace.hpp"
#include "merged/user_values.hpp"
#include "trace/model/result.hpp"

namespace meridian {

enum class TimelineKind : std::uint8_t {
  call,    ///< of MPI, or of another traced library; polls that found nothing
  region,  ///< of the program
  moment,  ///< a user event without a duration
};

/// What a thread was doing.
struct TimelineItem {
  TimelineKind kind{};
  const MergedEvent& event;  ///< of a region: the event that begins it
  std::span<const EventLink> links;
  std::span<const NamedValue> values{};  ///< of a user event or counter
  bool is_counter = false;               ///< a moment, with one value, which holds until the next one

  /// The value of a counter.
  double number() const { return values.empty() ? 0 : std::get<double>(values.front().value); }
};

/// Receives both ends of each item. Times never decrease. The items of a location nest, and an inner one leaves first.
class TimelineVisitor {
 public:
  TimelineVisitor() = default;
  TimelineVisitor(const TimelineVisitor&) = delete;
  TimelineVisitor& operator=(const TimelineVisitor&) = delete;
  virtual ~TimelineVisitor() = default;
  virtual Status enter(const TimelineItem& item) = 0;
  virtual Status leave(const TimelineItem& item, std::int64_t time_ns) = 0;
};

/// Walks through the events once. Memory is bounded by the items that are open at one time.
Status walk_timeline(ExportSource& source, TimelineVisitor& visitor);

}  // namespace meridian
