// SPDX-License-Identifier: Apache-2.0
#include "analysis/walk/measured_spans.hpp"

#include <algorithm>

#include "analysis/walk/location_states.hpp"

namespace meridian {
namespace {

/// Calls look(event) for events until it returns false.
template <class Look>
Status walk(const MergedTrace& trace, bool is_backwards, Look&& look) {
  MERIDIAN_TRY(EventCursor cursor,
               trace.select({.is_backwards = is_backwards, .fields = kFieldCall, .links = kNoLinks}));
  MergedBatch batch;
  for (;;) {
    MERIDIAN_TRY(const bool has_events, cursor.next(batch));
    if (!has_events) return {};
    for (const MergedEvent& event : batch.events)
      if (!look(event)) return {};
  }
}

}  // namespace

Result<std::vector<MeasuredSpan>> measured_spans(const MergedTrace& trace) {
  const MergedDefinitions& definitions = trace.definitions();
  const std::vector<CallTraits> traits = call_traits(definitions);
  std::vector<MeasuredSpan> spans;
  for (const MergedRank& rank : definitions.ranks) spans.push_back({.rank = rank.rank});
  std::vector<std::size_t> number_of;  // [location]; the number of spans: none
  for (const MergedLocation& location : definitions.locations)
    number_of.push_back(
        static_cast<std::size_t>(std::ranges::find(spans, location.rank, &MeasuredSpan::rank) - spans.begin()));
  const auto is = [&](const MergedEvent& event, bool CallTraits::*what) {
    return event.call < traits.size() && traits[event.call].*what;
  };

  std::size_t begun = 0;
  std::vector<bool> is_begun(spans.size());
  MERIDIAN_TRY_DO(walk(trace, false, [&](const MergedEvent& event) {
    const std::size_t number = number_of[event.location];
    if (number == spans.size() || is_begun[number]) return true;
    MeasuredSpan& span = spans[number];
    if (!span.has_events || is(event, &CallTraits::is_init)) {
      span.main = event.location;
      span.begin_ns = is(event, &CallTraits::is_init) ? event.leave_ns() : event.enter_ns;
    }
    span.has_events = true;
    if (is(event, &CallTraits::is_init)) {
      is_begun[number] = true;
      ++begun;
    }
    return begun != spans.size();
  }));

  std::size_t missing = 0;
  std::vector<bool> is_ended(spans.size()), is_seen(spans.size());
  for (const MeasuredSpan& span : spans) missing += span.has_events ? 1 : 0;
  MERIDIAN_TRY_DO(walk(trace, true, [&](const MergedEvent& event) {
    const std::size_t number = number_of[event.location];
    if (number == spans.size() || is_ended[number]) return true;
    MeasuredSpan& span = spans[number];
    if (is(event, &CallTraits::is_finalize)) {
      is_ended[number] = true;
      span.end_ns = event.enter_ns;
    } else {
      span.end_ns = is_seen[number] ? std::max(span.end_ns, event.leave_ns()) : event.leave_ns();
      // A rank that did not come to MPI_Finalize ends with its last event.
      is_ended[number] = !definitions.ranks[number].is_finalized;
    }
    is_seen[number] = true;
    if (is_ended[number]) --missing;
    return missing != 0;
  }));
  for (MeasuredSpan& span : spans) span.end_ns = std::max(span.end_ns, span.begin_ns);
  return spans;
}

}  // namespace meridian
