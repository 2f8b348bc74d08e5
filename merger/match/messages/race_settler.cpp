// SPDX-License-Identifier: Apache-2.0
#include "merger/match/messages/race_settler.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "merger/match/messages/race_search.hpp"

namespace meridian {
namespace {

// A stretch with more messages than kLong is settled in parts of kPart, looking ahead at the others. If some of its
// receives are not complete, so that their sizes are unknown, only from kLongest on.
constexpr std::size_t kPart = 128;
constexpr std::size_t kLong = 3 * kPart;
constexpr std::size_t kLongest = 4096;

bool is_final(const Channel& at, std::size_t index) noexcept {
  return at.places[index].is_settled || at.places[index].receive == kNoReceive;
}
/// Whether no call from `index` on can come before one in front of it.
bool is_border(const Channel& at, std::size_t index) noexcept {
  return is_final(at, index) || (at.places[index].follows_all && at.sends[index].follows_all);
}

}  // namespace

/// Whether the calls before `end`, where the sends or the places end, precede all later ones. `place`: to be tried again.
bool RaceSettler::is_closed(const Channel& at, std::size_t end, std::size_t place) {
  const Due due{0, at.places[place].receive, at.places[place].number};
  if (end < at.sends.size() && !at.sends[end].follows_all) return false;
  if (end < at.places.size() && !at.places[end].follows_all) return false;
  if (end == at.sends.size() && at.last_send.leave_ticks > now_[at.source]) {
    due_[at.source].push({at.last_send.leave_ticks, due.receive, due.number});
    return false;
  }
  if (end < at.places.size()) return true;
  if (at.last_post.leave_ticks > now_[at.dest]) {
    due_[at.dest].push({at.last_post.leave_ticks, due.receive, due.number});
    return false;
  }
  if (!waiting_.may_precede(due.receive, at.last_post.leave_ticks)) return true;
  stalled_[at.dest].push_back(due);
  return false;
}

bool RaceSettler::is_complete(const Channel& at, std::size_t begin, std::size_t end) const noexcept {
  for (std::size_t i = begin; i < end; ++i)
    if (!receives_[at.places[i].receive].is_complete) return false;
  return true;
}

RaceSettler::Settled RaceSettler::settle(Channel& at, std::size_t place, bool has_one_clock) {
  std::size_t begin = place;
  while (begin > 0 && !is_border(at, begin) && !is_final(at, begin - 1)) --begin;
  const std::size_t size = std::min(at.sends.size(), at.places.size());
  std::size_t end = begin + 1;
  while (end < size && end - begin < kLongest && !is_border(at, end)) ++end;

  const std::size_t count = end - begin;
  const bool is_long = count >= kLongest || (count >= kLong && is_complete(at, begin, begin + kLong));
  if (!is_long && !is_over_) {
    if (end == size && !is_closed(at, end, place)) return {};
    if (count > 1 && !is_complete(at, begin, end)) return {};
  }
  const std::size_t settled = is_long ? kPart : count;
  if (count == 1 && !is_over_)
    at.places[begin].is_settled = true;
  else
    put_in_order(at, begin, end, settled, has_one_clock);
  return {begin, settled};
}

void RaceSettler::put_in_order(Channel& at, std::size_t begin, std::size_t end, std::size_t count, bool has_one_clock) {
  const std::size_t reach = end - begin > count ? std::min(end - begin, kLong) : count;
  std::vector<SentMessage> old_sends;
  std::vector<ReceivePlace> old_places;
  std::vector<RacingSend> sends;
  std::vector<RacingReceive> receives;
  // Calls that have no partner yet take part if nothing more can come.
  for (std::size_t i = begin; i < at.sends.size() && i < begin + (is_over_ ? kLong : reach); ++i) {
    const SentMessage& send = old_sends.emplace_back(at.sends[i]);
    sends.push_back({send.span, send.enter_ns, send.bytes});
  }
  for (std::size_t i = begin; i < at.places.size() && i < begin + (is_over_ ? kLong : reach); ++i) {
    if (is_final(at, i)) break;
    const ReceivePlace& old = old_places.emplace_back(at.places[i]);
    const Receive& receive = receives_[old.receive];
    const bool is_known = receive.is_complete && !receive.is_silent;
    receives.push_back({old.span, is_known ? receive.leave_ns : std::numeric_limits<std::int64_t>::max(),
                        is_known ? receive.bytes : -1, !receive.is_complete, receive.has_failed});
  }
  RaceOrder order = find_race_order(sends, receives, std::min({count, sends.size(), receives.size()}), has_one_clock);

  const auto add_rest = [](std::vector<std::uint32_t>& chosen, std::size_t size) {
    std::vector<bool> is_chosen(size);
    for (const std::uint32_t i : chosen) is_chosen[i] = true;
    for (std::uint32_t i = 0; i < size; ++i)
      if (!is_chosen[i]) chosen.push_back(i);
  };
  const std::size_t settled = order.sends.size();
  add_rest(order.sends, sends.size());
  add_rest(order.receives, receives.size());
  for (std::size_t i = 0; i < sends.size(); ++i) at.sends[begin + i] = old_sends[order.sends[i]];
  for (std::size_t i = 0; i < receives.size(); ++i) {
    ReceivePlace& place = at.places[begin + i];
    const ReceivePlace& chosen = old_places[order.receives[i]];
    place.receive = chosen.receive;
    place.span = chosen.span;
    place.follows_all = chosen.follows_all;
    place.is_settled = i < settled;
    receives_[place.receive].number = place.number;
  }
  if (begin + settled < at.sends.size()) at.sends[begin + settled].follows_all = true;
  if (begin + settled < at.places.size()) at.places[begin + settled].follows_all = true;
}

}  // namespace meridian
