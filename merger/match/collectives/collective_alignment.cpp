// SPDX-License-Identifier: Apache-2.0
#include "merger/match/collectives/collective_alignment.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "merger/load/rank_cursor.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/call_facts.hpp"
#include "trace/model/collective_bytes.hpp"

namespace meridian {
namespace {

constexpr std::int64_t kNoShift = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kSlackNs = 100'000;  // tolerance between clocks, and between a switch and its record

using One = ResumedCollectives::One;

/// Whether the collectives of two ranks may be the same ones if number i of `b` is number i + shift of `a`.
class Comparison {
 public:
  Comparison(const ResumedCollectives& a, const ResumedCollectives& b)
      : a_{a}, b_{b}, slack_ns_{a.domain == b.domain ? 0 : kSlackNs} {}

  /// Returns the number of collectives that overlap as they must; negative if one contradicts.
  std::int64_t overlaps(std::int64_t shift) const {
    const auto a_size = static_cast<std::int64_t>(a_.calls.size()), b_size = static_cast<std::int64_t>(b_.calls.size());
    std::int64_t count = 0;
    for (std::int64_t i = std::min<std::int64_t>(0, shift); i < std::max(a_size, b_size + shift); ++i) {
      const One* const one = i >= 0 && i < a_size ? &a_.calls[static_cast<std::size_t>(i)] : nullptr;
      const std::int64_t k = i - shift;
      const One* const other = k >= 0 && k < b_size ? &b_.calls[static_cast<std::size_t>(k)] : nullptr;
      if (one == nullptr && other == nullptr) continue;
      if (one == nullptr || other == nullptr) {
        const bool may_lack = one == nullptr ? may_be_missing(*other, a_, i < 0) : may_be_missing(*one, b_, k < 0);
        if (!may_lack) return -1;
        continue;
      }
      if (one->call != other->call || one->root != other->root) return -1;
      if (!one->waits_for_all || !other->waits_for_all) continue;
      if (one->leave_ns + slack_ns_ <= other->enter_ns || other->leave_ns + slack_ns_ <= one->enter_ns) return -1;
      ++count;
    }
    return count;
  }

 private:
  /// Whether the rank may have begun this collective while it was not recorded: before or after its calls.
  bool may_be_missing(const One& call, const ResumedCollectives& rank, bool is_before) const {
    if (!call.waits_for_all || rank.calls.empty()) return true;
    if (is_before) return call.enter_ns < rank.calls.front().enter_ns + slack_ns_;
    return rank.calls.size() == ResumedCollectives::kMost || call.leave_ns + kSlackNs > rank.until_ns;
  }

  const ResumedCollectives& a_;
  const ResumedCollectives& b_;
  std::int64_t slack_ns_;
};

/// The only shift at which collectives overlap and none contradicts.
std::optional<std::int64_t> only_shift(const ResumedCollectives& a, const ResumedCollectives& b) {
  const Comparison comparison{a, b};
  std::optional<std::int64_t> found;
  const auto a_size = static_cast<std::int64_t>(a.calls.size()), b_size = static_cast<std::int64_t>(b.calls.size());
  for (std::int64_t shift = -b_size; shift <= a_size; ++shift) {
    const std::int64_t overlaps = comparison.overlaps(shift);
    if (overlaps < 0) continue;
    if (found) return std::nullopt;
    found = overlaps == 0 ? kNoShift : shift;
  }
  return found && *found != kNoShift ? found : std::nullopt;
}

}  // namespace

std::vector<std::uint64_t> align_collectives(std::span<const ResumedCollectives> ranks) {
  std::vector<std::uint64_t> starts(ranks.size(), CollectiveStarts::kUnknown);
  const auto first = std::ranges::min_element(ranks, {}, [](const ResumedCollectives& rank) {
    return rank.calls.empty() ? std::numeric_limits<std::int64_t>::max() : rank.calls.front().enter_ns;
  });
  if (first == ranks.end() || first->calls.empty()) return starts;
  std::vector<std::optional<std::int64_t>> shifts(ranks.size());
  std::int64_t least = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const bool is_first = &ranks[i] == &*first;
    shifts[i] = is_first ? std::optional<std::int64_t>{0} : only_shift(*first, ranks[i]);
    if (shifts[i]) least = std::min(least, *shifts[i]);
  }
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (shifts[i]) starts[i] = static_cast<std::uint64_t>(*shifts[i] - least);
  return starts;
}

CollectiveStarts find_collective_starts(Trace& trace) {
  CollectiveStarts starts;
  if (!trace.gaps.has_outside_switches) return starts;
  starts.set_needed();
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<ResumedCollectives>> found;  // by communicator, epoch
  for (std::uint32_t i = 0; i < trace.files.size(); ++i) {
    const RecordingGaps& gaps = trace.gaps.ranks[i];
    if (gaps.resumed_ticks.empty()) continue;
    const ClockMap& clock = trace.clocks.maps[i];
    Findings seen_later;
    for (RankCursor cursor{*trace.files[i], false, seen_later}; !cursor.is_over(); cursor.advance()) {
      const Call& call = cursor.call();
      const CallFacts& what = facts_of(call.call);
      const bool is_collective = what.role == Role::collective || what.role == Role::icollective;
      const std::uint32_t epoch = gaps.epoch(call.enter_ticks);
      if (cursor.phase() == Phase::leave || !is_collective || call.payload != Payload::coll || epoch == 0) continue;
      const LocalComm* const comm = trace.communicators.resolvers[i].at(call.coll->comm, call.enter_ticks);
      if (comm == nullptr) continue;
      std::vector<ResumedCollectives>& ranks = found[{comm->comm, epoch}];
      if (ranks.empty() || ranks.back().rank_index != i) {
        const auto paused = std::ranges::upper_bound(gaps.paused_ticks, gaps.resumed_ticks[epoch - 1]);
        ranks.push_back(
            {i,
             trace.clocks.domain_of.empty() ? 0 : trace.clocks.domain_of[i],
             paused == gaps.paused_ticks.end() ? std::numeric_limits<std::int64_t>::max() : clock.to_global(*paused),
             {}});
      }
      if (ranks.back().calls.size() == ResumedCollectives::kMost) continue;
      const bool has_data = carries_data(what.bytes, *call.coll, false);
      const bool waits = what.role == Role::collective && what.shape == CollectiveShape::all_to_all && has_data &&
                         !comm->is_inter && comm->peers->size() > 1 && !call.has(kFlagFailed);
      ranks.back().calls.push_back({clock.to_global(call.enter_ticks), clock.to_global(call.leave_ticks), what.kind,
                                    comm->is_inter ? -1 : call.coll->root, waits});
    }
  }
  for (const auto& [key, ranks] : found) {
    const std::vector<std::uint64_t> numbers = align_collectives(ranks);
    for (std::size_t i = 0; i < ranks.size(); ++i) starts.set(key.first, key.second, ranks[i].rank_index, numbers[i]);
  }
  return starts;
}

}  // namespace meridian
