// SPDX-License-Identifier: Apache-2.0
#include "merger/match/messages/channel_pairing.hpp"

#include <algorithm>
#include <utility>

namespace meridian {

void LostSides::add(std::uint32_t rank_index, std::uint32_t comm) {
  if (comms_.empty()) comms_.resize(ranks_);
  std::vector<std::uint32_t>& comms = comms_[rank_index];
  const auto at = std::ranges::lower_bound(comms, comm);
  if (at == comms.end() || *at != comm) comms.insert(at, comm);
}

bool LostSides::has(const std::vector<std::uint32_t>& comms, std::uint32_t comm) noexcept {
  return std::ranges::binary_search(comms, comm);
}

/// Whether no pending cancel can change which message the place gets.
bool ChannelPairing::is_certain(const Channel& at, std::size_t place) const noexcept {
  for (std::size_t i = 0; i <= place; ++i) {
    const ReceiveId id = at.places[i].receive;
    if (id == kNoReceive) continue;  // this message has arrived
    if (at.sends[i].is_uncertain || receives_[id].is_uncertain) return false;
  }
  return true;
}

void ChannelPairing::pair(Channel& at, std::size_t place) {
  if (place >= at.places.size()) return;
  const ReceiveId id = at.places[place].receive;
  if (id == kNoReceive || !receives_[id].is_complete) return;
  const bool has_order = !at.may_race || at.places[place].is_settled || at.uncertain != 0 || place >= at.sends.size();
  if (has_order) [[likely]]
    pair_here(at, place);
  else
    pair_race(at, id);
}

/// Settles and pairs messages of racing threads until this receive has its message, or has to wait.
void ChannelPairing::pair_race(Channel& at, ReceiveId id) {
  const auto is_here = [&](std::size_t place) { return place < at.places.size() && at.places[place].receive == id; };
  std::vector<std::uint64_t> numbers;
  std::size_t place = at.find_place(receives_[id].number);
  while (is_here(place) && place < at.sends.size() && !at.places[place].is_settled) {
    const RaceSettler::Settled settled = races_.settle(at, place, has_one_clock(at));
    if (settled.count == 0) return;
    numbers.clear();
    for (std::size_t i = 0; i < settled.count; ++i) numbers.push_back(at.places[settled.first + i].number);
    for (const std::uint64_t number : numbers) {
      const std::size_t at_place = at.find_place(number);
      if (at_place >= at.places.size() || at.places[at_place].number != number) continue;
      const ReceiveId its = at.places[at_place].receive;
      if (its != kNoReceive && receives_[its].is_complete) pair_here(at, at_place);
    }
    place = at.find_place(receives_[id].number);
  }
}

/// Pairs the receive, which is complete, with the message at its index.
void ChannelPairing::pair_here(Channel& at, std::size_t place) {
  const ReceiveId id = at.places[place].receive;
  if (place >= at.sends.size()) {
    if (at.uncertain != 0 || !lost_.contain(at.source, at.key.comm)) return;
    if (!receives_[id].is_silent) ledger_.unmatched_receive(at, receives_[id].post, at.source);
    receives_.remove(id);
    at.erase_place(place);
    return;
  }
  if (at.uncertain != 0 && !is_certain(at, place)) return;
  if (ledger_.has_gaps() && leave_apart(at, place)) [[unlikely]]
    return;
  if (receives_[id].is_silent || receives_[id].is_before)
    ledger_.open_sends().never_received(at.sends[place].open);
  else
    ledger_.matched(at, at.sends[place], receives_[id], has_one_clock(at));
  receives_.remove(id);
  at.places[place].receive = kNoReceive;
  while (!at.places.empty() && at.places.front().receive == kNoReceive) {
    at.uncertain -= at.sends.front().is_uncertain ? 1 : 0;
    at.places.pop_front();
    at.sends.pop_front();
  }
}

/// For recordings with gaps: whether the message at the receive's place cannot be the one that it got. The other side
/// of one of the two is then in a gap, and that one loses its place: the receive if it had completed before the message
/// was sent, or if no message sent in time has its size; otherwise the messages before the first one with that size.
bool ChannelPairing::leave_apart(Channel& at, std::size_t place) {
  constexpr std::int64_t kSlackNs = 100'000;  // tolerance between clocks
  const ReceiveId id = at.places[place].receive;
  const Receive& receive = receives_[id];
  if (receive.is_silent) return false;
  const std::int64_t over_ns = receive.leave_ns + (has_one_clock(at) ? 0 : kSlackNs);
  std::size_t fitting = place;
  while (fitting < at.sends.size() && at.sends[fitting].enter_ns < over_ns && !has_size(at.sends[fitting], receive))
    ++fitting;
  if (fitting == at.sends.size()) return true;  // its message may still come
  if (at.sends[fitting].enter_ns < over_ns) {
    for (std::size_t i = place; i < fitting; ++i) {
      ledger_.unmatched_send(at, at.sends[place]);
      at.erase_send(place);
    }
    return false;
  }
  ledger_.unmatched_receive(at, receive.post, at.source);
  receives_.remove(id);
  at.erase_place(place);
  pair_all(at);
  return true;
}

void ChannelPairing::end_cancels(Channel& at) {
  std::size_t open = 0;
  for (std::size_t i = 0; i < at.sends.size(); ++i) open += at.sends[i].is_cancel_open ? 1 : 0;
  std::size_t surplus = at.sends.size() - std::min(at.sends.size(), at.places.size());
  for (std::size_t i = 0; open != 0 && i < at.sends.size();) {
    SentMessage& send = at.sends[i];
    if (!std::exchange(send.is_cancel_open, false)) {
      ++i;
      continue;
    }
    send.is_uncertain = false;
    --at.uncertain;
    const ReceiveId receive = i < at.places.size() ? at.places[i].receive : kNoReceive;
    const bool fits = receive != kNoReceive && has_size(send, receives_[receive]);
    const bool is_cancelled = surplus != 0 && (surplus == open || !fits);
    --open;
    if (!is_cancelled) {
      ++i;
      continue;
    }
    --surplus;
    at.bytes -= send.bytes == kUnknownBytes ? 0 : send.bytes;
    --at.messages;
    at.erase_send(i);
  }
  pair_all(at);
}

void ChannelPairing::pair_all(Channel& at) {
  // Pairing the front shortens the queue, so the entry at `place` may have moved up.
  for (std::size_t place = 0; place < at.places.size() && place < at.sends.size();) {
    const std::size_t before = at.places.size();
    pair(at, place);
    if (at.places.size() == before) ++place;
  }
}

}  // namespace meridian
