// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "merger/match/collectives/match_collectives.hpp"
#include "merger/match/messages/channel.hpp"
#include "trace/containers/index_map.hpp"
#include "trace/definitions/communicators.hpp"
#include "trace/model/call_facts.hpp"

namespace meridian {

/// A request of one rank and the effect of its completion.
struct Request {
  static constexpr std::uint32_t kNoCollective = 0xffffffff;
  enum class Kind : std::uint8_t { send, receive, collective, other };
  Kind kind = Kind::other;
  bool is_persistent = false;
  bool is_partitioned = false;
  bool is_active = true;  ///< persistent: between start and completion
  bool is_cancel_requested = false;
  bool is_size_unreliable = false;  ///< Isendrecv: the status of MPICH 4.0 has a wrong size
  bool is_completing = false;       ///< a call that completes it is in progress
  bool is_seen = false;             ///< a call has shown that it is complete (Request_get_status), as in `seen`
  const LocalComm* comm = nullptr;
  std::int32_t peer = 0;  ///< from the call that made it; likewise the tag
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;        ///< to send, or size of the receive buffer
  std::uint64_t send_number = 0;  ///< in its channel
  std::uint32_t open_send = OpenSends::kNone;
  ReceiveId receive = kNoReceive;
  std::uint32_t epoch = 0;  ///< at its send, for the key of its channel
  PartId part;
  std::uint32_t collective = kNoCollective;  ///< persistent: the collective of each start
  std::uint64_t handle = 0;
  Completion seen;
  std::size_t stretch = 0;  ///< at its creation (RecordingGaps)
};

/// A collective that is repeated by each start of a request.
struct PersistentCollective {
  std::uint32_t series = 0;  ///< from CollectiveMatcher
  const CallFacts* what = nullptr;
  Collective arguments;
};

/// The live requests of one rank, by handle. Libraries may use one handle for several requests that are complete at
/// once, and a request may have ended outside the recording: the latest owner of a handle is valid.
class RequestTable {
 public:
  static constexpr std::uint32_t kNone = IndexMap<HandleKey>::kNone;

  std::uint32_t find(std::uint64_t handle) const noexcept { return index_.find({handle}); }
  Request& operator[](std::uint32_t number) noexcept { return requests_[number]; }

  std::uint32_t add_collective(const PersistentCollective& collective) {
    if (free_collectives_.empty()) {
      collectives_.push_back(collective);
      return static_cast<std::uint32_t>(collectives_.size() - 1);
    }
    const std::uint32_t number = free_collectives_.back();
    free_collectives_.pop_back();
    collectives_[number] = collective;
    return number;
  }
  const PersistentCollective& collective(const Request& request) const noexcept {
    return collectives_[request.collective];
  }

  /// Assigns the handle to a new request, removing its present owner if there is one: see find().
  std::uint32_t add(std::uint64_t handle, const Request& request) {
    std::uint32_t number;
    if (free_.empty()) {
      number = static_cast<std::uint32_t>(requests_.size());
      requests_.push_back(request);
    } else {
      number = free_.back();
      free_.pop_back();
      requests_[number] = request;
    }
    requests_[number].handle = handle;
    index_.set({handle}, number);
    return number;
  }

  void remove(std::uint32_t number) {
    const HandleKey key{requests_[number].handle};
    if (index_.find(key) == number) index_.erase(key);
    free_.push_back(number);
    if (requests_[number].collective != Request::kNoCollective)
      free_collectives_.push_back(requests_[number].collective);
  }

  template <class Visit>
  void for_each(Visit&& visit) {  // in an unspecified but reproducible order
    for (std::uint32_t number = 0; number < requests_.size(); ++number)
      if (index_.find({requests_[number].handle}) == number) visit(requests_[number]);
  }

 private:
  IndexMap<HandleKey> index_;
  std::vector<Request> requests_;
  std::vector<std::uint32_t> free_;
  std::vector<PersistentCollective> collectives_;
  std::vector<std::uint32_t> free_collectives_;
};

}  // namespace meridian
