// SPDX-License-Identifier: Apache-2.0
#include "merger/match/messages/open_sends.hpp"

namespace meridian {

std::uint32_t OpenSends::add() {
  if (free_.empty()) {
    sends_.emplace_back();
    return static_cast<std::uint32_t>(sends_.size() - 1);
  }
  const std::uint32_t id = free_.back();
  free_.pop_back();
  sends_[id] = {};
  return id;
}

void OpenSends::received(std::uint32_t id, const EventRef& post, std::int64_t post_enter_ns) {
  if (id == kNone) return;
  sends_[id].post = post;
  sends_[id].post_enter_ns = post_enter_ns;
  forget_receive(id);
}

void OpenSends::completed(std::uint32_t id, const EventRef& call, std::int64_t enter_ns, std::int64_t leave_ns) {
  if (id == kNone) return;
  sends_[id].completion = call;
  sends_[id].enter_ns = enter_ns;
  sends_[id].leave_ns = leave_ns;
  forget_send(id);
}

void OpenSends::forget_receive(std::uint32_t id) {
  if (id == kNone) return;
  sends_[id].has_receive = true;
  if (sends_[id].has_completion) remove(id);
}

void OpenSends::forget_send(std::uint32_t id) {
  if (id == kNone) return;
  sends_[id].has_completion = true;
  if (sends_[id].has_receive) remove(id);
}

void OpenSends::remove(std::uint32_t id) {
  const Send& send = sends_[id];
  if (send.enter_ns < send.post_enter_ns && send.post_enter_ns < send.leave_ns)
    awaited_.push_back({send.completion, send.post, WaitKind::late_receiver});
  free_.push_back(id);
}

}  // namespace meridian
