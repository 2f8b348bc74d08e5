// SPDX-License-Identifier: Apache-2.0
#pragma once

// The enters that each exit of a collective must follow, for all collectives of a trace.

#include <cstdint>
#include <filesystem>
#include <optional>

#include "merger/model/event_ref.hpp"
#include "trace/containers/mapped_array.hpp"
#include "trace/containers/temp_spool.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The stamp of a time is t + 2^62, always above 0, so that 0 in fresh memory means "not yet".
inline constexpr std::int64_t kStampZero = std::int64_t{1} << 62;
constexpr std::int64_t stamp_of(std::int64_t ns) noexcept { return ns + kStampZero; }
constexpr std::int64_t ns_of(std::int64_t stamp) noexcept { return stamp - kStampZero; }

/// Parts of shape none are ignored: they wait for no part, and no part waits for them.
class CollectiveTable {
 public:
  /// One participant, as the table stores it.
  struct Part {
    std::uint64_t instance = 0;
    std::int64_t entered = 0;  ///< stamp; 0 until it has entered
    std::int32_t comm_rank = 0;
    std::int32_t reserved = 0;
  };
  /// The enters that an exit has to wait for.
  struct Need {
    bool is_known = true;    ///< false: a required enter has not been replayed yet
    std::int64_t stamp = 0;  ///< the latest of the enters; 0: none is required
  };

  /// Registers every part of the spool. errors: invalid_argument (impossible numbers), io.
  static Result<CollectiveTable> create(TempSpool<CollectivePart>& spool, const std::filesystem::path& scratch);

  /// Records that a participant entered. Call once for each part. True: some exits may now be possible.
  bool enter(Part& part, std::int64_t stamp);
  /// The enters of others that this exit must follow. The part itself must have entered.
  Need need(const Part& part) const;

  /// Whether others' exits must follow this enter; whether this exit must follow others' enters.
  bool is_source(const Part& part) const;
  bool is_sink(const Part& part) const;

  /// Records that a sink left. Call once for each.
  void leave(const Part& part, std::int64_t stamp);
  /// The earliest exit that must follow this enter or an earlier one; 0: none.
  std::int64_t first_exit(const Part& part) const;

  /// Stops the instance from implying an order.
  void withdraw(std::uint64_t instance);
  bool is_withdrawn(std::uint64_t instance) const { return instances_[instance].is_withdrawn; }

  /// One word per instance for the caller's use, initially 0.
  std::uint32_t& word(std::uint64_t instance) { return instances_[instance].word; }

  void release_pages() const noexcept;

 private:
  struct Instance {
    std::int64_t last_enter = 0;
    std::int64_t second_enter = 0;  // the last but one; equals last_enter if two ranks entered last
    std::int64_t root_enter = 0;
    std::int64_t first_exit = 0;
    std::uint64_t prefix_first = 0;  // index of its first slot in prefix_
    std::uint32_t parts = 0;
    std::uint32_t entered = 0;
    std::uint32_t prefix_size = 0;   // highest rank + 1
    std::uint32_t prefix_known = 0;  // all ranks below it have entered
    std::int32_t root = -1;
    std::uint32_t word = 0;
    CollectiveShape shape{};
    bool has_root = false;  // the trace contains the root's part
    bool is_withdrawn = false;
  };

  Status register_parts(TempSpool<CollectivePart>& spool, const std::filesystem::path& scratch);

  MappedArray<Instance> instances_;
  // For shape prefix, one slot for each rank of the communicator. 0: takes no part; kPending: has not entered;
  // otherwise a stamp: below prefix_known that of the latest enter up to this rank, above it that of the rank's own
  // enter.
  MappedArray<std::int64_t> prefix_;
};

}  // namespace meridian
