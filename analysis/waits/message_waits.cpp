// SPDX-License-Identifier: Apache-2.0
#include "analysis/waits/message_waits.hpp"

#include <algorithm>
#include <utility>

namespace meridian {
namespace {

// Channels whose next message is known; beyond, probes of some of them are without it.
constexpr std::size_t kMostChannels = 1 << 18;

/// Of a phase of polls, the part of the time inside its calls.
std::int64_t wait_of(const WindowEvent& here, const WindowEvent& causer) {
  const std::int64_t all_ns = std::min(causer.enter_ns, here.leave_ns) - here.enter_ns;
  if (here.outside_ns == 0 || all_ns <= 0) return all_ns;
  const auto length_ns = static_cast<double>(here.leave_ns - here.enter_ns);
  const double inside = 1 - static_cast<double>(here.outside_ns) / length_ns;
  return static_cast<std::int64_t>(static_cast<double>(all_ns) * inside);
}

}  // namespace

std::size_t MessageWaits::ChannelHash::operator()(const Channel& channel) const noexcept {
  std::uint64_t hash = static_cast<std::uint32_t>(channel.rank);
  for (const std::int32_t part : {channel.source, channel.comm, channel.tag})
    hash = (hash ^ static_cast<std::uint32_t>(part)) * 0x9e3779b97f4a7c15ULL;
  return static_cast<std::size_t>(hash ^ hash >> 32);
}

std::int32_t MessageWaits::rank_of(const WindowEvent& event) const {
  return trace_.definitions().locations[event.location].rank;
}

/// The receives come in the wrong order if the rank receives later what was sent earlier. A receive from any source is in no order with those from
/// other sources: it takes what comes.
Result<WaitKind> MessageWaits::kind_of(const Received& received, const MergedEvent& receive) const {
  const WindowEvent& send = received.send;
  const std::int32_t source = rank_of(send);
  const LaterReceives& later = later_[layer_of(receive)];
  if (later.from(receive.rank, source) < send.enter_ns) return WaitKind::wrong_order_same_source;
  if (later.from_others(receive.rank, source) >= send.enter_ns) return WaitKind::late_sender;
  MERIDIAN_TRY(const WindowEvent post, window_.event(received.post));
  return (post.flags & kEventAnySource) != 0 ? WaitKind::late_sender : WaitKind::wrong_order_other_sources;
}

/// The messages that a call sent, whose sends it completed, and that it received, and the collectives that it completed: the longest wait
/// counts, because they are waited for at the same time.
Status MessageWaits::look(const MergedEvent& event, std::span<const EventLink> links,
                          std::span<const EventAwaited> awaited) {
  const WindowEvent here = WindowEvent::of(event);
  const WaitFunction& function = functions_[event.call];
  std::optional<FoundWait> longest;
  const auto consider = [&](WaitKind kind, const WindowEvent& causer) {
    const std::int64_t ns = wait_of(here, causer);
    if (ns > 0 && (!longest || ns > longest->ns)) longest = {kind, ns, causer};
  };
  received_.clear();
  parts_.clear();
  for (const EventLink& link : links) {
    if (link.kind == LinkKind::left) {
      parts_.push_back(link.number);
      continue;
    }
    if (link.kind == LinkKind::sent && !function.blocks_sending) continue;
    MERIDIAN_TRY(const MessageEnds ends, trace_.message_ends(link.number));
    if (link.kind == LinkKind::received) {
      MERIDIAN_TRY(const WindowEvent send, window_.event(ends.send));
      received_.push_back({send, ends.post});
    } else {
      MERIDIAN_TRY(const WindowEvent post, window_.event(ends.post));
      // A send that ends before the receive is posted did not wait for it.
      if (here.leave_ns > post.enter_ns) consider(WaitKind::late_receiver, post);
    }
  }
  for (const EventAwaited& other : awaited) {
    if (other.kind != WaitKind::late_receiver || function.poll != Poll::no) continue;
    MERIDIAN_TRY(const WindowEvent post, window_.event(other.causer));
    if (here.leave_ns > post.enter_ns) consider(WaitKind::late_receiver, post);
  }
  const Received* causer = nullptr;  // of the longest wait, if that is for a message
  for (const Received& received : received_) {
    const std::int64_t ns = wait_of(here, received.send);
    // An exchange with a rank that comes late: the message is certainly waited for, the receive of the own one perhaps.
    const bool is_longest = !longest || ns > longest->ns || (ns == longest->ns && causer == nullptr);
    if (ns <= 0 || !is_longest) continue;
    longest = {WaitKind::late_sender, ns, received.send};
    causer = &received;
  }
  if (causer != nullptr) {
    MERIDIAN_TRY(longest->kind, kind_of(*causer, event));
  }
  if (parts_.size() + (longest ? 1 : 0) > 1) MERIDIAN_TRY_DO(keep_longest(here, longest));
  PollFor& polls = polls_[event.location];
  if (received_.empty()) {
    if (longest) MERIDIAN_TRY_DO(sums_.add(*longest, here));
    if (!parts_.empty() && function.poll == Poll::request) return polled_for(here, parts_.front());
    if (function.poll == Poll::no) polls.poll = Poll::no;
    if (function.poll != Poll::no) return look_at_poll(here, function);
    return function.is_probe ? look_at_probe(event) : Status{};
  }
  if (longest) MERIDIAN_TRY_DO(sums_.add(*longest, here));
  const Received latest =
      *std::ranges::max_element(received_, {}, [](const Received& received) { return received.send.enter_ns; });
  MERIDIAN_TRY(const WaitKind kind, kind_of(latest, event));
  polls = {function.poll == Poll::request ? Poll::request : Poll::message, {kind, 0, latest.send}, longest.has_value()};
  for (const Received& received : received_)
    later_[layer_of(event)].add(event.rank, rank_of(received.send), received.send.enter_ns);
  if (received_.size() == 1 && event.peer >= 0) {
    if (sends_.size() >= kMostChannels) sends_.clear();
    sends_[{event.rank, event.peer, event.comm, event.tag}] = latest.send;
  }
  return {};
}

/// Keeps the longest of the waits for `parts_` and for messages. A wait for a collective is added where its collective is looked at.
Status MessageWaits::keep_longest(const WindowEvent& here, std::optional<FoundWait>& of_messages) {
  std::int64_t longest_ns = of_messages ? of_messages->ns : 0;
  for (std::uint64_t& part : parts_) {
    MERIDIAN_TRY(const std::optional<FoundWait> wait, collectives_.wait_of(part, here));
    if (!wait || wait->ns <= longest_ns) continue;
    longest_ns = wait->ns;
    of_messages.reset();
    std::swap(part, parts_.front());
  }
  const bool has_longest = !of_messages && longest_ns > 0;
  overlapped_.insert(parts_.begin() + (has_longest ? 1 : 0), parts_.end());
  return {};
}

/// The poll completes a collective: those before it waited for the same call. Its own wait is found with the collective.
Status MessageWaits::polled_for(const WindowEvent& here, std::uint64_t part) {
  MERIDIAN_TRY(const std::optional<FoundWait> cause, collectives_.of(part));
  PollFor& polls = polls_[here.location];
  polls = {cause ? Poll::request : Poll::no, cause.value_or(FoundWait{}), cause && wait_of(here, cause->causer) > 0};
  return {};
}

/// Polls that find nothing, one after another, are one wait for what the last one finds.
Status MessageWaits::look_at_poll(const WindowEvent& here, const WaitFunction& function) {
  PollFor& polls = polls_[here.location];
  if (polls.poll != function.poll) return {};
  FoundWait wait = polls.wait;
  wait.ns = wait_of(here, wait.causer);
  if (wait.ns <= 0) return {};
  return sums_.add(wait, here, !std::exchange(polls.is_counted, true));
}

Status MessageWaits::look_at_probe(const MergedEvent& event) {
  if (event.peer < 0) return {};
  const auto found = sends_.find({event.rank, event.peer, event.comm, event.tag});
  if (found == sends_.end()) return {};
  const WindowEvent here = WindowEvent::of(event);
  const std::int64_t ns = wait_of(here, found->second);
  if (ns <= 0) return {};
  MERIDIAN_TRY(const WaitKind kind, kind_of({found->second, event.row}, event));
  return sums_.add({kind, ns, found->second}, here);
}

}  // namespace meridian
