// SPDX-License-Identifier: Apache-2.0
#include "trace/format/rank/rank_schema.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "trace/format/tables/column_table.hpp"

namespace meridian::rank_schema {
namespace {

constexpr std::size_t kMostCalls = std::numeric_limits<std::uint16_t>::max();
constexpr std::array<std::string_view, 4> kClockNames{"tsc", "monotonic_raw", "monotonic", "warped"};
constexpr std::array<std::string_view, 11> kLossNames{"ring_full",    "no_slot",    "no_memory",  "too_long",
                                                      "writer_gone",  "damaged",    "no_card",    "user_nested",
                                                      "user_refused", "stack_full", "nested_deep"};
// Tables without rows are omitted, so that a small trace is a small file.
template <class Row>
Status write_rows_of(hid_t file, const std::string& path, const std::vector<Row>& rows) {
  return rows.empty() ? Status{} : h5::write_table<Row>(file, path, columns<Row>(), rows);
}

/// Calls visit(rows, name) for each table of a profile, and of what a recorder has dropped.
template <class Meta, class Visit>
void for_each_sum(Meta& meta, Visit&& visit) {
  visit(meta.profile.calls, "profile_calls");
  visit(meta.profile.peers, "profile_peers");
  visit(meta.profile.times, "profile_times");
  visit(meta.profile.sizes, "profile_sizes");
  visit(meta.dropped.messages, "dropped_messages");
  visit(meta.dropped.collectives, "dropped_collectives");
  visit(meta.dropped.requests, "open_requests");
}

/// without_last  the file has the columns of a version before the last one
template <class Row>
Result<std::vector<Row>> read_rows_of(hid_t file, const std::string& path, bool without_last = false) {
  if (!h5::exists(file, path)) return std::vector<Row>{};
  return h5::read_table<Row>(file, path, columns<Row>().first(columns<Row>().size() - (without_last ? 1 : 0)));
}

// Tables that have a dataset for each column, because they have texts or are long.
template <class Row>
Status write_values(hid_t file, std::span<const AnyColumn> columns, const std::vector<Row>& rows) {
  return write_columns(file, columns, rows.data(), rows.size(), {.is_narrow = true});
}

template <class Row>
Result<std::vector<Row>> read_values(hid_t file, std::span<const AnyColumn> columns) {
  constexpr std::uint64_t kFreeBytes = std::uint64_t{256} << 20;  // lists of ranks compress better than tables
  std::vector<Row> rows;
  MERIDIAN_TRY_DO(read_columns(file, columns, room_in(rows, kFreeBytes)));
  return rows;
}

Status write_members(hid_t file, const std::vector<MembersRow>& members) {
  std::vector<StoredMembers> rows;
  std::vector<std::int32_t> ranks;
  for (const MembersRow& row : members) {
    rows.push_back({row.comm, row.born_ticks, ranks.size(), row.world_ranks.size(), std::uint8_t{row.remote}});
    ranks.insert(ranks.end(), row.world_ranks.begin(), row.world_ranks.end());
  }
  MERIDIAN_TRY_DO(write_rows_of(file, "members", rows));
  return rows.empty() ? Status{} : write_values(file, kMemberRanks, ranks);
}

Status read_members(hid_t file, std::vector<MembersRow>& members) {
  MERIDIAN_TRY(const auto rows, read_rows_of<StoredMembers>(file, "members"));
  if (rows.empty()) return {};
  MERIDIAN_TRY(const auto ranks, read_values<std::int32_t>(file, kMemberRanks));
  std::uint64_t expected = 0;  // pieces are consecutive: no piece of the file is used twice
  for (const StoredMembers& row : rows) {
    if (row.first != expected || row.count > ranks.size() - expected)
      return contradiction("'members' and 'member_ranks' do not fit");
    const auto first = ranks.begin() + static_cast<std::ptrdiff_t>(row.first);
    members.push_back({.comm = row.comm,
                       .born_ticks = row.born_ticks,
                       .remote = row.remote != 0,
                       .world_ranks = {first, first + static_cast<std::ptrdiff_t>(row.count)}});
    expected += row.count;
  }
  return {};
}

Status write_texts(hid_t file, const std::vector<TextRow>& texts) {
  std::vector<StoredText> rows;
  std::vector<std::uint8_t> bytes;
  for (const TextRow& row : texts) {
    rows.push_back({bytes.size(), row.key.size() + 1 + row.value.size(), row.handle, row.ticks});
    bytes.insert(bytes.end(), row.key.begin(), row.key.end());
    bytes.push_back(0);
    bytes.insert(bytes.end(), row.value.begin(), row.value.end());
  }
  MERIDIAN_TRY_DO(write_rows_of(file, "texts", rows));
  return rows.empty() ? Status{} : write_values(file, kTextBytes, bytes);
}

Status read_texts(hid_t file, std::vector<TextRow>& texts) {
  MERIDIAN_TRY(const auto rows, read_rows_of<StoredText>(file, "texts"));
  if (rows.empty()) return {};
  MERIDIAN_TRY(const auto bytes, read_values<std::uint8_t>(file, kTextBytes));
  std::uint64_t expected = 0;
  for (const StoredText& row : rows) {
    if (row.first != expected || row.bytes > bytes.size() - expected)
      return contradiction("'texts' and 'text_bytes' do not fit");
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(row.first);
    const std::string both{first, first + static_cast<std::ptrdiff_t>(row.bytes)};
    const std::size_t key_bytes = both.find('\0');
    if (key_bytes == std::string::npos) return contradiction("an entry of 'texts' has no key");
    texts.push_back({both.substr(0, key_bytes), both.substr(key_bytes + 1), row.handle, row.ticks});
    expected += row.bytes;
  }
  return {};
}

Status write_calls(hid_t file, const RankMeta& meta) {
  std::vector<StoredCall> rows;
  for (std::size_t i = 0; i < meta.calls.size(); ++i)
    rows.push_back({meta.call_names[i], kGroups[static_cast<std::size_t>(info(meta.calls[i]).group)].name});
  return write_values(file, columns<StoredCall>(), rows);
}

Status read_calls(hid_t file, RankMeta& meta) {
  MERIDIAN_TRY(const auto rows, read_values<StoredCall>(file, columns<StoredCall>()));
  if (rows.empty() || rows.size() > kMostCalls) return contradiction("'calls/name' has no or too many rows");
  for (const StoredCall& row : rows) {
    meta.call_names.push_back(row.name);
    meta.calls.push_back(call_by_name(row.name));
  }
  return {};
}

Status read_user_definitions(hid_t file, std::vector<UserDefinitionRow>& rows) {
  if (!h5::exists(file, "user_definitions")) return {};
  MERIDIAN_TRY(rows, read_values<UserDefinitionRow>(file, columns<UserDefinitionRow>()));
  return {};
}

// A parent is an earlier row than its children, so a walk from row to parent ends.
Status read_stacks(hid_t file, std::vector<StackRow>& rows) {
  if (!h5::exists(file, "stacks")) return {};
  MERIDIAN_TRY(rows, read_values<StackRow>(file, columns<StackRow>()));
  if (rows.empty() || rows.size() > kMaxStackRows) return contradiction("'stacks' has no or too many rows");
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].parent >= std::max<std::size_t>(i, 1))
      return contradiction("a row of 'stacks' has a parent that is not before it");
  return {};
}

template <class Row>
Status check_calls(const std::vector<Row>& rows, const RankMeta& meta, const std::string& table) {
  for (const Row& row : rows)
    if (row.call >= meta.calls.size()) return contradiction("'" + table + "' has a call that is not in 'calls'");
  return {};
}

/// The threads that occur in the segments.
std::vector<ThreadRow> threads_of(const std::vector<SegmentRow>& segments) {
  std::map<std::uint32_t, ThreadRow> threads;
  for (const SegmentRow& segment : segments) {
    ThreadRow& row =
        threads.try_emplace(segment.thread, ThreadRow{segment.thread, 0, segment.first_ticks}).first->second;
    row.events += segment.events;
  }
  std::vector<ThreadRow> rows;
  rows.reserve(threads.size());
  for (const auto& [number, row] : threads) rows.push_back(row);
  return rows;
}

// Checks first whether this program supports the file.
Status check_schema(hid_t file, const std::filesystem::path& path, int& version) {
  const std::string name = std::string{"'"}.append(path.string()).append("'");
  const auto schema = h5::read_string_attribute(file, "schema");
  if (!schema) return Error{Errc::damaged, name + " is not a rank file: it is HDF5, but has no attribute 'schema'", ""};
  if (*schema != kSchemaName)
    return Error{Errc::damaged, name + " is not a rank file: its schema is '" + *schema + "'", ""};
  MERIDIAN_TRY(const std::int64_t stored, h5::read_int_attribute(file, "version"));
  if (stored > kRankSchemaVersion)
    return Error{Errc::unsupported,
                 "rank file " + name + " has schema " + std::to_string(stored) + ", this merger reads up to " +
                     std::to_string(kRankSchemaVersion),
                 "use a newer merger"};
  if (stored < 1) return Error{Errc::damaged, "rank file " + name + " has no valid schema version", ""};
  version = static_cast<int>(stored);
  return {};
}

Result<std::int32_t> read_int32(hid_t file, const char* name) {
  MERIDIAN_TRY(const std::int64_t value, h5::read_int_attribute(file, name));
  if (value < INT32_MIN || value > INT32_MAX)
    return contradiction("attribute '" + std::string{name} + "' is out of range");
  return static_cast<std::int32_t>(value);
}

Status read_attributes(hid_t file, RankMeta& meta) {
  MERIDIAN_TRY(meta.rank, read_int32(file, "rank"));
  MERIDIAN_TRY(meta.size, read_int32(file, "size"));
  MERIDIAN_TRY(meta.pid, read_int32(file, "pid"));
  MERIDIAN_TRY(meta.hostname, h5::read_string_attribute(file, "hostname"));
  MERIDIAN_TRY(meta.executable, h5::read_string_attribute(file, "executable"));
  MERIDIAN_TRY(meta.domain, h5::read_uint_attribute(file, "domain"));
  MERIDIAN_TRY(const std::int32_t is_finalized, read_int32(file, "finalized"));
  meta.is_finalized = is_finalized != 0;
  MERIDIAN_TRY(const std::int32_t counters, read_int32(file, "counters_per_event"));
  if (counters < 0 || counters > 65535) return contradiction("attribute 'counters_per_event' is out of range");
  meta.counters_per_event = static_cast<std::uint32_t>(counters);
  MERIDIAN_TRY(const std::string clock, h5::read_string_attribute(file, "clock"));
  for (std::size_t i = 0; i < kClockNames.size(); ++i)
    if (clock == kClockNames[i]) meta.clock = static_cast<ClockKind>(i);
  if (clock != clock_name(meta.clock)) return contradiction("clock '" + clock + "' is unknown");
  for (std::size_t i = 0; i < kLossNames.size(); ++i) {
    auto lost = h5::read_uint_attribute(file, loss_attribute(static_cast<Loss>(i)));
    if (lost) meta.losses[i] = *lost;
    if (!lost && lost.error().code != Errc::not_found) return lost.error();
  }
  if (meta.size != -1 && (meta.rank < 0 || meta.rank >= meta.size))
    return contradiction("the rank is not below the size");
  return {};
}

}  // namespace

std::string_view clock_name(ClockKind clock) {
  return kClockNames[static_cast<std::size_t>(clock) % kClockNames.size()];
}

std::string loss_attribute(Loss loss) {
  const auto index = static_cast<std::size_t>(loss);
  return "lost_" + (index < kLossNames.size() ? std::string{kLossNames[index]} : "cause_" + std::to_string(index));
}

Status write_meta(hid_t file, const RankMeta& meta) {
  MERIDIAN_TRY_DO(h5::write_attribute(file, "schema", kSchemaName));
  MERIDIAN_TRY_DO(h5::write_attribute(file, "version", kRankSchemaVersion));
  MERIDIAN_TRY_DO(
      h5::write_attribute(file, "about", "one rank of an MPI program; tables and units: FORMAT.md of Meridian"));
  MERIDIAN_TRY_DO(h5::write_attribute(file, "rank", meta.rank));
  MERIDIAN_TRY_DO(h5::write_attribute(file, "size", meta.size));
  MERIDIAN_TRY_DO(h5::write_attribute(file, "pid", meta.pid));
  MERIDIAN_TRY_DO(h5::write_attribute(file, "hostname", meta.hostname));
  MERIDIAN_TRY_DO(h5::write_attribute(file, "executable", meta.executable));
  MERIDIAN_TRY_DO(h5::write_attribute(file, "clock", clock_name(meta.clock)));
  MERIDIAN_TRY_DO(h5::write_attribute(file, "domain", meta.domain));
  MERIDIAN_TRY_DO(h5::write_attribute(file, "finalized", int{meta.is_finalized}));
  MERIDIAN_TRY_DO(h5::write_attribute(file, "counters_per_event", std::int64_t{meta.counters_per_event}));
  for (std::size_t i = 0; i < meta.losses.size(); ++i)
    if (meta.losses[i] != 0)
      MERIDIAN_TRY_DO(h5::write_attribute(file, loss_attribute(static_cast<Loss>(i)), meta.losses[i]));
  MERIDIAN_TRY_DO(write_calls(file, meta));
  MERIDIAN_TRY_DO(write_rows_of(file, "anchors", meta.anchors));
  MERIDIAN_TRY_DO(write_rows_of(file, "exchanges", meta.exchanges));
  MERIDIAN_TRY_DO(write_rows_of(file, "comms", meta.comms));
  MERIDIAN_TRY_DO(write_members(file, meta.members));
  MERIDIAN_TRY_DO(write_texts(file, meta.texts));
  MERIDIAN_TRY_DO(write_rows_of(file, "overhead", meta.overheads));
  MERIDIAN_TRY_DO(write_rows_of(file, "threads", meta.threads));
  MERIDIAN_TRY_DO(write_rows_of(file, "usage", meta.usages));
  MERIDIAN_TRY_DO(write_rows_of(file, "passed", meta.passed));
  if (!meta.user_definitions.empty())
    MERIDIAN_TRY_DO(write_values(file, columns<UserDefinitionRow>(), meta.user_definitions));
  MERIDIAN_TRY_DO(write_rows_of(file, "lock_counts", meta.lock_counts));
  if (!meta.stacks.empty()) MERIDIAN_TRY_DO(write_values(file, columns<StackRow>(), meta.stacks));
  Status written;
  const auto sums = [&](const auto& rows, const char* name) {
    if (written && !rows.empty()) written = write_rows_of(file, name, rows);
  };
  for_each_sum(meta, sums);
  MERIDIAN_TRY_DO(written);
  return write_rows_of(file, "segments", meta.segments);
}

void note_unreadable(RankMeta& meta, const Error& error, bool has_handles) {
  meta.unreadable.push_back({error.what, 1});
  if (has_handles) meta.texts.push_back({kLostKey, "0", 0, 0});  // as if all calls had been lost from the start
}

Result<RankMeta> read_meta(hid_t file, const std::filesystem::path& path) {
  RankMeta meta;
  MERIDIAN_TRY_DO(check_schema(file, path, meta.version));
  MERIDIAN_TRY_DO(read_attributes(file, meta));
  MERIDIAN_TRY(meta.segments, read_rows_of<SegmentRow>(file, "segments", meta.version < 2));
  // Any other table that cannot be read remains empty; the rest of the file stays usable.
  const auto keep = [&]<class Row>(std::vector<Row>& rows, Status read, bool has_handles = false) {
    if (read) return;
    rows.clear();
    note_unreadable(meta, read.error(), has_handles);
  };
  const auto table = [&]<class Row>(std::vector<Row>& rows, const char* name, bool has_handles = false) {
    auto read = read_rows_of<Row>(file, name);
    if (read)
      rows = *std::move(read);
    else
      keep(rows, read.error(), has_handles);
  };
  keep(meta.texts, read_texts(file, meta.texts));
  if (auto read = read_calls(file, meta); !read) {
    note_unreadable(meta, read.error(), true);
    meta.call_names.assign(kMostCalls, "");
    meta.calls.assign(kMostCalls, CallId::none);
  }
  table(meta.anchors, "anchors");
  table(meta.exchanges, "exchanges");
  table(meta.comms, "comms", true);
  keep(meta.comms, check_calls(meta.comms, meta, "comms"), true);
  keep(meta.members, read_members(file, meta.members));
  table(meta.overheads, "overhead");
  table(meta.threads, "threads");
  if (meta.threads.empty()) meta.threads = threads_of(meta.segments);
  table(meta.usages, "usage");
  table(meta.passed, "passed");
  keep(meta.passed, check_calls(meta.passed, meta, "passed"));
  keep(meta.user_definitions, read_user_definitions(file, meta.user_definitions));
  table(meta.lock_counts, "lock_counts");
  keep(meta.stacks, read_stacks(file, meta.stacks));
  const auto sums = [&](auto& rows, const char* name) {
    if (!h5::exists(file, name)) return;  // neither a profile nor the part that a recorder has kept
    table(rows, name);
    if constexpr (requires { rows.front().call; }) keep(rows, check_calls(rows, meta, name));
  };
  for_each_sum(meta, sums);
  return meta;
}

}  // namespace meridian::rank_schema
