// SPDX-License-Identifier: Apache-2.0
#include "merger/model/recording_gaps.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "merger/model/unwrapped_calls.hpp"
#include "trace/model/call_facts.hpp"
#include "trace/model/event.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();

/// The start of the loss that a text of kLostKey describes; kNoEnd if the text says that nothing is missing.
std::uint64_t lost_from(const TextRow& text) {
  std::uint64_t from = kNoEnd;
  if (text.value.ends_with(" others")) return kNoEnd;
  std::from_chars(text.value.data(), text.value.data() + text.value.size(), from);
  return from;
}

std::vector<std::uint64_t> lost_bounds(const RankMeta& meta) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> gaps;
  for (const TextRow& text : meta.texts) {
    if (text.key != kLostKey) continue;
    const std::uint64_t from = lost_from(text);
    const bool is_open = text.value.find(' ') == std::string::npos;
    if (from != kNoEnd) gaps.emplace_back(from, is_open ? kNoEnd : std::max(text.ticks, from + 1));
  }
  std::ranges::sort(gaps);
  std::vector<std::uint64_t> bounds;
  for (const auto& [from, until] : gaps) {
    if (!bounds.empty() && from <= bounds.back())
      bounds.back() = std::max(bounds.back(), until);
    else
      bounds.insert(bounds.end(), {from, until});
  }
  return bounds;
}

void add(const MissingEffect& effect, RecordingGaps& gaps) {
  gaps.lacks_sends = gaps.lacks_sends || effect.sends;
  gaps.lacks_receives = gaps.lacks_receives || effect.receives;
}

/// Adds functions whose calls are not recorded.
void add_unrecorded(const RankMeta& meta, RecordingGaps& gaps, TraceGaps& all) {
  all.has_unwrapped = all.has_unwrapped || !unwrapped_calls(meta).empty();
  for (const UnrecordedCalls& calls : unrecorded_calls(meta)) {
    all.has_gaps = true;
    for (const std::string& name : calls.names) {
      const MissingEffect effect = effect_of(name);
      add(effect, gaps);
      all.lacks_comms = all.lacks_comms || effect.comms;
    }
  }
}

/// A collective as MPI compares it: all ranks of a communicator call the same one, with or without large counts.
using CollectiveKind = std::pair<Role, std::uint8_t>;
CollectiveKind kind_of(CallId call) noexcept { return {facts_of(call).role, facts_of(call).kind}; }

/// Whether some ranks may lack more collectives than others, so that their order no longer identifies them. Not so if
/// all ranks lack the same functions, and none has recorded a call that can be the other side of one of them: each of
/// these collectives is then missing on all ranks.
bool are_collectives_uneven(std::span<const RankMeta* const> metas) {
  std::set<std::set<CollectiveKind>> lacking;
  std::set<CollectiveKind> recorded;
  for (const RankMeta* meta : metas) {
    std::set<CollectiveKind> kinds;
    for (const UnrecordedCalls& calls : unrecorded_calls(*meta))
      for (const std::string& name : calls.names)
        if (effect_of(name).collectives) kinds.insert(kind_of(call_by_name(name)));
    lacking.insert(std::move(kinds));
    for (const CallId call : meta->calls)
      if (facts_of(call).kind != 0) recorded.insert(kind_of(call));
  }
  if (lacking.size() != 1) return !lacking.empty();
  return std::ranges::any_of(*lacking.begin(), [&](const CollectiveKind& kind) { return recorded.contains(kind); });
}

/// "on", "off", "partial", "limited", in order of time.
std::vector<const TextRow*> recording_states(const RankMeta& meta) {
  std::vector<const TextRow*> states;
  for (const TextRow& text : meta.texts)
    if (text.key == "recording") states.push_back(&text);
  std::ranges::stable_sort(states, {}, &TextRow::ticks);
  return states;
}

RecordingGaps gaps_of(const RankMeta& meta, TraceGaps& all) {
  RecordingGaps gaps;
  for (const TextRow& text : meta.texts) {
    all.begins_late = all.begins_late || text.key == kRecorderKey;
    all.has_outside_switches = all.has_outside_switches || text.key == kSwitchedKey;
    Range range;
    const bool is_message = text.key == "option.MERIDIAN_MESSAGE";
    if (!is_message && text.key != "option.MERIDIAN_COMM") continue;
    if (parse_range(text.value, is_message ? "bytes" : "ranks", range) != TextProblem::none || range.is_everything())
      continue;
    all.has_selection = true;
    if (is_message) gaps.message = range;
  }
  add_unrecorded(meta, gaps, all);
  gaps.lost_bounds = lost_bounds(meta);
  all.is_switched = all.is_switched || !gaps.lost_bounds.empty();
  for (const OffPeriod& period : off_periods(meta)) {
    gaps.paused_ticks.push_back(period.from_ticks);
    if (period.until_ticks != kNeverOn) gaps.resumed_ticks.push_back(period.until_ticks);
  }
  bool is_partial = false;
  for (const TextRow* state : recording_states(meta)) {
    is_partial = is_partial || state->value == "partial";
    all.is_switched = all.is_switched || state->value != "on";
  }
  if (is_partial) {
    for (const PassedRow& row : meta.passed) add(effect_of(meta.calls[row.call]), gaps);
  }
  return gaps;
}

}  // namespace

std::uint32_t RecordingGaps::epoch(std::uint64_t ticks) const noexcept {
  if (resumed_ticks.empty()) [[likely]]
    return 0;
  return static_cast<std::uint32_t>(std::ranges::upper_bound(resumed_ticks, ticks) - resumed_ticks.begin());
}

std::vector<OffPeriod> off_periods(const RankMeta& meta) {
  std::vector<OffPeriod> periods;
  bool is_off = false;
  for (const TextRow* state : recording_states(meta)) {
    const bool was_off = is_off;
    is_off = state->value == "off";
    if (is_off && !was_off) periods.push_back({state->ticks, kNeverOn});
    if (was_off && !is_off) periods.back().until_ticks = state->ticks;
  }
  return periods;
}

std::size_t RecordingGaps::stretch(std::uint64_t ticks) const noexcept {
  if (lost_bounds.empty()) [[likely]]
    return 0;
  return static_cast<std::size_t>(std::ranges::upper_bound(lost_bounds, ticks) - lost_bounds.begin());
}

std::uint64_t RecordingGaps::unsure_from(std::uint64_t born_ticks) const noexcept {
  const std::size_t born = stretch(born_ticks) / 2 * 2;
  return born < lost_bounds.size() ? lost_bounds[born] : kNoEnd;
}

TraceGaps find_gaps(std::span<const RankMeta* const> metas) {
  TraceGaps all;
  for (const RankMeta* meta : metas) all.ranks.push_back(gaps_of(*meta, all));
  std::size_t most = 0;
  for (const RecordingGaps& gaps : all.ranks) most = std::max(most, gaps.resumed_ticks.size());
  all.has_gaps = all.has_gaps || all.is_switched;
  for (RecordingGaps& gaps : all.ranks) gaps.begins_late = all.begins_late;
  if (are_collectives_uneven(metas))
    for (RecordingGaps& gaps : all.ranks) gaps.countable_until = 0;
  const bool is_even = std::ranges::all_of(all.ranks, [&](const RecordingGaps& gaps) {
    return gaps.resumed_ticks.size() == most || gaps.paused_ticks.size() > gaps.resumed_ticks.size();
  });
  if (is_even) return all;
  for (RecordingGaps& gaps : all.ranks) {
    gaps.resumed_ticks.clear();
    if (!gaps.paused_ticks.empty()) gaps.countable_until = std::min(gaps.countable_until, gaps.paused_ticks.front());
  }
  return all;
}

}  // namespace meridian
