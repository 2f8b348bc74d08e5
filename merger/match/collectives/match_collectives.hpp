// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "merger/match/messages/match_messages.hpp"
#include "merger/model/event_ref.hpp"
#include "merger/model/findings.hpp"
#include "trace/containers/ring_queue.hpp"
#include "trace/definitions/communicators.hpp"
#include "trace/model/call_facts.hpp"
#include "trace/model/event.hpp"

namespace meridian {

struct CollectiveTotals {
  std::uint64_t instances = 0;
  std::uint64_t calls = 0;
  std::uint64_t reversed = 0;  ///< instances in which an exit precedes an enter that it must follow
};

/// For recordings that are switched from outside the program: how many collectives of a communicator each rank missed
/// at the begin of an epoch, relative to the rank that missed the fewest. find_collective_starts() makes it.
class CollectiveStarts {
 public:
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

  bool is_needed() const noexcept { return is_needed_; }
  void set_needed() noexcept { is_needed_ = true; }
  void set(std::uint32_t comm, std::uint32_t epoch, std::uint32_t rank_index, std::uint64_t start) {
    starts_[{comm, epoch}][rank_index] = start;
  }
  /// kUnknown: the rank's collectives cannot be matched.
  std::uint64_t of(std::uint32_t comm, std::uint32_t epoch, std::uint32_t rank_index) const;
  /// One number for each of the `members` of the communicator, in any order; kUnknown: takes no part.
  std::vector<std::uint64_t> begins(std::uint32_t comm, std::uint32_t epoch, std::size_t members) const;

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<std::uint32_t, std::uint64_t>> starts_;
  bool is_needed_ = false;
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
  /// resolvers   [ranks present]: the communicators of each rank.
  /// parts       receives a row for every participant; the rows of an instance are consecutive, by group rank. Its
  ///             owner empties it.
  CollectiveMatcher(std::span<const CommResolver> resolvers, std::size_t comms, std::vector<CollectivePart>& parts,
                    Findings& findings);

  void set_starts(CollectiveStarts starts) { starts_ = std::move(starts); }
  /// Calls that wait for neighbours, or for the other group of an intercommunicator, are added to `awaited`. Both outlive the matcher.
  void set_sources(const Sources& sources, std::vector<AwaitedCall>& awaited) {
    sources_ = &sources;
    awaited_ = &awaited;
  }
  /// Some ranks ended without MPI_Finalize: incomplete instances at the end of the trace are then not an error.
  void expect_cuts() { has_cut_ranks_ = true; }

  /// The rank has entered that many collectives, and persistent ones, on the communicator before the trace begins. Call for all ranks
  /// before the first enter(), then begin().
  void skip(std::uint32_t rank_index, const LocalComm& comm, std::uint64_t entered, std::uint32_t initialised);
  void begin();
  /// The same of a persistent collective, which the rank has started that often. Returns what new_series() returned for it.
  std::uint32_t skip_series(std::uint32_t rank_index, const LocalComm& comm, std::uint32_t series,
                            std::uint64_t started);

  /// `what` and `arguments` describe the call. series  0, or the result of new_series() for a persistent collective.
  PartId enter(const Caller& caller, const LocalComm& comm, const CallFacts& what, const Collective& arguments,
               std::uint32_t series = 0);
  void leave(PartId id, const Caller& caller);
  /// The leave of the part is not in the trace; its exit implies no order.
  void abandon(PartId id);

  /// Called when this rank initialises a persistent collective on this communicator.
  std::uint32_t new_series(std::uint32_t rank_index, const LocalComm& comm);

  /// Called after the last call of the rank.
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
    bool is_among_neighbours = false;  // a neighbourhood collective
    bool sends = false, receives = false;
    WaitKind wait_for_group{};  // on an intercommunicator
  };
  struct Instance {
    std::vector<Part> parts;
    std::uint32_t stream = 0;
    std::uint64_t number = 0;  // in its stream
    std::uint32_t open = 0;    // parts that have not ended
    bool is_inter = false;
    bool has_abandoned = false;
  };
  /// The collectives of a communicator in their order; each persistent collective has a stream of its own.
  struct Stream {
    std::uint32_t comm = 0;
    std::uint32_t members = 0;  // members in the trace
    std::uint64_t base = 0;     // number of the first of `instances`
    RingQueue<std::uint32_t> instances;
    std::map<std::uint32_t, std::uint64_t> starts;  // persistent: by rank index
    std::vector<std::uint64_t> begins;  // after gaps, or dropped calls: number of the first instance of each member
    bool is_late = false;               // after dropped calls
    std::vector<std::uint64_t> ended;   // for members that have ended: number of instances entered
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
  void look_at_neighbours(std::span<const Part> parts);
  void look_at_groups(std::span<const Part> parts);
  void await(const Part& here, const Part& latest, WaitKind kind);
  void skip(Stream& stream, std::span<std::uint64_t* const> numbers);
  void end_stream(std::uint32_t stream, std::uint64_t entered);
  void report(const Instance& instance, FindingId id);

  std::vector<CollectivePart>& rows_;
  Findings& findings_;
  std::vector<std::uint32_t> members_;                                       // [CommId]: members in the trace
  std::vector<std::uint32_t> plain_stream_;                                  // [CommId]
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> series_;  // (CommId, series) -> stream
  std::vector<Stream> streams_;
  std::vector<Instance> instances_;
  std::vector<std::uint32_t> free_instances_;
  std::vector<RankState> ranks_;
  CollectiveStarts starts_;
  bool has_cut_ranks_ = false;
  CollectiveTotals totals_;
  const Sources* sources_ = nullptr;
  std::vector<AwaitedCall>* awaited_ = nullptr;
};

/// Whether an exit in these parts (of one instance, by group rank) precedes an enter that it must follow.
bool is_reversed(std::span<const CollectivePart> parts) noexcept;

}  // namespace meridian
