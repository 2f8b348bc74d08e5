// SPDX-License-Identifier: Apache-2.0
#include "merger/match/messages/match_messages.hpp"

#include <algorithm>
#include <limits>

#include "merger/model/trace.hpp"
#include "trace/model/event.hpp"

namespace meridian {
namespace {

/// World ranks of the ranks present.
std::vector<std::int32_t> world_ranks_of(const std::vector<std::uint32_t>& rank_index, std::size_t present) {
  std::vector<std::int32_t> world_ranks(present);
  for (std::size_t rank = 0; rank < rank_index.size(); ++rank)
    if (rank_index[rank] != kMissingRank) world_ranks[rank_index[rank]] = static_cast<std::int32_t>(rank);
  return world_ranks;
}

void describe_receiver(const LocalComm& comm, std::int32_t source, std::int32_t tag, bool is_partitioned,
                       Receive& receive) noexcept {
  receive.comm = comm.comm;
  receive.dest = static_cast<std::uint32_t>(comm.rank);
  receive.source_bits = (comm.is_inter && comm.side == 0 ? ChannelKey::kFromRemote : 0U) |
                        (is_partitioned ? ChannelKey::kPartitioned : 0U);
  receive.source = source;
  receive.tag = tag;
}

}  // namespace

MessageMatcher::MessageMatcher(std::vector<std::uint32_t> rank_index, const std::vector<std::size_t>& comms,
                               std::vector<MatchedMessage>& messages, Findings& findings)
    : rank_index_{std::move(rank_index)},
      waiting_{receives_, comms},
      lost_{comms.size()},
      ledger_{world_ranks_of(rank_index_, comms.size()), messages, findings},
      races_{receives_, waiting_},
      pairing_{receives_, lost_, ledger_, races_},
      has_ended_(comms.size()) {}

std::uint32_t MessageMatcher::rank_of(const Group& group, std::int32_t rank) const noexcept {
  if (rank < 0 || static_cast<std::size_t>(rank) >= group.size()) return kMissingRank;
  const std::int32_t world = group[static_cast<std::size_t>(rank)];
  return world < 0 || static_cast<std::size_t>(world) >= rank_index_.size()
             ? kMissingRank
             : rank_index_[static_cast<std::size_t>(world)];
}

ChannelKey MessageMatcher::send_key(const LocalComm& comm, std::int32_t dest, std::int32_t tag, bool is_partitioned,
                                    std::uint32_t epoch) noexcept {
  const std::uint32_t bits =
      (comm.side != 0 ? ChannelKey::kFromRemote : 0U) | (is_partitioned ? ChannelKey::kPartitioned : 0U);
  return {comm.comm, static_cast<std::uint32_t>(comm.rank) | bits, static_cast<std::uint32_t>(dest), tag, epoch};
}

// Before the trace ----------------------------------------------------------------------------------------------------

void MessageMatcher::skip(std::uint32_t rank_index, const LocalComm& comm, const DroppedMessagesRow& row) {
  const std::uint32_t other = rank_of(*comm.peers, row.peer);
  if (other == kMissingRank) return;
  const bool is_partitioned = row.is_partitioned != 0;
  if (row.sent != 0) {
    const ChannelKey key = send_key(comm, row.peer, row.tag, is_partitioned);
    channels_[channel_of(key, rank_index, other)].sends_before += row.sent;
  }
  if (row.received == 0) return;
  Receive receive;
  describe_receiver(comm, row.peer, row.tag, is_partitioned, receive);
  channels_[channel_of(receive_key(receive), other, rank_index)].places_before += row.received;
}

// The i-th message belongs to the i-th place: only the difference matters.
void MessageMatcher::begin() {
  channels_.for_each([](Channel& at) {
    const std::uint64_t both = std::min(at.sends_before, at.places_before);
    at.sends_before -= both;
    at.places_before -= both;
  });
}

ReceiveId MessageMatcher::post_before(const Caller& caller, const LocalComm& comm, std::int32_t source,
                                      std::int32_t tag) {
  const ReceiveId id = post(caller, comm, source, tag);
  receives_[id].is_before = true;
  return id;
}

// Sends ---------------------------------------------------------------------------------------------------------------

std::uint64_t MessageMatcher::send(const Caller& caller, const LocalComm& comm, std::int32_t dest, std::int32_t tag,
                                   std::uint64_t bytes, bool is_partitioned, std::uint32_t open) {
  const std::uint32_t receiver = rank_of(*comm.peers, dest);
  const std::uint64_t known_bytes = bytes == kUnknownBytes ? 0 : bytes;
  if (receiver == kMissingRank) {
    ledger_.sent_to_missing(caller.rank_index, comm.world_rank(dest), known_bytes);
    open_sends().never_received(open);
    return next_number_++;
  }
  const ChannelKey key = send_key(comm, dest, tag, is_partitioned, caller.epoch);
  Channel& at = channels_[channel_of(key, caller.rank_index, receiver)];
  ++at.messages;
  at.bytes += known_bytes;
  at.may_race = races_.may_race(at.source, at.dest);
  const bool follows_all = !at.last_send.overlaps(caller.span);
  if (!follows_all) {
    at.has_overlaps = true;
    ledger_.ambiguous(caller.call);
  }
  if (caller.span.leave_ticks > at.last_send.leave_ticks) at.last_send = caller.span;
  if (at.places_before != 0) [[unlikely]] {
    --at.places_before;
    open_sends().never_received(open);
    return next_number_++;
  }

  const SentMessage message{caller.call, caller.span, caller.enter_ns, bytes, next_number_++,
                            false,       follows_all, false,           open};
  const std::size_t place = at.sends.size();
  const bool is_over = has_ended_[receiver] || lost_.contain(receiver, comm.comm);
  if (place >= at.places.size() && is_over && at.uncertain == 0) {
    ledger_.unmatched_send(at, message);  // no rank is left that could receive it
    return message.number;
  }
  at.sends.push_back(message);
  if (ledger_.has_gaps()) [[unlikely]]
    pairing_.pair_all(at);  // earlier receives may have waited for it
  else
    pairing_.pair(at, place);
  return message.number;
}

void MessageMatcher::ask_to_cancel_send(const ChannelKey& key, std::uint64_t number) {
  const std::uint32_t found = channels_.find(key);
  if (found == ChannelTable::kNone) return;
  Channel& at = channels_[found];
  const std::size_t place = at.find_send(number);
  if (place == at.sends.size() || at.sends[place].is_uncertain) return;
  at.sends[place].is_uncertain = true;
  ++at.uncertain;
}

void MessageMatcher::end_cancel_send(const ChannelKey& key, std::uint64_t number, bool is_cancelled) {
  const std::uint32_t found = channels_.find(key);
  if (found == ChannelTable::kNone) return;
  Channel& at = channels_[found];
  const std::size_t place = at.find_send(number);
  if (place == at.sends.size() || !at.sends[place].is_uncertain) return;
  at.sends[place].is_uncertain = false;
  --at.uncertain;
  const bool has_been_received = place < at.places.size() && at.places[place].receive == kNoReceive;
  if (is_cancelled && !has_been_received) {
    at.bytes -= at.sends[place].bytes == kUnknownBytes ? 0 : at.sends[place].bytes;
    --at.messages;
    open_sends().never_received(at.sends[place].open);
    at.erase_send(place);
  }
  pairing_.pair_all(at);
}

void MessageMatcher::leave_cancel_open(const ChannelKey& key, std::uint64_t number) {
  const std::uint32_t found = channels_.find(key);
  if (found == ChannelTable::kNone) return;
  Channel& at = channels_[found];
  const std::size_t place = at.find_send(number);
  if (place != at.sends.size() && at.sends[place].is_uncertain) at.sends[place].is_cancel_open = true;
}

// Receives ------------------------------------------------------------------------------------------------------------

ReceiveId MessageMatcher::post(const Caller& caller, const LocalComm& comm, std::int32_t source, std::int32_t tag,
                               bool is_partitioned) {
  const ReceiveId id = receives_.add();
  Receive& receive = receives_[id];
  receive.post = caller.call;
  receive.post_enter_ns = caller.enter_ns;
  receive.span = caller.span;
  receive.rank_index = caller.rank_index;
  describe_receiver(comm, source, tag, is_partitioned, receive);
  receive.comm_number = comm.number;
  receive.peers = comm.peers;
  receive.epoch = caller.epoch;
  if (waiting_.has_to_wait(receive))
    waiting_.add(id);
  else
    place(id);
  return id;
}

void MessageMatcher::set_receiver(ReceiveId id, const Caller& caller) {
  receives_[id].post = caller.call;
  receives_[id].post_enter_ns = caller.enter_ns;
}

ChannelKey MessageMatcher::receive_key(const Receive& receive) const noexcept {
  return {receive.comm, static_cast<std::uint32_t>(receive.source) | receive.source_bits, receive.dest, receive.tag,
          receive.epoch};
}

/// The message of the receive is not in the trace. Removes the receive if it is complete.
void MessageMatcher::leave_alone(ReceiveId id) {
  const Receive& receive = receives_[id];
  if (!receive.is_complete) return;
  if (!receive.is_silent && !receive.is_before) ledger_.received_from_missing();
  receives_.remove(id);
}

/// Appends the receive to its channel. If it is complete, it is paired later.
void MessageMatcher::place(ReceiveId id) {
  Receive& receive = receives_[id];
  const std::uint32_t sender = rank_of(*receive.peers, receive.source);
  if (sender == kMissingRank) {
    receive.is_sender_missing = true;
    leave_alone(id);
    return;
  }
  receive.channel = channel_of(receive_key(receive), sender, receive.rank_index);
  Channel& at = channels_[receive.channel];
  if (at.sends_before != 0) [[unlikely]] {
    --at.sends_before;
    receive.channel = ChannelTable::kNone;
    receive.is_before = receive.is_sender_missing = true;
    leave_alone(id);
    return;
  }
  at.may_race = races_.may_race(at.source, at.dest);
  const bool follows_all = !at.last_post.overlaps(receive.span);
  if (!follows_all) {
    at.has_overlaps = true;
    ledger_.ambiguous(receive.post);
  }
  if (receive.span.leave_ticks > at.last_post.leave_ticks) at.last_post = receive.span;
  receive.number = next_number_++;
  if (receive.is_uncertain) ++at.uncertain;
  at.places.push_back({id, receive.span, receive.number, follows_all});
}

void MessageMatcher::place_all(std::uint32_t rank_index, std::span<const ReceiveId> released) {
  for (const ReceiveId id : released) place(id);  // all of them, before the order of racing ones is settled
  for (const ReceiveId id : released) try_again(id, receives_[id].number);
  races_.retry_stalled(rank_index, [this](ReceiveId id, std::uint64_t number) { try_again(id, number); });
}

/// Pairs the receive if it still waits in this place.
void MessageMatcher::try_again(ReceiveId id, std::uint64_t number) {
  const Receive& receive = receives_[id];
  if (receive.number != number || receive.channel == ChannelTable::kNone) return;
  Channel& at = channels_[receive.channel];
  const std::size_t place = at.find_place(number);
  if (place < at.places.size() && at.places[place].receive == id) pairing_.pair(at, place);
}

void MessageMatcher::complete(ReceiveId id, const Caller& caller, std::int32_t source, std::int32_t tag,
                              std::int64_t bytes, bool has_failed) {
  ledger_.received(caller.rank_index, bytes);
  Receive& receive = receives_[id];
  if (!receive.has_channel()) {
    receive.source = source;
    receive.tag = tag;
    place_all(caller.rank_index, waiting_.set_known(id));
  }
  receive.has_failed = has_failed;
  receive.completion = caller.call;
  receive.leave_ns = caller.leave_ns;
  receive.bytes = bytes;
  receive.is_complete = true;
  const bool was_uncertain = std::exchange(receive.is_uncertain, false);
  if (receive.is_sender_missing) {
    leave_alone(id);
  } else if (receive.channel != ChannelTable::kNone) {
    Channel& at = channels_[receive.channel];
    if (was_uncertain) {
      --at.uncertain;
      pairing_.pair_all(at);
    } else {
      pairing_.pair(at, at.find_place(receive.number));
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
    at.erase_place(at.find_place(receive.number));
    pairing_.pair_all(at);
  } else if (!receive.is_sender_missing) {
    place_all(receive.rank_index, waiting_.remove(id));
  }
  receives_.remove(id);
}

void MessageMatcher::abandon(ReceiveId id) {
  Receive& receive = receives_[id];
  if (receive.is_uncertain) {  // cancelled and freed: the outcome is unknown; the cancel most likely succeeded
    cancelled(id);
    return;
  }
  ledger_.never_completed(receive);
  receive.is_complete = receive.is_silent = true;
  if (receive.is_sender_missing) {
    receives_.remove(id);
  } else if (receive.channel != ChannelTable::kNone) {
    Channel& at = channels_[receive.channel];
    pairing_.pair(at, at.find_place(receive.number));
  } else if (!receive.has_channel()) {
    place_all(receive.rank_index, waiting_.remove(id));
    receives_.remove(id);
  }
}

void MessageMatcher::count_stale_receive(const Caller& caller, std::int32_t source, std::int32_t tag) {
  ledger_.unmatched_receive(caller.call, caller.rank_index, source, tag);
}

void MessageMatcher::end_rank(std::uint32_t rank_index) {
  has_ended_[rank_index] = true;
  const auto drop = [&](ReceiveId id) {
    const Receive& receive = receives_[id];
    if (!receive.is_uncertain && !receive.is_before)
      ledger_.unmatched_receive(receive.post, rank_index, receive.source, receive.tag);
    receives_.remove(id);
  };
  std::vector<ReceiveId> released;
  waiting_.end_rank(rank_index, drop, [&](ReceiveId id) { released.push_back(id); });
  place_all(rank_index, released);
  if (!races_.may_race(rank_index, rank_index)) return;
  advance(rank_index, std::numeric_limits<std::uint64_t>::max());
}

MessageTotals MessageMatcher::finish() {
  races_.end();
  channels_.for_each([&](Channel& at) {
    if (at.uncertain != 0) pairing_.end_cancels(at);
    if (at.may_race) pairing_.pair_all(at);
    ledger_.count(at);
    ledger_.unmatched_rest(at, receives_);
  });
  return ledger_.take_totals();
}

}  // namespace meridian
