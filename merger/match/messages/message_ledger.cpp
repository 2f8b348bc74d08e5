// SPDX-License-Identifier: Apache-2.0
#include "merger/match/messages/message_ledger.hpp"

#include <algorithm>
#include <string>

namespace meridian {
namespace {

std::string any_or(std::int32_t value) { return value == -1 ? "any" : std::to_string(value); }

}  // namespace

MessageLedger::MessageLedger(std::vector<std::int32_t> world_rank, std::vector<MatchedMessage>& messages,
                             Findings& findings)
    : world_rank_{std::move(world_rank)}, messages_{messages}, findings_{findings}, is_cut_(world_rank_.size()) {
  totals_.ranks.resize(world_rank_.size());
}

void MessageLedger::matched(const Channel& at, const SentMessage& send, const Receive& receive, bool has_one_clock) {
  if (at.has_overlaps && has_one_clock && receive.leave_ns <= send.enter_ns) {
    ++totals_.unmatched_sends;
    ++totals_.unmatched_receives;
    ambiguous(receive.completion);
    open_sends_.never_received(send.open);
    return;
  }
  MatchedMessage message{send.call,  receive.post,  receive.completion,    at.key.comm,      at.key.tag,
                         send.bytes, send.enter_ns, receive.post_enter_ns, receive.leave_ns, at.has_overlaps};
  const auto received = static_cast<std::uint64_t>(std::max<std::int64_t>(receive.bytes, 0));
  if (send.bytes == kUnknownBytes) {
    message.bytes = received;
  } else if (receive.bytes < 0) {
    totals_.ranks[at.dest].bytes_received += send.bytes;
  } else if (received != send.bytes && (!at.has_overlaps || (receive.has_failed && received < send.bytes))) {
    const FindingId id = received < send.bytes ? FindingId::message_truncated : FindingId::message_size_mismatch;
    findings_.add(id, 1, [&] {
      return describe(send.call) + " sent " + std::to_string(send.bytes) + " bytes, " + describe(receive.completion) +
             " received " + std::to_string(received);
    });
  }
  messages_.push_back(message);
  open_sends_.received(send.open, receive.post, receive.post_enter_ns);
  ++totals_.matched;
  totals_.bytes += message.bytes;
  if (message.receive_leave_ns <= message.send_enter_ns) ++totals_.reversed;
}

FindingId MessageLedger::or_cut_off(FindingId id, std::uint32_t rank_index) const noexcept {
  return rank_index < is_cut_.size() && is_cut_[rank_index] ? FindingId::call_cut_off : id;
}

void MessageLedger::unmatched_send(const Channel& at, const SentMessage& send) {
  ++totals_.unmatched_sends;
  open_sends_.never_received(send.open);
  findings_.add(or_cut_off(FindingId::message_unmatched_send, at.dest), 1, [&] {
    return describe(send.call) + " to rank " + std::to_string(world_rank_[at.dest]) + ", tag " +
           std::to_string(at.key.tag) + ", communicator " + std::to_string(at.key.comm);
  });
}

void MessageLedger::unmatched_receive(const Channel& at, const EventRef& post, std::uint32_t waited_for) {
  unmatched_receive(post, waited_for, world_rank_[at.source], at.key.tag);
}

void MessageLedger::unmatched_receive(const EventRef& post, std::uint32_t waited_for, std::int32_t source,
                                      std::int32_t tag) {
  ++totals_.unmatched_receives;
  findings_.add(or_cut_off(FindingId::message_unmatched_receive, waited_for), 1,
                [&] { return describe(post) + ", source " + any_or(source) + ", tag " + any_or(tag); });
}

void MessageLedger::unmatched_rest(const Channel& at, const ReceiveTable& receives) {
  for (std::size_t i = at.places.size(); i < at.sends.size(); ++i) unmatched_send(at, at.sends[i]);
  for (std::size_t i = 0; i < at.places.size(); ++i) {
    if (at.places[i].receive == kNoReceive) continue;
    const Receive& receive = receives[at.places[i].receive];
    if (receive.is_before) continue;
    if (i < at.sends.size() && receive.is_complete && !receive.is_silent) {  // another size: a gap
      unmatched_send(at, at.sends[i]);
      unmatched_receive(at, receive.post, at.source);
    } else if (i < at.sends.size()) {
      never_completed(receive);
    } else if (!receive.is_silent && !receive.is_uncertain) {
      unmatched_receive(at, receive.post, is_cut_[at.dest] ? at.dest : at.source);
    }
  }
}

void MessageLedger::sent_to_missing(std::uint32_t rank_index, std::int32_t dest_world, std::uint64_t bytes) {
  findings_.add(partner_missing_);
  RankTraffic& sender = totals_.ranks[rank_index];
  ++sender.messages_sent;
  sender.bytes_sent += bytes;
  if (dest_world < 0) return;
  PairTraffic& pair = totals_.pairs[{world_rank_[rank_index], dest_world}];
  ++pair.messages;
  pair.bytes += bytes;
}

void MessageLedger::never_completed(const Receive& receive) {
  findings_.add(FindingId::message_open_receive, 1, [&] { return describe(receive.post); });
}

void MessageLedger::ambiguous(const EventRef& call) {
  findings_.add(FindingId::message_ambiguous, 1, [&] { return describe(call); });
}

void MessageLedger::received(std::uint32_t rank_index, std::int64_t bytes) {
  RankTraffic& traffic = totals_.ranks[rank_index];
  ++traffic.messages_received;
  if (bytes > 0) traffic.bytes_received += static_cast<std::uint64_t>(bytes);
}

void MessageLedger::count(Channel& at) {
  if (at.messages == 0) return;
  PairTraffic& pair = totals_.pairs[{world_rank_[at.source], world_rank_[at.dest]}];
  pair.messages += at.messages;
  pair.bytes += at.bytes;
  RankTraffic& sender = totals_.ranks[at.source];
  sender.messages_sent += at.messages;
  sender.bytes_sent += at.bytes;
  at.messages = at.bytes = 0;
}

}  // namespace meridian
