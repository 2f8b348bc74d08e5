// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "merger/model/event_ref.hpp"
#include "merger/model/event_row.hpp"
#include "merger/model/trace.hpp"
#include "merger/output/event_rows.hpp"
#include "merger/output/row_map.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Writes the calls of rank files to /events, and stores the row of each call on disk.
class EventTable {
 public:
  /// scratch  a directory for the row numbers: 8 bytes a call, removed with this object.
  static Result<EventTable> create(ColumnParent file, const Trace& trace, const std::filesystem::path& scratch);

  /// The sites of the call paths that follow those known so far. Before rows with these paths.
  void add_paths(std::span<const std::uint32_t> sites) {
    site_of_path_.insert(site_of_path_.end(), sites.begin(), sites.end());
  }
  /// In global order.
  Status append(std::span<const EventRow> rows);
  Status finish() { return columns_.finish(); }

  /// A number for a call whose row is not known yet. errors: damaged: there is no such call.
  Result<std::uint64_t> slot(const EventRef& call) const;
  /// Rows of the appended calls by slot.
  const RowMap& rows() const noexcept { return rows_; }

 private:
  /// The threads of a rank among all locations.
  struct Threads {
    std::uint32_t first = 0;             ///< location of the first thread
    std::vector<std::uint32_t> numbers;  ///< [thread of the file]
  };

  EventTable(EventRows columns, const Trace& trace);
  static constexpr std::uint32_t kNoLocation = 0xffffffff;
  std::uint32_t location(std::int32_t rank, std::uint32_t thread) const;
  bool has_slot(std::uint32_t at, std::uint64_t event) const noexcept {
    return at != kNoLocation && event < first_slot_[at + std::size_t{1}] - first_slot_[at];
  }
  static Error no_call(const EventRef& call);

  EventRows columns_;
  bool has_sites_;
  std::vector<std::uint32_t> site_of_path_;
  std::vector<std::uint32_t> rank_index_;
  std::vector<Threads> threads_;           // [files]
  std::vector<std::uint64_t> first_slot_;  // [locations + 1]
  RowMap rows_;
};

}  // namespace meridian
