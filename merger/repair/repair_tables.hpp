// SPDX-License-Identifier: Apache-2.0
#pragma once

// The working state of repair_causality: the calls of every thread by time, and which call waits for which. Everything
// is on disk except a few words per thread.

#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <vector>

#include "merger/model/event_ref.hpp"
#include "merger/repair/repair_causality.hpp"
#include "merger/repair/repair_collectives.hpp"
#include "trace/containers/mapped_array.hpp"
#include "trace/containers/temp_spool.hpp"
#include "trace/model/result.hpp"

namespace meridian {

inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
/// Rows or points that are gone through before their pages are given back.
inline constexpr std::uint64_t kRowsBetweenReleases = 1 << 18;

/// A thread's calls: rows [first, first + events) of the tables.
struct RepairStream {
  std::int32_t rank = 0;
  std::uint32_t thread = 0;
  std::uint32_t chain = 0;  ///< index of the rank in the order given
  std::uint64_t first = 0;
  std::uint64_t events = 0;
};

/// Calls with the times that the clocks give. Streams are ordered by chain, then by thread; within a stream times never
/// decrease.
struct RepairInput {
  std::vector<RepairStream> streams;
  MappedArray<TimePair> times;
};

/// A message or a collective part, seen from a call's enter or leave; an element of a linked list. 0 ends the list.
struct Use {
  enum Role : std::uint64_t { send = 1, receive = 2, part_enter = 3, part_leave = 4 };
  std::uint64_t raw = 0;

  Use() = default;
  Use(Role role, std::uint64_t index) : raw{index << 3 | role} {}
  Role role() const noexcept { return static_cast<Role>(raw & 7); }
  std::uint64_t index() const noexcept { return raw >> 3; }  ///< of the message or part, in its spool
  explicit operator bool() const noexcept { return raw != 0; }
};

/// Heads of the lists of one call.
struct EventUses {
  Use at_enter;
  Use at_leave;
};

/// Message number i of the spool. Times are stamps: see stamp_of().
struct MessageNode {
  std::int64_t sent = 0;  ///< enter of the send; below 0: -1 - the stream that waits for it
  std::int64_t received = 0;
  Use next_send;
  Use next_receive;
};

struct PartNode {
  Use next_enter;
  Use next_leave;
  CollectiveTable::Part part;
};

class RepairTables {
 public:
  /// Links every message and collective part to its calls.
  /// errors  invalid_argument: one of them names a call that is not in `input`; io.
  static Result<RepairTables> create(RepairInput input, TempSpool<MatchedMessage>& messages,
                                     TempSpool<CollectivePart>& collectives, const std::filesystem::path& scratch);

  /// Row of a call in the tables; the call must occur in the input of create().
  std::uint64_t row_of(const EventRef& ref) const;
  void release_pages() const noexcept;

  std::vector<RepairStream> streams;
  std::uint32_t chains = 0;
  MappedArray<TimePair> times;  ///< from the clocks
  MappedArray<TimePair> moved;  ///< after the repair; until replay_forward(), stamps of deadlines: 0 means none
  MappedArray<EventUses> uses;
  MappedArray<MessageNode> messages;
  MappedArray<PartNode> parts;
  CollectiveTable collectives;

 private:
  Result<std::uint64_t> checked_row(const EventRef& ref, const char* what) const;
  const RepairStream* find_stream(const EventRef& ref) const;
  Status link_messages(TempSpool<MatchedMessage>& spool);
  Status link_parts(TempSpool<CollectivePart>& spool);

  std::vector<std::uint32_t> first_stream_;  // by rank, from the lowest present; a rank's streams are consecutive
  std::int32_t lowest_rank_ = 0;
};

}  // namespace meridian
