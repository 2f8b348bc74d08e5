// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "merger/model/event_ref.hpp"

namespace meridian {

/// Sends with requests, each until it is completed and its receive is known. If the receive was posted while the call
/// that completes the send was in progress, that call may have waited for it.
class OpenSends {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  std::uint32_t add();
  /// The message has its receive.
  void received(std::uint32_t id, const EventRef& post, std::int64_t post_enter_ns);
  void never_received(std::uint32_t id) { forget_receive(id); }
  /// `call` completed the request.
  void completed(std::uint32_t id, const EventRef& call, std::int64_t enter_ns, std::int64_t leave_ns);
  /// The call that completed it is unknown.
  void abandoned(std::uint32_t id) { forget_send(id); }

  /// Calls that may have waited; the owner of this object empties it.
  std::vector<AwaitedCall>& awaited() noexcept { return awaited_; }
  /// Sends under way.
  std::size_t size() const noexcept { return sends_.size() - free_.size(); }

 private:
  struct Send {
    bool has_receive = false, has_completion = false;  // or it will never be known
    EventRef post, completion;
    std::int64_t post_enter_ns = INT64_MAX;
    std::int64_t enter_ns = INT64_MAX, leave_ns = INT64_MIN;
  };
  void forget_receive(std::uint32_t id);
  void forget_send(std::uint32_t id);
  void remove(std::uint32_t id);

  std::vector<Send> sends_;
  std::vector<std::uint32_t> free_;
  std::vector<AwaitedCall> awaited_;
};

}  // namespace meridian
