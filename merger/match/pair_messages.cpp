// The second half of MessageMatcher: which message of a channel belongs to which place in it, and what is left over.

#include <algorithm>
#include <string>

#include "merger/match/match_messages.hpp"

namespace meridian {
namespace {

std::string any_or(std::int32_t value) { return value == -1 ? "any" : std::to_string(value); }

}  // namespace

std::size_t MessageMatcher::find_place(const Channel& at, std::uint64_t number) const noexcept {
  std::size_t low = 0;
  for (std::size_t high = at.places.size(); low < high;) {
    const std::size_t middle = (low + high) / 2;
    if (at.places[middle].number < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

std::size_t MessageMatcher::find_send(const Channel& at, std::uint64_t number) const noexcept {
  for (std::size_t i = 0; i < at.sends.size(); ++i)
    if (at.sends[i].number == number) return i;
  return at.sends.size();
}

/// Whether no cancel that is under way can change which message the place gets.
bool MessageMatcher::is_certain(const Channel& at, std::size_t place) const noexcept {
  for (std::size_t i = 0; i <= place; ++i) {
    const ReceiveId id = at.places[i].receive;
    if (id == kNoReceive) continue;  // this message has arrived
    if (at.sends[i].is_uncertain || receives_[id].is_uncertain) return false;
  }
  return true;
}

void MessageMatcher::pair(Channel& at, std::size_t place) {
  if (place >= at.places.size()) return;
  const ReceiveId id = at.places[place].receive;
  if (id == kNoReceive || !receives_[id].is_complete) return;
  if (at.has_overlaps && at.uncertain == 0) [[unlikely]]
    place = settle_overlaps(at, place);
  if (place >= at.sends.size()) {
    if (at.uncertain != 0 || !is_given_up(at.source, at.key.comm)) return;
    if (!receives_[id].is_silent) unmatched_receive(receives_[id].post, at.source, world_rank_[at.source], at.key.tag);
    free_receive(id);
    at.places.erase(place);
    return;
  }
  if (at.uncertain != 0 && !is_certain(at, place)) return;
  if (findings_.has_gaps() && leave_apart(at, place)) [[unlikely]]
    return;
  if (!receives_[id].is_silent) emit(at, at.sends[place], receives_[id]);
  free_receive(id);
  at.places[place].receive = kNoReceive;
  while (!at.places.empty() && at.places.front().receive == kNoReceive) {
    at.uncertain -= at.sends.front().is_uncertain ? 1 : 0;
    at.places.pop_front();
    at.sends.pop_front();
  }
  if (at.is_idle()) at.has_overlaps = false;
}

/// Recording has gaps: whether the message that stands in the receive's place cannot be the one that it got. Then one
/// of them has its other side in a gap, and gives up its place: the receive if it was over before, or if no message
/// that was sent by then has its size; else the messages before the first one that has.
bool MessageMatcher::leave_apart(Channel& at, std::size_t place) {
  constexpr std::int64_t kSlackNs = 100'000;  // between clocks
  const ReceiveId id = at.places[place].receive;
  const Receive& receive = receives_[id];
  if (receive.is_silent) return false;
  const bool has_one_clock = domains_.empty() || domains_[at.source] == domains_[at.dest];
  const std::int64_t over_ns = receive.leave_ns + (has_one_clock ? 0 : kSlackNs);
  std::size_t fitting = place;
  while (fitting < at.sends.size() && at.sends[fitting].enter_ns < over_ns && !has_size(at.sends[fitting], receive))
    ++fitting;
  if (fitting == at.sends.size()) return true;  // what it got may still be met
  if (at.sends[fitting].enter_ns < over_ns) {
    for (std::size_t i = place; i < fitting; ++i) {
      unmatched_send(at, at.sends[place]);
      at.sends.erase(place);
    }
    return false;
  }
  unmatched_receive(receive.post, at.source, world_rank_[at.source], at.key.tag);
  free_receive(id);
  at.places.erase(place);
  pair_all(at);
  return true;
}

void MessageMatcher::pair_all(Channel& at) {
  // Pairing the front shortens the line, so what was at `place` may have moved up.
  for (std::size_t place = 0; place < at.places.size() && place < at.sends.size();) {
    const std::size_t before = at.places.size();
    pair(at, place);
    if (at.places.size() == before) ++place;
  }
}

void MessageMatcher::emit(const Channel& at, const SentMessage& send, const Receive& receive) {
  MatchedMessage message{send.call,  receive.post,  receive.completion,    at.key.comm,     at.key.tag,
                         send.bytes, send.enter_ns, receive.post_enter_ns, receive.leave_ns};
  const auto received = static_cast<std::uint64_t>(std::max<std::int64_t>(receive.bytes, 0));
  if (send.bytes == kUnknownBytes) {
    message.bytes = received;
  } else if (receive.bytes < 0) {
    totals_.ranks[at.dest].bytes_received += send.bytes;
  } else if (received != send.bytes) {
    const FindingId id = received < send.bytes ? FindingId::message_truncated : FindingId::message_size_mismatch;
    findings_.add(id, 1, [&] {
      return describe(send.call) + " sent " + std::to_string(send.bytes) + " bytes, " + describe(receive.completion) +
             " received " + std::to_string(received);
    });
  }
  messages_.push_back(message);
  ++totals_.matched;
  totals_.bytes += message.bytes;
  if (message.receive_leave_ns <= message.send_enter_ns) ++totals_.reversed;
}

FindingId MessageMatcher::or_cut_off(FindingId id, std::uint32_t rank_index) const noexcept {
  return rank_index < is_cut_.size() && is_cut_[rank_index] ? FindingId::call_cut_off : id;
}

void MessageMatcher::unmatched_send(const Channel& at, const SentMessage& send) {
  ++totals_.unmatched_sends;
  findings_.add(or_cut_off(FindingId::message_unmatched_send, at.dest), 1, [&] {
    return describe(send.call) + " to rank " + std::to_string(world_rank_[at.dest]) + ", tag " +
           std::to_string(at.key.tag) + ", communicator " + std::to_string(at.key.comm);
  });
}

void MessageMatcher::unmatched_receive(const EventRef& post, std::uint32_t waited_for, std::int32_t source,
                                       std::int32_t tag) {
  ++totals_.unmatched_receives;
  findings_.add(or_cut_off(FindingId::message_unmatched_receive, waited_for), 1,
                [&] { return describe(post) + ", source " + any_or(source) + ", tag " + any_or(tag); });
}

void MessageMatcher::end_rank(std::uint32_t rank_index) {
  has_ended_[rank_index] = true;
  for (Queue& queue : queues_[rank_index]) {
    for (ReceiveId& id : queue.waiting) {
      if (receives_[id].has_channel()) continue;
      if (!receives_[id].is_uncertain)
        unmatched_receive(receives_[id].post, rank_index, receives_[id].source, receives_[id].tag);
      free_receive(id);
      id = kNoReceive;
    }
    settle(queue, 0);
  }
}

MessageTotals MessageMatcher::finish() {
  channels_.for_each([&](Channel& at) {
    count(at);
    for (std::size_t i = at.places.size(); i < at.sends.size(); ++i) unmatched_send(at, at.sends[i]);
    for (std::size_t i = 0; i < at.places.size(); ++i) {
      const ReceiveId id = at.places[i].receive;
      if (id == kNoReceive) continue;
      const Receive& receive = receives_[id];
      if (i < at.sends.size() && receive.is_complete && !receive.is_silent) {  // of another size: a gap
        unmatched_send(at, at.sends[i]);
        unmatched_receive(receive.post, at.source, world_rank_[at.source], at.key.tag);
      } else if (i < at.sends.size())
        findings_.add(FindingId::message_open_receive, 1, [&] { return describe(receive.post); });
      else if (!receive.is_silent && !receive.is_uncertain)
        unmatched_receive(receive.post, is_cut_[at.dest] ? at.dest : at.source, world_rank_[at.source], at.key.tag);
    }
  });
  return std::move(totals_);
}

}  // namespace meridian
