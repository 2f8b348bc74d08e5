// SPDX-License-Identifier: Apache-2.0
#include "import/otf2/posts.hpp"

#include <span>
#include <utility>

#include "trace/model/call_facts.hpp"

namespace meridian::imported {

void PostScan::enter(std::uint64_t, OTF2_RegionRef region, std::uint64_t) {
  open_.enter({region, regions_.of(region).call, ++now_});
}

void PostScan::leave(std::uint64_t, OTF2_RegionRef region) {
  open_.leave(region, [&](const Open& open, bool is_left) {
    const Role role = facts_of(open.call).role;
    if (role == Role::sendrecv) channels_.add_sendrecv(open.has_message);
    if (!is_left) return;
    if (role == Role::send_init || role == Role::psend_init) ++made_sends_;
    if (role == Role::recv_init || role == Role::precv_init) ++made_receives_;
  });
}

Status PostScan::finish() {
  active_ = {};
  posts_.shrink();
  return status_ ? posts_.seal() : status_;
}

void PostScan::count(const Message& message, bool is_send) {
  if (Open* const call = open_.call(); call != nullptr) call->has_message = true;
  if (const std::optional<Channel> channel = world_.channel(message, rank_, is_send))
    is_send ? channels_.add_send(*channel) : channels_.add_receive(*channel);
}

const PostScan::Open* PostScan::start_call() {
  const Open* const call = open_.call();
  return call != nullptr && facts_of(call->call).role == Role::start ? call : nullptr;
}

void PostScan::add(std::uint64_t request, Active active) {
  active.number = posts_.size();
  active.started = ++now_;
  active.made = made_receives_;
  posts_.append(active.post);
  active_.insert_or_assign(request, active);
}

void PostScan::complete(std::uint64_t request, const Post& found) {
  const auto known = active_.find(request);
  if (known == active_.end()) return;
  if (const Status written = posts_.write(known->second.number, std::span{&found, 1}); !written && status_)
    status_ = written;
  active_.erase(known);
}

void PostScan::sent(const Message& message) { count(message, true); }

void PostScan::received(const Message& message) { count(message, false); }

void PostScan::isent(const Message& message, std::uint64_t request) {
  count(message, true);
  Active active;
  active.post = {message.bytes, 0, message.comm, message.peer, message.tag};
  if (const Open* const call = start_call(); call != nullptr) {
    active.is_start = true;
    const Repeated repeated{message.comm, static_cast<std::int32_t>(message.peer),
                            static_cast<std::int32_t>(message.tag), message.bytes};
    if (const auto number = persistent_.start_send(repeated, made_sends_, call->began))
      active.post.persistent = *number + 1;
  }
  if (completes_sends_)
    add(request, active);
  else
    posts_.append(active.post);
}

void PostScan::send_completed(std::uint64_t request) {
  const auto known = active_.find(request);
  if (known == active_.end()) return;
  Post post = known->second.post;
  if (post.persistent != 0) persistent_.end_send(post.persistent - 1);
  post.is_complete = 1;
  complete(request, post);
}

void PostScan::receive_posted(std::uint64_t request) {
  Active active;
  active.is_start = start_call() != nullptr;
  channels_.add_posted_receive();
  add(request, active);
}

void PostScan::ireceived(const Message& message, std::uint64_t request) {
  count(message, false);
  channels_.add_completed_receive();
  const auto known = active_.find(request);
  if (known == active_.end()) return;
  Post post{message.bytes, 0, message.comm, message.peer, message.tag, 0, 1};
  if (known->second.is_start) {
    const Repeated repeated{message.comm, static_cast<std::int32_t>(message.peer),
                            static_cast<std::int32_t>(message.tag), message.bytes};
    const auto number = persistent_.end_receive(repeated, known->second.made, known->second.started, ++now_);
    if (number) post.persistent = *number + 1;
  }
  complete(request, post);
}

void PostScan::cancelled(std::uint64_t request) {
  const auto known = active_.find(request);
  if (known == active_.end()) return;
  Post post = known->second.post;
  if (post.persistent != 0) persistent_.end_send(post.persistent - 1);
  if (post.comm == OTF2_UNDEFINED_COMM) channels_.add_completed_receive();
  post.is_complete = post.comm != OTF2_UNDEFINED_COMM;  // of a receive it is not known what it asked for
  complete(request, post);
}

void PostScan::collective_started(std::uint64_t request) { add(request, {}); }

void PostScan::collective_completed(const CollectivePart& part, std::uint64_t request) {
  complete(request, {part.bytes_sent, part.bytes_received, part.comm, part.root, 0, 0, 1});
}

}  // namespace meridian::imported
