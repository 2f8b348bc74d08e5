// SPDX-License-Identifier: Apache-2.0
#include "analysis/walk/measured_spans.hpp"

#include <algorithm>
#include <limits>

#include "summary/recorded_part.hpp"
#include "trace/model/units.hpp"

namespace meridian {

MeasuredSpans::MeasuredSpans(const MergedDefinitions& definitions, const Summary& summary)
    : is_last_part_{is_last_part(summary)},
      recorded_from_ns_{std::numeric_limits<std::int64_t>::min()},
      recorded_to_ns_{std::numeric_limits<std::int64_t>::max()},
      traits_{call_traits(definitions)},
      ranks_(definitions.ranks.size()) {
  for (const RankSummary& rank : summary.ranks) {
    if (rank.recorded_from_s < 0) continue;
    recorded_from_ns_ = std::max(recorded_from_ns_, static_cast<std::int64_t>(rank.recorded_from_s * kNsPerSecond));
    recorded_to_ns_ = std::min(recorded_to_ns_, static_cast<std::int64_t>(rank.recorded_to_s * kNsPerSecond));
  }
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

void MeasuredSpans::keep_recorded(std::vector<MeasuredSpan>& spans) const {
  const auto is_left = [&](const MeasuredSpan& span) {
    return !span.has_events || std::max(span.begin_ns, recorded_from_ns_) < std::min(span.end_ns, recorded_to_ns_);
  };
  if (!std::ranges::all_of(spans, is_left)) return;
  for (MeasuredSpan& span : spans) {
    if (!span.has_events) continue;
    span.begin_ns = std::max(span.begin_ns, recorded_from_ns_);
    span.end_ns = std::min(span.end_ns, recorded_to_ns_);
  }
}

std::vector<MeasuredSpan> MeasuredSpans::spans() const {
  std::vector<MeasuredSpan> spans = spans_;
  keep_recorded(spans);
  if (is_last_part_) begin_together(spans);
  for (MeasuredSpan& span : spans) span.end_ns = std::max(span.end_ns, span.begin_ns);
  return spans;
}

}  // namespace meridian
