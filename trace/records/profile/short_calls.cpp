// SPDX-License-Identifier: Apache-2.0
#include "trace/records/profile/short_calls.hpp"

#include <map>

#include "trace/model/call_facts.hpp"

namespace meridian {
namespace {

/// Whether nothing else in a trace refers to the call.
bool stands_alone(const BatchEvent& event) noexcept {
  return event.payload == Payload::local && !event.has(kFlagUnfinished) && !event.has(kFlagFailed) &&
         !event.has(kFlagCounters) && is_mpi(event.call) && facts_of(event.call).role == Role::plain;
}

}  // namespace

bool ShortCalls::take(const BatchEvent& event) {
  if (!stands_alone(event)) return false;
  const Key key{event.site, static_cast<std::uint32_t>(event.call)};
  std::uint32_t number = by_key_.find(key);
  if (number == IndexMap<Key>::kNone) {
    if (places_.size() >= kMostPlaces) return false;
    number = static_cast<std::uint32_t>(places_.size());
    places_.push_back({.site = key.site, .call = key.call});
    by_key_.set(key, number);
  }
  Place& place = places_[number];
  // Not the mean: one call that loses its processor takes longer than ten thousand others.
  if (place.calls >= limit_ && place.short_calls * 10 >= place.calls * 9) {
    ++place.summed;
    return true;
  }
  ++place.calls;
  place.short_calls += event.leave_ticks - event.enter_ticks < ticks_ ? 1 : 0;
  return false;
}

std::string ShortCalls::describe() const {
  std::map<std::string_view, std::uint64_t> by_name;
  for (const Place& place : places_)
    if (place.summed != 0) by_name[info(static_cast<CallId>(place.call)).name] += place.summed;
  std::string text;
  for (const auto& [name, calls] : by_name)
    text.append(text.empty() ? "" : " ").append(name).append(" ").append(std::to_string(calls));
  return text;
}

bool ShortCalls::restore(StateReader& archive) {
  archive(places_);
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    if (places_[i].call >= kCallCount) return false;
    by_key_.set({places_[i].site, static_cast<std::uint32_t>(places_[i].call)}, i);
  }
  return archive.is_good();
}

}  // namespace meridian
