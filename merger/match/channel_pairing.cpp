// SPDX-License-Identifier: Apache-2.0
#include "merger/match/channel_pairing.hpp"

#include <algorithm>

#include "merger/match/settle_overlaps.hpp"

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
  if (at.has_overlaps && at.uncertain == 0) [[unlikely]]
    place = settle_overlaps(at, place, receives_);
  if (place >= at.sends.size()) {
    if (at.uncertain != 0 || !lost_.contain(at.source, at.key.comm)) return;
    if (!receives_[id].is_silent) ledger_.unmatched_receive(at, receives_[id].post, at.source);
    receives_.remove(id);
    at.places.erase(place);
    return;
  }
  if (at.uncertain != 0 && !is_certain(at, place)) return;
  if (ledger_.has_gaps() && leave_apart(at, place)) [[unlikely]]
    return;
  if (!receives_[id].is_silent) ledger_.matched(at, at.sends[place], receives_[id]);
  receives_.remove(id);
  at.places[place].receive = kNoReceive;
  while (!at.places.empty() && at.places.front().receive == kNoReceive) {
    at.uncertain -= at.sends.front().is_uncertain ? 1 : 0;
    at.places.pop_front();
    at.sends.pop_front();
  }
  if (at.is_idle()) at.has_overlaps = false;
}

/// For recordings with gaps: whether the message at the receive's place cannot be the one that it got. The other side
/// of one of the two is then in a gap, and that one loses its place: the receive if it had completed before the message
/// was sent, or if no message sent in time has its size; otherwise the messages before the first one with that size.
bool ChannelPairing::leave_apart(Channel& at, std::size_t place) {
  constexpr std::int64_t kSlackNs = 100'000;  // tolerance between clocks
  const ReceiveId id = at.places[place].receive;
  const Receive& receive = receives_[id];
  if (receive.is_silent) return false;
  const bool has_one_clock = domains_.empty() || domains_[at.source] == domains_[at.dest];
  const std::int64_t over_ns = receive.leave_ns + (has_one_clock ? 0 : kSlackNs);
  std::size_t fitting = place;
  while (fitting < at.sends.size() && at.sends[fitting].enter_ns < over_ns && !has_size(at.sends[fitting], receive))
    ++fitting;
  if (fitting == at.sends.size()) return true;  // its message may still come
  if (at.sends[fitting].enter_ns < over_ns) {
    for (std::size_t i = place; i < fitting; ++i) {
      ledger_.unmatched_send(at, at.sends[place]);
      at.sends.erase(place);
    }
    return false;
  }
  ledger_.unmatched_receive(at, receive.post, at.source);
  receives_.remove(id);
  at.places.erase(place);
  pair_all(at);
  return true;
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
