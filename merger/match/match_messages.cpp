#include "merger/match/match_messages.hpp"

#include <algorithm>

#include "trace/model/event.hpp"

namespace meridian {
namespace {

bool may_take(std::int32_t wanted, std::int32_t value) { return wanted == -1 || wanted == value; }

}  // namespace

MessageMatcher::MessageMatcher(std::vector<std::uint32_t> rank_index, const std::vector<std::size_t>& comms,
                               std::vector<MatchedMessage>& messages, Findings& findings)
    : rank_index_{std::move(rank_index)}, world_rank_(comms.size()), messages_{messages}, findings_{findings} {
  for (std::size_t rank = 0; rank < rank_index_.size(); ++rank)
    if (rank_index_[rank] != kMissing) world_rank_[rank_index_[rank]] = static_cast<std::int32_t>(rank);
  for (const std::size_t count : comms) queues_.emplace_back(count);
  has_ended_.resize(comms.size());
  is_cut_.resize(comms.size());
  totals_.ranks.resize(comms.size());
}

std::uint32_t MessageMatcher::rank_of(const Group& group, std::int32_t rank) const noexcept {
  if (rank < 0 || static_cast<std::size_t>(rank) >= group.size()) return kMissing;
  const std::int32_t world = group[static_cast<std::size_t>(rank)];
  return world < 0 || static_cast<std::size_t>(world) >= rank_index_.size()
             ? kMissing
             : rank_index_[static_cast<std::size_t>(world)];
}

ChannelKey MessageMatcher::send_key(const LocalComm& comm, std::int32_t dest, std::int32_t tag, bool is_partitioned,
                                    std::uint32_t epoch) noexcept {
  const std::uint32_t bits =
      (comm.side != 0 ? ChannelKey::kFromRemote : 0U) | (is_partitioned ? ChannelKey::kPartitioned : 0U);
  return {comm.comm, static_cast<std::uint32_t>(comm.rank) | bits, static_cast<std::uint32_t>(dest), tag, epoch};
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
  Channel& at = channel(send_key(comm, dest, tag, is_partitioned, caller.epoch), caller.rank_index, receiver);
  ++at.messages;
  at.bytes += known_bytes;
  if (at.last_send.overlaps(caller.span)) {
    at.has_overlaps = true;
    findings_.add(FindingId::message_ambiguous, 1, [&] { return describe(caller.call); });
  }
  if (caller.span.leave_ticks > at.last_send.leave_ticks) at.last_send = caller.span;

  const SentMessage message{caller.call, caller.span, caller.enter_ns, bytes, next_number_++, false};
  const std::size_t place = at.sends.size();
  const bool is_over = has_ended_[receiver] || is_given_up(receiver, comm.comm);
  if (place >= at.places.size() && is_over && at.uncertain == 0) {
    unmatched_send(at, message);  // nobody is left who could receive it
    return message.number;
  }
  at.sends.push_back(message);
  if (findings_.has_gaps()) [[unlikely]]
    pair_all(at);  // earlier receives may have waited for it
  else
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
  receive.epoch = caller.epoch;
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
                       receive.tag, receive.epoch};
  receive.channel = channels_.get(key, sender, receive.rank_index, [this](Channel& idle) { count(idle); });
  Channel& at = channels_[receive.channel];
  if (at.last_post.overlaps(receive.span)) {
    at.has_overlaps = true;
    findings_.add(FindingId::message_ambiguous, 1, [&] { return describe(receive.post); });
  }
  if (receive.span.leave_ticks > at.last_post.leave_ticks) at.last_post = receive.span;
  receive.number = next_number_++;
  if (receive.is_uncertain) ++at.uncertain;
  at.places.push_back({id, receive.span, receive.number});
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

void MessageMatcher::silence_behind(ReceiveId id) {
  const Receive& receive = receives_[id];
  if (receive.has_channel()) return;
  const Queue& queue = queue_of(receive);
  bool is_behind = false;
  for (const ReceiveId waiting : queue.waiting) {
    is_behind = is_behind || waiting == id;
    if (!is_behind || waiting == kNoReceive || waiting == id) continue;
    Receive& later = receives_[waiting];
    const bool may_be_its = may_take(receive.source, later.source) && may_take(receive.tag, later.tag);
    if (may_be_its && later.source_bits == receive.source_bits) later.is_silent = true;
  }
}

void MessageMatcher::give_up(std::uint32_t rank_index, const LocalComm& comm) {
  if (given_up_.empty()) given_up_.resize(has_ended_.size());
  std::vector<std::uint32_t>& comms = given_up_[rank_index];
  const auto at = std::ranges::lower_bound(comms, comm.comm);
  if (at == comms.end() || *at != comm.comm) comms.insert(at, comm.comm);
}

bool MessageMatcher::is_given_up(std::uint32_t rank_index, std::uint32_t comm) const noexcept {
  return !given_up_.empty() && std::ranges::binary_search(given_up_[rank_index], comm);
}

void MessageMatcher::count_hopeless_receive(const Caller& caller, std::int32_t source, std::int32_t tag) {
  unmatched_receive(caller.call, caller.rank_index, source, tag);
}

}  // namespace meridian
