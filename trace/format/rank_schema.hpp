// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rank file's tables, defined once for writing and reading. FORMAT.md describes them for users.

#include <span>

#include "trace/format/rank_file.hpp"
#include "trace/format/table.hpp"
#include "trace/format/table_column.hpp"

namespace meridian::rank_schema {

inline constexpr const char* kSchemaName = "meridian-rank";

/// The columns of a table of the rank file. In event tables, names are paths from the file's root; a small table is a
/// dataset of a compound type whose fields have these names.
template <class Row>
std::span<const AnyColumn> columns();

/// Maximum number of rows of one segment in one table: limits a reader's allocation for a batch.
inline constexpr std::uint64_t kMaxSegmentRows = std::uint64_t{1} << 22;
/// The same for its calls, and for the tables with a row or two for each: the writer makes segments of an eighth of it.
inline constexpr std::uint64_t kMaxSegmentEvents = std::uint64_t{1} << 17;

// Rows on disk for the parts of RankMeta with strings and lists.
struct StoredMembers {
  std::uint64_t comm = 0;
  std::uint64_t born_ticks = 0;
  std::uint64_t first = 0;  ///< index in /member_ranks
  std::uint64_t count = 0;
  std::uint8_t remote = 0;
};
struct StoredText {
  std::uint64_t first = 0;  ///< byte in /text_bytes
  std::uint64_t bytes = 0;  ///< "key\0value"
  std::uint64_t handle = 0;
  std::uint64_t ticks = 0;
};

std::string_view clock_name(ClockKind clock);
/// "lost_ring_full": the root attribute that holds a loss counter.
std::string loss_attribute(Loss loss);

/// Writes and reads everything except events: attributes of the root and the small tables, including `segments`.
Status write_meta(hid_t file, const RankMeta& meta);
Result<RankMeta> read_meta(hid_t file, const std::filesystem::path& path);
/// Notes that a table cannot be read.  has_handles: messages cannot be matched without this table.
void note_unreadable(RankMeta& meta, const Error& error, bool has_handles);

}  // namespace meridian::rank_schema
