// SPDX-License-Identifier: Apache-2.0
#pragma once

// Adds up calls in place of storing them: MERIDIAN_MODE=profile.

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace/containers/index_map.hpp"
#include "trace/format/chunks/state_archive.hpp"
#include "trace/format/rank/batch_events.hpp"
#include "trace/format/rank/profile_rows.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/records/profile/dropped_calls.hpp"
#include "trace/records/profile/profile_requests.hpp"

namespace meridian {

/// The sums of one rank. Memory is bounded: beyond kMostRows of a kind, calls are added without their place, and messages
/// without their receiver.
class CallProfile {
 public:
  static constexpr std::size_t kMostRows = 16384;

  /// `meta`: of the rank, whose communicators the decoder fills in; must outlive this.
  explicit CallProfile(const RankMeta& meta) : meta_{meta} {}
  /// Counts messages and collectives by channel, too. Call before the first call is added.
  void count_channels() { is_counting_ = true; }

  /// Takes the calls of a thread. Returns those that have to stay events, without counters: in which MPI starts or ends, or which
  /// never returned. Valid until the next call.
  const EventBatch& take(ThreadId thread, const EventBatch& batch);
  /// Takes one call of a thread.
  void add(ThreadId thread, const BatchEvent& event) { add(thread.value, event); }

  /// Calls that are in the sums.
  std::uint64_t calls() const noexcept { return calls_; }
  /// In order of their keys, with CallId values as numbers of calls.
  RankProfile rows() const;
  /// What later calls need to know of those that were added, if count_channels() was called.
  DroppedPart dropped() const;
  bool has_too_many_tags() const noexcept { return channels_.has_too_many_tags(); }

  void save(StateWriter& archive) const;
  /// For a new profile of the same rank. False: the state is damaged, and this cannot be used.
  bool restore(StateReader& archive);

 private:
  static constexpr std::uint32_t kNoBirth = 0xffffffff;
  struct CallKey {
    std::uint64_t site = 0;
    std::uint32_t thread = 0, node = 0;
    std::uint32_t comm = kNoBirth;  // row of RankMeta::comms
    std::uint32_t call = 0;
    std::uint64_t object = 0;  // ProfileCallRow::object
    std::uint32_t made = 0;    // how often a file or window with that handle had been made
    friend bool operator==(const CallKey&, const CallKey&) = default;
    std::size_t hash() const noexcept {
      return static_cast<std::size_t>(mix(site ^ (std::uint64_t{thread} << 48) ^ (std::uint64_t{node} << 20) ^
                                          (std::uint64_t{comm} << 36) ^ (std::uint64_t{call} << 52) ^
                                          object * 0x9e3779b97f4a7c15ULL ^ (std::uint64_t{made} << 8)));
    }
  };
  struct PeerKey {
    std::uint32_t comm = kNoBirth;
    std::int32_t peer = 0;
    friend bool operator==(const PeerKey&, const PeerKey&) = default;
    std::size_t hash() const noexcept {
      return static_cast<std::size_t>(mix(std::uint64_t{comm} << 32 | static_cast<std::uint32_t>(peer)));
    }
  };
  struct SizeSums {
    std::uint64_t count = 0, bytes = 0;
  };

  /// Indexes the communicators that the decoder has found since the last call.
  void take_births();
  /// The communicator that the handle meant at this time.
  std::uint32_t comm_at(std::uint64_t handle, std::uint64_t ticks);
  bool is_inter(std::uint32_t comm) const noexcept { return meta_.comms[comm].birth.remote_size > 0; }
  /// The communicator of a call, as in a trace: of its message, of the only one that its requests are about, of its argument.
  std::uint32_t comm_of(std::uint32_t thread, const BatchEvent& event);
  std::uint32_t comm_of_requests(std::uint32_t thread, const BatchEvent& event) const;
  /// The handle of the file or window, or the number of the file, that a call is about; 0: none.
  std::uint64_t object_of(const BatchEvent& event) const;
  void add(std::uint32_t thread, const BatchEvent& event);
  /// What the call sends and receives itself, and what its requests will; `comm`: of the call.
  void add_transfer(std::uint32_t thread, const BatchEvent& event, std::uint32_t comm, ProfileCallRow& sums);
  void add_send(const BatchEvent& event, const PointToPoint& sent, std::uint32_t comm, ProfileCallRow& sums);
  void add_receive(const BatchEvent& event, const PointToPoint& received, std::uint32_t comm, ProfileCallRow& sums);
  void add_collective(CallId call, const Collective& part, std::uint32_t comm, ProfileCallRow& sums);
  void add_request(std::uint32_t thread, const BatchEvent& event, std::uint32_t comm);
  void add_started(std::uint32_t thread, const BatchEvent& event, ProfileCallRow& sums);
  void count_send(std::uint32_t comm, std::int32_t peer, std::int32_t tag, bool is_partitioned = false) {
    if (is_counting_ && comm < meta_.comms.size()) channels_.send(comm, peer, tag, is_partitioned);
  }
  /// `peer` and `tag` may be wildcards: then it is counted when it is complete.
  void count_post(const ProfileRequest& request);
  void count_received(std::uint32_t comm, const Completion& message) {
    if (is_counting_ && comm < meta_.comms.size()) channels_.receive(comm, message.source, message.tag);
  }
  void count_completed(const ProfileRequest& request, const Completion& completion);
  void add_completed(std::uint32_t thread, const BatchEvent& event, ProfileCallRow& sums);
  void add_message(std::uint32_t comm, std::uint64_t seen_ticks, std::int32_t peer, std::uint64_t bytes);
  void add_size(CallId call, std::uint64_t bytes);
  ProfileCallRow& row_of(std::uint32_t thread, const BatchEvent& event, std::uint32_t comm);

  const RankMeta& meta_;
  std::uint64_t calls_ = 0;
  std::vector<ProfileCallRow> rows_;
  std::vector<std::uint32_t> row_comms_;  // [rows_]: CallKey::comm
  std::vector<std::uint32_t> row_made_;   // [rows_]: CallKey::made
  IndexMap<CallKey> by_key_;
  std::vector<ProfilePeerRow> peers_;
  std::vector<std::uint32_t> peer_comms_;  // [peers_]
  IndexMap<PeerKey> by_peer_;
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> times_;  // [call][range]
  std::unordered_map<std::uint32_t, std::array<SizeSums, 65>> sizes_;    // [call][class]
  std::unordered_map<std::uint64_t, std::uint32_t> made_;  // by handle of a file or window: how often one was made
  ProfileRequests requests_;
  ProfileRequests found_;  // messages of MPI_Mprobe, which are handles of their own
  bool is_counting_ = false;
  DroppedCalls channels_;

  struct Birth {
    std::uint64_t ticks = 0;
    std::uint32_t row = 0;
  };
  // Of meta_.comms, not in the state.
  std::unordered_map<std::uint64_t, std::vector<Birth>> births_;  // by handle
  std::unordered_map<std::uint64_t, std::uint32_t> made_by_;      // by maker_key(): the row
  std::size_t known_births_ = 0;
  EventBatch kept_;
};

}  // namespace meridian
