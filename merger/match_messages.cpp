#include "merger/match_messages.hpp"

#include <algorithm>

#include "trace/model/event.hpp"

namespace meridian {
namespace {

std::string describe(const EventRef& call) {
  return "rank " + std::to_string(call.rank) + " thread " + std::to_string(call.thread) + " call " +
         std::to_string(call.event);
}

std::string any_or(std::int32_t value) { return value == -1 ? "any" : std::to_string(value); }

bool may_take(std::int32_t wanted, std::int32_t value) { return wanted == -1 || wanted == value; }

}  // namespace

MessageMatcher::MessageMatcher(std::vector<std::uint32_t> rank_index, const std::vector<std::size_t>& comms,
                               std::vector<MatchedMessage>& messages, Findings& findings)
    : rank_index_{std::move(rank_index)}, world_rank_(comms.size()), messages_{messages}, findings_{findings} {
  for (std::size_t rank = 0; rank < rank_index_.size(); ++rank)
    if (rank_index_[rank] != kMissing) world_rank_[rank_index_[rank]] = static_cast<std::int32_t>(rank);
  for (const std::size_t count : comms) queues_.emplace_back(count);
  has_ended_.resize(comms.size());
  totals_.ranks.resize(comms.size());
}

std::uint32_t MessageMatcher::rank_of(const Group& group, std::int32_t rank) const noexcept {
  if (rank < 0 || static_cast<std::size_t>(rank) >= group.size()) return kMissing;
  const std::int32_t world = group[static_cast<std::size_t>(rank)];
  return world < 0 || static_cast<std::size_t>(world) >= rank_index_.size()
             ? kMissing
             : rank_index_[static_cast<std::size_t>(world)];
}

ChannelKey MessageMatcher::send_key(const LocalComm& comm, std::int32_t dest, std::int32_t tag,
                                    bool is_partitioned) noexcept {
  const std::uint32_t bits =
      (comm.side != 0 ? ChannelKey::kFromRemote : 0U) | (is_partitioned ? ChannelKey::kPartitioned : 0U);
  return {comm.comm, static_cast<std::uint32_t>(comm.rank) | bits, static_cast<std::uint32_t>(dest), tag};
}

Channel& MessageMatcher::channel(const ChannelKey& key, std::uint32_t source, std::uint32_t dest) {
  return channels_[channels_.get(key, source, dest, [this](Channel& idle) { count(idle); })];
}

void MessageMatcher::count(Channel& at) {
  if (at.messages == 0) return;
  PairTraffic& pair = totals_.pairs[{world_rank_[at.source], world_rank_[at.dest]}];
  pair.messages += at.messages;
  pair.bytes += at.bytes;
  RankTraffic& sender = totals_.ranks[at.source];
  sender.messages_sent += at.messages;
  sender.bytes_sent += at.bytes;
  at.messages = at.bytes = 0;
}

// Sends ---------------------------------------------------------------------------------------------------------------

std::uint64_t MessageMatcher::send(const Caller& caller, const LocalComm& comm, std::int32_t dest, std::int32_t tag,
                                   std::uint64_t bytes, bool is_partitioned) {
  const std::uint32_t receiver = rank_of(*comm.peers, dest);
  const std::uint64_t known_bytes = bytes == kUnknownBytes ? 0 : bytes;
  if (receiver == kMissing) {
    findings_.add(FindingId::message_partner_missing);
    RankTraffic& sender = totals_.ranks[caller.rank_index];
    ++sender.messages_sent;
    sender.bytes_sent += known_bytes;
    const std::int32_t world = comm.world_rank(dest);
    if (world < 0) return next_number_++;
    PairTraffic& pair = totals_.pairs[{world_rank_[caller.rank_index], world}];
    ++pair.messages;
    pair.bytes += known_bytes;
    return next_number_++;
  }
  Channel& at = channel(send_key(comm, dest, tag, is_partitioned), caller.rank_index, receiver);
  ++at.messages;
  at.bytes += known_bytes;
  if (at.last_send.overlaps(caller.span))
    findings_.add(FindingId::message_ambiguous, 1, [&] { return describe(caller.call); });
  if (caller.span.leave_ticks > at.last_send.leave_ticks) at.last_send = caller.span;

  const SentMessage message{caller.call, caller.enter_ns, bytes, next_number_++, false};
  const std::size_t place = at.sends.size();
  if (place >= at.places.size() && has_ended_[receiver] && at.uncertain == 0) {
    unmatched_send(at, message);  // nobody is left who could receive it
    return message.number;
  }
  at.sends.push_back(message);
  pair(at, place);
  return message.number;
}

void MessageMatcher::ask_to_cancel_send(const ChannelKey& key, std::uint64_t number) {
  const std::uint32_t found = channels_.find(key);
  if (found == ChannelTable::kNone) return;
  Channel& at = channels_[found];
  const std::size_t place = find_send(at, number);
  if (place == at.sends.size() || at.sends[place].is_uncertain) return;
  at.sends[place].is_uncertain = true;
  ++at.uncertain;
}

void MessageMatcher::end_cancel_send(const ChannelKey& key, std::uint64_t number, bool is_cancelled) {
  const std::uint32_t found = channels_.find(key);
  if (found == ChannelTable::kNone) return;
  Channel& at = channels_[found];
  const std::size_t place = find_send(at, number);
  if (place == at.sends.size() || !at.sends[place].is_uncertain) return;
  at.sends[place].is_uncertain = false;
  --at.uncertain;
  const bool has_been_received = place < at.places.size() && at.places[place].receive == kNoReceive;
  if (is_cancelled && !has_been_received) {
    at.bytes -= at.sends[place].bytes == kUnknownBytes ? 0 : at.sends[place].bytes;
    --at.messages;
    at.sends.erase(place);
  }
  pair_all(at);
}

// Receives ------------------------------------------------------------------------------------------------------------

ReceiveId MessageMatcher::new_receive() {
  if (free_receives_.empty()) {
    receives_.emplace_back();
    return static_cast<ReceiveId>(receives_.size() - 1);
  }
  const ReceiveId id = free_receives_.back();
  free_receives_.pop_back();
  receives_[id] = {};
  return id;
}

void MessageMatcher::free_receive(ReceiveId id) { free_receives_.push_back(id); }

ReceiveId MessageMatcher::post(const Caller& caller, const LocalComm& comm, std::int32_t source, std::int32_t tag,
                               bool is_partitioned) {
  const ReceiveId id = new_receive();
  Receive& receive = receives_[id];
  receive.post = caller.call;
  receive.post_enter_ns = caller.enter_ns;
  receive.span = caller.span;
  receive.rank_index = caller.rank_index;
  receive.comm = comm.comm;
  receive.dest = static_cast<std::uint32_t>(comm.rank);
  receive.source_bits = (comm.is_inter && comm.side == 0 ? ChannelKey::kFromRemote : 0U) |
                        (is_partitioned ? ChannelKey::kPartitioned : 0U);
  receive.source = source;
  receive.tag = tag;
  receive.comm_number = comm.number;
  receive.peers = comm.peers;
  Queue& queue = queue_of(receive);
  if (receive.has_channel() && (queue.waiting.empty() || !is_blocked(queue, queue.waiting.size(), receive))) {
    place(id);
  } else {
    queue.waiting.push_back(id);
    queue.known += receive.has_channel() ? 1 : 0;
  }
  return id;
}

void MessageMatcher::set_receiver(ReceiveId id, const Caller& caller) {
  receives_[id].post = caller.call;
  receives_[id].post_enter_ns = caller.enter_ns;
}

bool MessageMatcher::is_blocked(const Queue& queue, std::size_t place, const Receive& receive) const noexcept {
  for (std::size_t i = 0; i < place; ++i) {
    if (queue.waiting[i] == kNoReceive) continue;
    const Receive& earlier = receives_[queue.waiting[i]];
    if (may_take(earlier.source, receive.source) && may_take(earlier.tag, receive.tag) &&
        earlier.source_bits == receive.source_bits)
      return true;
  }
  return false;
}

/// Gives places to those from `from` on that nothing before them holds up any more.
void MessageMatcher::settle(Queue& queue, std::size_t from) {
  for (std::size_t i = from; i < queue.waiting.size() && queue.known != 0; ++i) {
    ReceiveId& id = queue.waiting[i];
    if (id == kNoReceive || !receives_[id].has_channel() || is_blocked(queue, i, receives_[id])) continue;
    place(std::exchange(id, kNoReceive));
    --queue.known;
  }
  std::erase(queue.waiting, kNoReceive);
}

void MessageMatcher::take_from_queue(ReceiveId id) {
  Queue& queue = queue_of(receives_[id]);
  const auto at = std::ranges::find(queue.waiting, id);
  if (at == queue.waiting.end()) return;
  *at = kNoReceive;
  queue.known -= receives_[id].has_channel() ? 1 : 0;
  settle(queue, static_cast<std::size_t>(at - queue.waiting.begin()));
}

/// The receive gets the last place in its channel.
void MessageMatcher::place(ReceiveId id) {
  Receive& receive = receives_[id];
  const std::uint32_t sender = rank_of(*receive.peers, receive.source);
  if (sender == kMissing) {
    receive.is_lost = true;
    if (!receive.is_complete) return;
    if (!receive.is_silent) findings_.add(FindingId::message_partner_missing);
    free_receive(id);
    return;
  }
  const ChannelKey key{receive.comm, static_cast<std::uint32_t>(receive.source) | receive.source_bits, receive.dest,
                       receive.tag};
  receive.channel = channels_.get(key, sender, receive.rank_index, [this](Channel& idle) { count(idle); });
  Channel& at = channels_[receive.channel];
  if (at.last_post.overlaps(receive.span))
    findings_.add(FindingId::message_ambiguous, 1, [&] { return describe(receive.post); });
  if (receive.span.leave_ticks > at.last_post.leave_ticks) at.last_post = receive.span;
  receive.number = next_number_++;
  if (receive.is_uncertain) ++at.uncertain;
  at.places.push_back({id, receive.number});
  if (receive.is_complete) pair(at, at.places.size() - 1);
}

void MessageMatcher::learn_channel(ReceiveId id, std::int32_t source, std::int32_t tag) {
  Receive& receive = receives_[id];
  if (receive.has_channel()) return;
  receive.source = source;
  receive.tag = tag;
  Queue& queue = queue_of(receive);
  const auto at = std::ranges::find(queue.waiting, id);
  if (at == queue.waiting.end()) return;
  ++queue.known;
  settle(queue, static_cast<std::size_t>(at - queue.waiting.begin()));
}

void MessageMatcher::complete(ReceiveId id, const Caller& caller, std::int32_t source, std::int32_t tag,
                              std::int64_t bytes) {
  RankTraffic& traffic = totals_.ranks[caller.rank_index];
  ++traffic.messages_received;
  if (bytes > 0) traffic.bytes_received += static_cast<std::uint64_t>(bytes);
  learn_channel(id, source, tag);
  Receive& receive = receives_[id];
  receive.completion = caller.call;
  receive.leave_ns = caller.leave_ns;
  receive.bytes = bytes;
  receive.is_complete = true;
  const bool was_uncertain = std::exchange(receive.is_uncertain, false);
  if (receive.is_lost) {
    findings_.add(FindingId::message_partner_missing);
    free_receive(id);
  } else if (receive.channel != ChannelTable::kNone) {
    Channel& at = channels_[receive.channel];
    if (was_uncertain) {
      --at.uncertain;
      pair_all(at);
    } else {
      pair(at, find_place(at, receive.number));
    }
  }
}

void MessageMatcher::ask_to_cancel(ReceiveId id) {
  Receive& receive = receives_[id];
  if (std::exchange(receive.is_uncertain, true)) return;
  if (receive.channel != ChannelTable::kNone) ++channels_[receive.channel].uncertain;
}

void MessageMatcher::cancelled(ReceiveId id) {
  Receive& receive = receives_[id];
  if (receive.channel != ChannelTable::kNone) {
    Channel& at = channels_[receive.channel];
    if (receive.is_uncertain) --at.uncertain;
    at.places.erase(find_place(at, receive.number));
    pair_all(at);
  } else if (!receive.is_lost) {
    take_from_queue(id);
  }
  free_receive(id);
}

void MessageMatcher::abandon(ReceiveId id) {
  Receive& receive = receives_[id];
  if (receive.is_uncertain) {  // cancelled and freed: nobody learns whether that succeeded; as a rule it does
    cancelled(id);
    return;
  }
  findings_.add(FindingId::message_open_receive, 1, [&] { return describe(receive.post); });
  receive.is_complete = receive.is_silent = true;
  if (receive.is_lost) {
    free_receive(id);
  } else if (receive.channel != ChannelTable::kNone) {
    Channel& at = channels_[receive.channel];
    pair(at, find_place(at, receive.number));
  } else if (!receive.has_channel()) {
    take_from_queue(id);
    free_receive(id);
  }
}

void MessageMatcher::count_hopeless_receive(const Caller& caller, std::int32_t source, std::int32_t tag) {
  unmatched_receive(caller.call, source, tag);
}

// Pairs ---------------------------------------------------------------------------------------------------------------

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
  if (place >= at.sends.size() || place >= at.places.size()) return;
  const ReceiveId id = at.places[place].receive;
  if (id == kNoReceive || !receives_[id].is_complete) return;
  if (at.uncertain != 0 && !is_certain(at, place)) return;
  if (!receives_[id].is_silent) emit(at, at.sends[place], receives_[id]);
  free_receive(id);
  at.places[place].receive = kNoReceive;
  while (!at.places.empty() && at.places.front().receive == kNoReceive) {
    at.uncertain -= at.sends.front().is_uncertain ? 1 : 0;
    at.places.pop_front();
    at.sends.pop_front();
  }
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
  } else if (receive.bytes >= 0 && received != send.bytes) {
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

void MessageMatcher::unmatched_send(const Channel& at, const SentMessage& send) {
  ++totals_.unmatched_sends;
  findings_.add(FindingId::message_unmatched_send, 1, [&] {
    return describe(send.call) + " to rank " + std::to_string(world_rank_[at.dest]) + ", tag " +
           std::to_string(at.key.tag) + ", communicator " + std::to_string(at.key.comm);
  });
}

void MessageMatcher::unmatched_receive(const EventRef& post, std::int32_t source, std::int32_t tag) {
  ++totals_.unmatched_receives;
  findings_.add(FindingId::message_unmatched_receive, 1,
                [&] { return describe(post) + ", source " + any_or(source) + ", tag " + any_or(tag); });
}

void MessageMatcher::end_rank(std::uint32_t rank_index) {
  has_ended_[rank_index] = true;
  for (Queue& queue : queues_[rank_index]) {
    for (ReceiveId& id : queue.waiting) {
      if (receives_[id].has_channel()) continue;
      if (!receives_[id].is_uncertain) unmatched_receive(receives_[id].post, receives_[id].source, receives_[id].tag);
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
      if (i < at.sends.size())
        findings_.add(FindingId::message_open_receive, 1, [&] { return describe(receive.post); });
      else if (!receive.is_silent && !receive.is_uncertain)
        unmatched_receive(receive.post, world_rank_[at.source], at.key.tag);
    }
  });
  return std::move(totals_);
}

}  // namespace meridian
