// SPDX-License-Identifier: Apache-2.0
#pragma once

// The state of a process in the simulated MPI: its two queues, its requests, its threads.

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "merger/model/event_ref.hpp"

namespace meridian::test::simulated {

inline constexpr std::uint32_t kNobody = 0xffffffff;

struct Message {
  std::uint64_t id = 0;
  EventRef call;
  std::int32_t source = 0, dest = 0, tag = 0;
  std::int64_t bytes = 0;
  bool is_matched = false;
};

struct Receive {
  EventRef post;
  std::int32_t source = 0, tag = 0;
  std::optional<Message> message;
  std::uint32_t blocked_thread = kNobody;
};

struct Request {
  std::uint64_t handle = 0;
  std::shared_ptr<Receive> receive;  // null: a send
  std::uint64_t message_id = 0;      // of a send
  bool is_persistent = false, is_active = true, is_cancelled = false;
  std::int32_t peer = 0, tag = 0;
  std::int64_t bytes = 0;
};

struct Thread {
  bool is_blocked = false;
};

struct Process {
  std::vector<Thread> threads;
  std::list<std::shared_ptr<Receive>> posted;
  std::list<Message> unexpected;
  std::list<Request> requests;
  std::vector<std::uint64_t> free_handles;
  std::uint64_t handles = 0;
  std::vector<std::pair<std::uint64_t, Message>> probed;  // handle of a matched probe

  std::uint64_t new_handle() {
    if (!free_handles.empty()) {
      const std::uint64_t handle = free_handles.back();
      free_handles.pop_back();
      return handle;
    }
    return 0x1000 + 16 * handles++;
  }
};

inline bool fits(const Receive& receive, const Message& message) {
  return (receive.source == -1 || receive.source == message.source) &&
         (receive.tag == -1 || receive.tag == message.tag);
}

inline std::shared_ptr<Receive> new_receive(const EventRef& call, std::int32_t source, std::int32_t tag) {
  auto receive = std::make_shared<Receive>();
  receive->post = call;
  receive->source = source;
  receive->tag = tag;
  return receive;
}

inline bool is_done(const Request& request) {
  return request.receive == nullptr || request.is_cancelled || request.receive->message.has_value();
}

}  // namespace meridian::test::simulated
