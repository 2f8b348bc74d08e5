// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "trace/containers/index_map.hpp"
#include "trace/format/chunks/state_archive.hpp"
#include "trace/model/event.hpp"

namespace meridian {

/// A request whose completion or start moves bytes that the call does not name, or a message that was found by MPI_Mprobe. Other
/// requests need not be known.
struct ProfileRequest {
  enum class Kind : std::uint8_t { send, receive, collective, message };
  std::uint64_t handle = 0;
  std::uint32_t thread = 0;  ///< that made it
  Kind kind = Kind::receive;
  std::uint8_t is_persistent = 0;
  std::uint8_t is_size_unreliable = 0;  ///< MPI_Isendrecv: the status of MPICH 4.0 has a wrong size
  std::uint16_t call = 0;               ///< that made it
  std::int32_t peer = 0;
  std::uint32_t comm = 0;        ///< row of RankMeta::comms
  std::uint64_t seen_ticks = 0;  ///< at which the handle meant that communicator
  std::uint64_t bytes = 0;       ///< to send, or size of the receive buffer
  Collective part;               ///< of a persistent collective
  std::uint64_t started = 0;     ///< persistent: how often
  std::int32_t tag = 0;
  std::uint32_t series = 0;  ///< of a persistent collective: its number on the communicator

  /// Whether only its completion tells whose message it receives.
  bool is_wildcard() const noexcept { return kind == Kind::receive && (peer == kAnySource || tag == kAnyTag); }
};

/// The live ones of a rank, by handle: the latest owner of a handle is valid. Calls of threads come one thread after the other, not in
/// order of time, so a thread's own request goes before one that another thread has made with the same handle.
class ProfileRequests {
 public:
  static constexpr std::size_t kMost = 1 << 16;  ///< further requests are not known: their bytes are missing

  const ProfileRequest* find(std::uint32_t thread, std::uint64_t handle) const noexcept {
    const std::uint32_t number = number_of(thread, handle);
    return number == kNone ? nullptr : &requests_[number];
  }
  ProfileRequest* find(std::uint32_t thread, std::uint64_t handle) noexcept {
    return const_cast<ProfileRequest*>(std::as_const(*this).find(thread, handle));
  }
  void add(const ProfileRequest& request) {
    if (request.handle == 0) return;
    std::uint32_t number = own_.find({request.handle, request.thread});
    if (number == kNone) {
      if (free_.empty() && requests_.size() >= kMost) return;
      number = free_.empty() ? static_cast<std::uint32_t>(requests_.size()) : free_.back();
      if (free_.empty())
        requests_.emplace_back();
      else
        free_.pop_back();
      own_.set({request.handle, request.thread}, number);
    }
    requests_[number] = request;
    any_.set({request.handle}, number);
  }
  void remove(std::uint32_t thread, std::uint64_t handle) noexcept {
    const std::uint32_t number = number_of(thread, handle);
    if (number == kNone) return;
    own_.erase({handle, requests_[number].thread});
    if (any_.find({handle}) == number) any_.erase({handle});
    free_.push_back(number);
  }

  std::vector<ProfileRequest> live() const {
    std::vector<ProfileRequest> live;
    for (std::uint32_t number = 0; number < requests_.size(); ++number)
      if (own_.find({requests_[number].handle, requests_[number].thread}) == number) live.push_back(requests_[number]);
    return live;
  }

  void save(StateWriter& archive) const { archive(live()); }
  void restore(StateReader& archive) {
    std::vector<ProfileRequest> live;
    archive(live);
    for (const ProfileRequest& request : live) add(request);
  }

 private:
  struct Key {
    std::uint64_t handle = 0;
    std::uint32_t thread = 0;
    friend bool operator==(const Key&, const Key&) = default;
    std::size_t hash() const noexcept { return static_cast<std::size_t>(mix(handle ^ std::uint64_t{thread} << 40)); }
  };
  static constexpr std::uint32_t kNone = IndexMap<Key>::kNone;

  std::uint32_t number_of(std::uint32_t thread, std::uint64_t handle) const noexcept {
    const std::uint32_t own = own_.find({handle, thread});
    return own != kNone ? own : any_.find({handle});
  }

  IndexMap<Key> own_;
  IndexMap<HandleKey> any_;  // the latest
  std::vector<ProfileRequest> requests_;
  std::vector<std::uint32_t> free_;
};

}  // namespace meridian
