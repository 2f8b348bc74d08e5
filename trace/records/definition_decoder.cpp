// SPDX-License-Identifier: Apache-2.0
#include "trace/records/definition_decoder.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

namespace meridian {
namespace {

void take_user_definitions(RankMeta& meta) {
  std::map<std::uint32_t, UserDefinitionRow> found;
  for (const TextRow& text : meta.texts) {
    if (text.key != kUserDefinitionKey) continue;
    std::array<std::string, 4> parts;  // kind, level, name, fields
    std::size_t part = 0;
    for (const char c : text.value) {
      if (c == kUserSeparator && part < 3)
        ++part;
      else
        parts[part] += c;
    }
    const int kind = parts[0].size() == 1 ? parts[0][0] - '0' : 0;
    if (kind <= 0 || kind >= static_cast<int>(kUserKindCount)) continue;
    const auto id = static_cast<std::uint32_t>(text.handle);
    found[id] = {id, static_cast<UserKind>(kind), parts[1], parts[2], parts[3]};
  }
  for (auto& [id, row] : found) meta.user_definitions.push_back(std::move(row));
  std::erase_if(meta.texts, [](const TextRow& text) { return text.key == kUserDefinitionKey; });
}

bool has_row(std::size_t row, std::size_t rows) { return row == SIZE_MAX || row < rows; }

}  // namespace

void DefinitionDecoder::begin_thread() {
  last_text_ = last_birth_ = last_members_ = kNone;
  is_text_open_ = false;
}

bool DefinitionDecoder::take(const Record& record, std::uint32_t thread) {
  const RecordHead& head = record.head;
  const bool is_exact = record.body_words() == fixed_words(record.payload());
  switch (record.payload()) {
    case Payload::anchor: {
      const auto anchor = record.body_as<Anchor>();
      const auto phase = static_cast<AnchorPhase>(anchor.phase);
      meta_.anchors.push_back({phase, head.enter_ticks, head.leave_ticks, anchor.monotonic_ns, anchor.realtime_ns});
      if (phase == AnchorPhase::finish) meta_.is_finalized = true;  // stored only inside MPI_Finalize
      return is_exact;
    }
    case Payload::exchange: {
      const auto exchange = record.body_as<Exchange>();
      meta_.exchanges.push_back({exchange.peer, static_cast<AnchorPhase>(exchange.phase), head.enter_ticks,
                                 exchange.peer_received_ticks, exchange.peer_replied_ticks, head.leave_ticks});
      return is_exact;
    }
    case Payload::overhead: {
      const auto overhead = record.body_as<Overhead>();
      meta_.overheads.push_back(
          {static_cast<OverheadKind>(overhead.kind), thread, head.enter_ticks, head.leave_ticks, overhead.count});
      return is_exact;
    }
    case Payload::usage:
      meta_.usages.push_back({head.enter_ticks, record.body_as<Usage>()});
      return is_exact;
    case Payload::members:
      return take_members(record);
    case Payload::text:
      return take_text(record);
    default:
      return false;
  }
}

void DefinitionDecoder::take_birth(const Record& record, std::uint32_t thread) {
  const auto birth = record.body_as<CommBirth>();
  if (birth.comm == 0 || record.has(kFlagFailed)) return;
  last_birth_ = meta_.comms.size();
  meta_.comms.push_back({.birth = birth,
                         .call = record.head.header.call,  // a CallId: RankFileWriter knows the file's numbers
                         .thread = thread,
                         .enter_ticks = record.head.enter_ticks,
                         .leave_ticks = record.head.leave_ticks});
}

bool DefinitionDecoder::take_members(const Record& record) {
  const auto members = record.body_as<Members>();
  const std::size_t list_words = record.body_words() - words_of<Members>;
  if (list_words != (std::size_t{members.count} + 1) / 2) return false;
  if (members.first == 0) {
    std::uint64_t born = record.head.enter_ticks;
    if (last_birth_ != kNone && meta_.comms[last_birth_].birth.comm == members.comm)
      born = meta_.comms[last_birth_].leave_ticks;
    last_members_ = meta_.members.size();
    meta_.members.push_back({members.comm, born, members.remote != 0, {}});
  }
  if (last_members_ == kNone) return false;
  MembersRow& row = meta_.members[last_members_];
  if (row.comm != members.comm || row.remote != (members.remote != 0) || row.world_ranks.size() != members.first)
    return false;
  const std::uint64_t* const list = record.body() + words_of<Members>;
  for (std::uint32_t i = 0; i < members.count; ++i)
    row.world_ranks.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(list[i / 2] >> (32 * (i % 2)))));
  return true;
}

bool DefinitionDecoder::take_text(const Record& record) {
  const auto text = record.body_as<Text>();
  const std::size_t byte_words = record.body_words() - words_of<Text>;
  if (byte_words != (std::size_t{text.bytes} + kWordBytes - 1) / kWordBytes) return false;
  const std::string both{reinterpret_cast<const char*>(record.body() + words_of<Text>), text.bytes};
  const std::size_t key_bytes = both.find('\0');
  if (key_bytes == std::string::npos) return false;
  TextRow row{both.substr(0, key_bytes), both.substr(key_bytes + 1), text.handle, record.head.enter_ticks};
  if (is_text_open_ && meta_.texts[last_text_].key == row.key) {
    meta_.texts[last_text_].value += row.value;
  } else {
    last_text_ = meta_.texts.size();
    meta_.texts.push_back(std::move(row));
  }
  is_text_open_ = text.more != 0;
  return true;
}

bool DefinitionDecoder::is_consistent() const noexcept {
  return has_row(last_text_, meta_.texts.size()) && has_row(last_birth_, meta_.comms.size()) &&
         has_row(last_members_, meta_.members.size()) && (!is_text_open_ || last_text_ != kNone);
}

void complete_tables(RankMeta& meta) {
  const auto sort = [](auto& rows, auto ticks) {
    std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return ticks(a) < ticks(b); });
  };
  sort(meta.threads, [](const ThreadRow& row) { return std::uint64_t{row.thread}; });
  sort(meta.anchors, [](const AnchorRow& row) { return row.before_ticks; });
  sort(meta.exchanges, [](const ExchangeRow& row) { return row.sent_ticks; });
  sort(meta.comms, [](const CommRow& row) { return std::pair{row.enter_ticks, row.thread}; });
  sort(meta.members, [](const MembersRow& row) { return std::pair{row.born_ticks, row.remote}; });
  sort(meta.texts, [](const TextRow& row) { return row.ticks; });
  sort(meta.usages, [](const UsageRow& row) { return std::pair{row.ticks, row.usage.thread}; });
  sort(meta.overheads, [](const OverheadRow& row) { return std::pair{row.enter_ticks, row.thread}; });
  take_user_definitions(meta);
}

}  // namespace meridian
