// SPDX-License-Identifier: Apache-2.0
#include "analysis/walk/measured_spans.hpp"

#include <algorithm>
#include <limits>

namespace meridian {

MeasuredSpans::MeasuredSpans(const MergedDefinitions& definitions, bool is_last_part)
    : is_last_part_{is_last_part}, traits_{call_traits(definitions)}, ranks_(definitions.ranks.size()) {
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    ranks_[i].is_finalized = definitions.ranks[i].is_finalized;
    spans_.push_back({.rank = definitions.ranks[i].rank});
  }
  for (const MergedLocation& location : definitions.locations)
    number_of_.push_back(
        static_cast<std::size_t>(std::ranges::find(spans_, location.rank, &MeasuredSpan::rank) - spans_.begin()));
}

void MeasuredSpans::add(const MergedEvent& event) {
  const std::size_t number = number_of_[event.location];
  if (number == spans_.size()) return;
  const CallTraits traits = event.call < traits_.size() ? traits_[event.call] : CallTraits{};
  MeasuredSpan& span = spans_[number];
  Rank& rank = ranks_[number];
  // The earliest start of MPI or of a session comes last here, and counts; without one, the earliest event.
  if (traits.starts_mpi || !rank.is_begun) {
    span.main = event.location;
    span.begin_ns = traits.starts_mpi ? event.leave_ns() : event.enter_ns;
    rank.is_begun = traits.starts_mpi;
  }
  if (!rank.is_ended) {
    if (traits.ends_mpi) {
      rank.is_ended = true;
      span.end_ns = event.enter_ns;
    } else {
      span.end_ns = span.has_events ? std::max(span.end_ns, event.leave_ns()) : event.leave_ns();
      // A rank that did not come to MPI_Finalize ends with its last event.
      rank.is_ended = !rank.is_finalized;
    }
  }
  span.has_events = true;
}

void MeasuredSpans::begin_together(std::vector<MeasuredSpan>& spans) const {
  std::int64_t begin_ns = std::numeric_limits<std::int64_t>::min(), end_ns = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (!spans[i].has_events) continue;
    if (ranks_[i].is_begun) return;
    begin_ns = std::max(begin_ns, spans[i].begin_ns);
    end_ns = std::min(end_ns, spans[i].end_ns);
  }
  if (begin_ns >= end_ns) return;
  for (MeasuredSpan& span : spans) span.begin_ns = begin_ns;
}

std::vector<MeasuredSpan> MeasuredSpans::spans() const {
  std::vector<MeasuredSpan> spans = spans_;
  if (is_last_part_) begin_together(spans);
  for (MeasuredSpan& span : spans) span.end_ns = std::max(span.end_ns, span.begin_ns);
  return spans;
}

}  // namespace meridian
