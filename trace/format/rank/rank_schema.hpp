// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rank file's tables, defined once for writing and reading. FORMAT.md describes them for users.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "trace/format/rank/rank_file.hpp"
#include "trace/format/tables/table.hpp"
#include "trace/format/tables/table_column.hpp"

namespace meridian::rank_schema {

inline constexpr const char* kSchemaName = "meridian-rank";

/// The columns of a table of the rank file. In event tables and tables with texts, names are paths from the file's root;
/// any other small table is a dataset of a compound type whose fields have these names.
template <class Row>
std::span<const AnyColumn> columns();

/// Maximum number of rows of one segment in one table: limits a reader's allocation for a batch.
inline constexpr std::uint64_t kMaxSegmentRows = std::uint64_t{1} << 22;
/// The same for its calls, and for the tables with a row or two for each: the writer makes segments of an eighth of it.
inline constexpr std::uint64_t kMaxSegmentEvents = std::uint64_t{1} << 17;

// Columns of values that are no members of a row; the columns of EventBatch, above all. Their names are paths.
inline constexpr auto kGap = value_column<std::int64_t>("events/gap", "ticks");
inline constexpr auto kDuration = value_column<std::uint64_t>("events/duration", "ticks");
inline constexpr auto kCall = value_column<std::uint16_t>("events/call");
inline constexpr auto kPayload = value_column<std::uint8_t>("events/payload");
inline constexpr auto kFlags = value_column<std::uint8_t>("events/flags");
inline constexpr auto kCompletionCount = value_column<std::uint32_t>("events/completions");
inline constexpr auto kSite = value_column<std::uint64_t>("sites/address").as_handle();
inline constexpr auto kNode = value_column<std::uint32_t>("sites/node");
inline constexpr auto kCounter = value_column<std::int64_t>("counters/value");
inline constexpr auto kCounterBetween = value_column<std::int64_t>("counters/between");
inline constexpr auto kUserValue = value_column<std::uint64_t>("user/value");
inline constexpr auto kDictionary = value_column<std::uint64_t>("dictionary");
inline constexpr Columns kMemberRanks{value_column<std::int32_t>("member_ranks")};
inline constexpr Columns kTextBytes{value_column<std::uint8_t>("text_bytes")};

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
struct StoredCall {
  std::string name;
  std::string_view group;
};

inline Error contradiction(const std::string& reason) {
  return Error{Errc::damaged, "the rank file contradicts itself: " + reason, ""};
}

std::string_view clock_name(ClockKind clock);
/// "lost_ring_full": the root attribute that holds a loss counter.
std::string loss_attribute(Loss loss);

/// Writes and reads everything except events: attributes of the root and the small tables, including `segments`.
Status write_meta(hid_t file, const RankMeta& meta);
Result<RankMeta> read_meta(hid_t file, const std::filesystem::path& path);
/// Notes that a table cannot be read.  has_handles: messages cannot be matched without this table.
void note_unreadable(RankMeta& meta, const Error& error, bool has_handles);

}  // namespace meridian::rank_schema
