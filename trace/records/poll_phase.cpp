// SPDX-License-Identifier: Apache-2.0
#include "trace/records/poll_phase.hpp"

#include <algorithm>
#include <cmath>

#include "trace/model/call_id.hpp"

namespace meridian {
namespace {

/// The time inside the polls of a place: that of those measured one by one, and for the others the mean of the samples. Without
/// samples, all are taken to be as long as those measured.
void estimate(const PollPlace& place, PollUse& row) {
  const std::uint64_t timed = std::min(place.timed, place.calls);
  const auto rest = static_cast<double>(place.calls - timed);
  const bool has_samples = place.samples != 0;
  const double measured = static_cast<double>(has_samples ? place.samples : place.timed);
  const double mean =
      measured == 0 ? 0 : static_cast<double>(has_samples ? place.sampled_ticks : place.timed_ticks) / measured;
  const double inside = rest * mean;
  row.inside_ticks = place.timed_ticks + static_cast<std::uint64_t>(std::llround(inside));
  if (rest <= static_cast<double>(place.samples)) return;
  // The variance of one sample is unknown: the error is then as large as the estimate.
  double error = inside;
  if (place.samples > 1) {
    const double variance = std::max(0.0, (place.squares - measured * mean * mean) / (measured - 1));
    error = rest * std::sqrt(variance / measured * (1 - measured / rest));
  }
  row.error_ticks = static_cast<std::uint64_t>(std::llround(error));
}

bool is_valid(const PollPlace& place) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 60;
  return place.call != 0 && place.call < kCallCount && place.calls != 0 && place.calls < kMost &&
         place.timed_ticks < kMost && place.sampled_ticks < kMost && place.squares >= 0 && std::isfinite(place.squares);
}

}  // namespace

std::optional<std::vector<PollEvent>> poll_phase(const Record& record) {
  constexpr std::size_t kWords = words_of<PollPlace>;
  const std::size_t places = record.body_words() / kWords;
  if (record.body_words() % kWords != 0 || places == 0 || places > kMaxPollPlaces) return std::nullopt;
  const std::uint64_t begin = record.head.enter_ticks;
  const std::uint64_t length = std::max(record.head.leave_ticks, begin) - begin;
  std::vector<PollEvent> events;
  double all = 0;
  for (std::size_t i = 0; i < places; ++i) {
    const auto place = load_words<PollPlace>(record.body() + i * kWords);
    if (!is_valid(place)) return std::nullopt;
    PollEvent& event = events.emplace_back();
    event.head.header.call = static_cast<std::uint16_t>(place.call);
    event.head.header.payload = static_cast<std::uint8_t>(Payload::polls);
    event.head.header.flags = place.site != 0 ? kFlagSite : 0;
    event.row = {.comm = place.comm, .peer = place.peer, .tag = place.tag, .calls = place.calls};
    event.site = place.site;
    estimate(place, event.row);
    all += static_cast<double>(event.row.inside_ticks);
  }
  double before = 0;
  std::uint64_t at = begin;
  for (PollEvent& event : events) {
    before += static_cast<double>(event.row.inside_ticks);
    const bool is_last = &event == &events.back();
    const auto share = all == 0 ? 0 : static_cast<std::uint64_t>(static_cast<double>(length) * (before / all));
    event.head.enter_ticks = at;
    at = is_last ? begin + length : std::clamp(begin + share, at, begin + length);
    event.head.leave_ticks = at;
    // An estimate may be longer than the time that there was.
    event.row.inside_ticks = std::min(event.row.inside_ticks, event.head.leave_ticks - event.head.enter_ticks);
  }
  return events;
}

}  // namespace meridian
