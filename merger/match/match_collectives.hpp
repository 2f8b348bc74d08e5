// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "merger/containers/ring_queue.hpp"
#include "merger/match/match_messages.hpp"
#include "merger/model/call_roles.hpp"
#include "merger/model/communicators.hpp"
#include "merger/model/event_ref.hpp"
#include "merger/model/findings.hpp"
#include "trace/model/event.hpp"

namespace meridian {

struct CollectiveTotals {
  std::uint64_t instances = 0;
  std::uint64_t calls = 0;
  std::uint64_t reversed = 0;  ///< instances in which a rank left before an enter that its exit must follow
};

/// A participation that has begun and not ended. Default: none.
struct PartId {
  static constexpr std::uint32_t kNone = 0xffffffff;
  std::uint32_t instance = kNone;
  std::uint32_t part = 0;
};

/// Matches the calls that belong to one collective of a communicator: the n-th collective that one rank enters on a
/// communicator is the n-th of every other (MPI 4.1, 6.1 and 6.12: all members call them in the same order, blocking
/// and non-blocking ones alike). A persistent collective is identified by the order of its initialisation, and its
/// instances by their starts.
class CollectiveMatcher {
 public:
  /// resolvers   [ranks present]: which communicators each rank has.
  /// parts       gets a row for every participant; the rows of an instance follow one another, by group rank. Its
  ///             owner empties it.
  CollectiveMatcher(std::span<const CommResolver> resolvers, std::size_t comms, std::vector<CollectivePart>& parts,
                    Findings& findings);

  /// Ranks ended without MPI_Finalize, so that others may have waited for them until the end; that is not a mistake.
  void expect_cuts() { has_cut_ranks_ = true; }

  /// `what` and `arguments` describe the call. series  0, or what new_series() gave a persistent one.
  PartId enter(const Caller& caller, const LocalComm& comm, const CallRole& what, const Collective& arguments,
               std::uint32_t series = 0);
  void leave(PartId id, const Caller& caller);
  /// Its leave is not in the trace; no order follows for its exit.
  void abandon(PartId id);

  /// A persistent collective was initialised by this rank on this communicator.
  std::uint32_t new_series(std::uint32_t rank_index, const LocalComm& comm);

  /// The rank has no more calls.
  void end_rank(std::uint32_t rank_index);
  /// Calls of this rank were lost: later collectives on the communicator cannot be matched.
  void give_up(std::uint32_t rank_index, const LocalComm& comm);
  CollectiveTotals finish();
  std::uint64_t reversed() const noexcept { return totals_.reversed; }

 private:
  struct Part {
    CollectivePart row;
    std::uint8_t kind = 0;
    bool has_data = false;  // it sends or receives data for which others, or it, have to wait
    bool is_left = false;
  };
  struct Instance {
    std::vector<Part> parts;
    std::uint32_t stream = 0;
    std::uint64_t number = 0;  // in its stream
    std::uint32_t open = 0;    // parts that have not ended
    bool is_inter = false;
    bool has_abandoned = false;
  };
  /// The collectives of a communicator in their order; one more for every persistent one.
  struct Stream {
    std::uint32_t comm = 0;
    std::uint32_t members = 0;  // that the trace has
    std::uint64_t base = 0;     // number of the first in `instances`
    RingQueue<std::uint32_t> instances;
    std::map<std::uint32_t, std::uint64_t> starts;  // persistent: by rank index
    std::vector<std::uint64_t> ended;               // for members that have ended: how many they entered
  };
  struct RankState {
    std::vector<std::uint64_t> entered;      // [communicators of the rank]
    std::vector<std::uint32_t> initialised;  // [communicators of the rank]
    std::vector<std::uint32_t> comm;         // [communicators of the rank]: CommId
    std::vector<bool> is_given_up;           // [communicators of the rank]
  };

  std::uint32_t stream_of(std::uint32_t comm, std::uint32_t series);
  std::uint32_t instance_of(std::uint32_t stream, std::uint64_t number);
  void close_if_complete(std::uint32_t instance);
  void close(Instance& instance);
  void end_stream(std::uint32_t stream, std::uint64_t entered);
  void report(const Instance& instance, FindingId id);

  std::vector<CollectivePart>& rows_;
  Findings& findings_;
  std::vector<std::uint32_t> members_;                                       // [CommId]: members that the trace has
  std::vector<std::uint32_t> plain_stream_;                                  // [CommId]
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> series_;  // (CommId, series) -> stream
  std::vector<Stream> streams_;
  std::vector<Instance> instances_;
  std::vector<std::uint32_t> free_instances_;
  std::vector<RankState> ranks_;
  bool has_cut_ranks_ = false;
  CollectiveTotals totals_;
};

/// Whether an exit in these parts (of one instance, by group rank) precedes an enter that it must follow.
bool is_reversed(std::span<const CollectivePart> parts) noexcept;

}  // namespace meridian
