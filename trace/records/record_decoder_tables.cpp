// SPDX-License-Identifier: Apache-2.0
// The records that are not calls: tables of RankMeta.

#include <array>
#include <map>
#include <string>
#include <utility>

#include "trace/records/record_decoder_parts.hpp"

namespace meridian {

void RecordDecoder::take_birth(Slot& slot, const Record& record, const CommBirth& birth) {
  slot.last_birth = meta_.comms.size();
  meta_.comms.push_back({.birth = birth,
                         .call = record.head.header.call,  // a CallId: RankFileWriter knows the file's numbers
                         .thread = meta_.threads[slot.thread_row].thread,
                         .enter_ticks = record.head.enter_ticks,
                         .leave_ticks = record.head.leave_ticks});
}

bool RecordDecoder::decode_other(Slot& slot, const Record& record) {
  const RecordHead& head = record.head;
  const std::uint64_t* const body = record.body();
  const bool is_exact = record.body_words() == fixed_words(record.payload());
  switch (record.payload()) {
    case Payload::thread: {
      const auto begin = load_words<ThreadBegin>(body);
      slot.thread_row = meta_.threads.size();
      slot.last_text = slot.last_birth = slot.last_members = SIZE_MAX;
      slot.is_text_open = slot.is_more_expected = false;
      slot.counters.clear();
      slot.stacks.clear();
      meta_.threads.push_back(
          {.thread = begin.thread, .kernel_tid = begin.kernel_tid, .begin_ticks = head.enter_ticks, .events = 0});
      return is_exact;
    }
    case Payload::anchor: {
      const auto anchor = load_words<Anchor>(body);
      const auto phase = static_cast<AnchorPhase>(anchor.phase);
      meta_.anchors.push_back({phase, head.enter_ticks, head.leave_ticks, anchor.monotonic_ns, anchor.realtime_ns});
      if (phase == AnchorPhase::finish) meta_.is_finalized = true;  // stored only inside MPI_Finalize
      return is_exact;
    }
    case Payload::exchange: {
      const auto exchange = load_words<Exchange>(body);
      meta_.exchanges.push_back({exchange.peer, static_cast<AnchorPhase>(exchange.phase), head.enter_ticks,
                                 exchange.peer_received_ticks, exchange.peer_replied_ticks, head.leave_ticks});
      return is_exact;
    }
    case Payload::overhead: {
      const auto overhead = load_words<Overhead>(body);
      meta_.overheads.push_back({static_cast<OverheadKind>(overhead.kind), meta_.threads[slot.thread_row].thread,
                                 head.enter_ticks, head.leave_ticks, overhead.count});
      return is_exact;
    }
    case Payload::usage:
      meta_.usages.push_back({head.enter_ticks, load_words<Usage>(body)});
      return is_exact;
    case Payload::members:
      return take_members(slot, record);
    case Payload::text:
      return take_text(slot, record);
    case Payload::stack:
      return is_exact && take_stack(slot, record);
    default:
      return false;
  }
}

bool RecordDecoder::take_members(Slot& slot, const Record& record) {
  const auto members = load_words<Members>(record.body());
  const std::size_t list_words = record.body_words() - words_of<Members>;
  if (list_words != (std::size_t{members.count} + 1) / 2) return false;
  if (members.first == 0) {
    std::uint64_t born = record.head.enter_ticks;
    if (slot.last_birth != SIZE_MAX && meta_.comms[slot.last_birth].birth.comm == members.comm)
      born = meta_.comms[slot.last_birth].leave_ticks;
    slot.last_members = meta_.members.size();
    meta_.members.push_back({members.comm, born, members.remote != 0, {}});
  }
  if (slot.last_members == SIZE_MAX) return false;
  MembersRow& row = meta_.members[slot.last_members];
  if (row.comm != members.comm || row.remote != (members.remote != 0) || row.world_ranks.size() != members.first)
    return false;
  const std::uint64_t* const list = record.body() + words_of<Members>;
  for (std::uint32_t i = 0; i < members.count; ++i)
    row.world_ranks.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(list[i / 2] >> (32 * (i % 2)))));
  return true;
}

bool RecordDecoder::take_text(Slot& slot, const Record& record) {
  const auto text = load_words<Text>(record.body());
  const std::size_t byte_words = record.body_words() - words_of<Text>;
  if (byte_words != (std::size_t{text.bytes} + kWordBytes - 1) / kWordBytes) return false;
  const std::string both{reinterpret_cast<const char*>(record.body() + words_of<Text>), text.bytes};
  const std::size_t key_bytes = both.find('\0');
  if (key_bytes == std::string::npos) return false;
  TextRow row{both.substr(0, key_bytes), both.substr(key_bytes + 1), text.handle, record.head.enter_ticks};
  if (slot.is_text_open && meta_.texts[slot.last_text].key == row.key) {
    meta_.texts[slot.last_text].value += row.value;
  } else {
    slot.last_text = meta_.texts.size();
    meta_.texts.push_back(std::move(row));
  }
  slot.is_text_open = text.more != 0;
  return true;
}

// Threads share the rows of their stacks.
bool RecordDecoder::take_stack(Slot& slot, const Record& record) {
  const auto node = load_words<StackNode>(record.body());
  if (node.id != slot.stacks.size() + 1 || node.parent > slot.stacks.size()) return false;
  Slot::StackPlace place{Slot::kNoRow, node.return_address};
  const std::uint32_t parent = node.parent == 0 ? 0 : slot.stacks[node.parent - 1].row;
  if (meta_.stacks.empty()) meta_.stacks.emplace_back();  // row 0: no stack
  if (const auto known = stack_rows_.find({parent, node.return_address}); known != stack_rows_.end()) {
    place.row = known->second;
  } else if (parent != Slot::kNoRow && meta_.stacks.size() < kMaxStackRows) {
    place.row = static_cast<std::uint32_t>(meta_.stacks.size());
    stack_rows_[{parent, node.return_address}] = place.row;
    meta_.stacks.push_back({parent, node.return_address});
  }
  slot.stacks.push_back(place);
  return true;
}

/// Whether the word can be a site.
bool RecordDecoder::is_site(const Slot& slot, std::uint64_t word) {
  return (word & kStackSite) == 0 || ((word & ~kStackSite) != 0 && (word & ~kStackSite) <= slot.stacks.size());
}

void RecordDecoder::take_site(Slot& slot, std::uint64_t word) {
  EventBatch& batch = slot.batch;
  if ((word & kStackSite) == 0) {
    batch.sites.push_back(word);
    if (!batch.nodes.empty()) batch.nodes.push_back(0);
    return;
  }
  const Slot::StackPlace& place = slot.stacks[(word & ~kStackSite) - 1];
  batch.sites.push_back(place.address);
  batch.nodes.resize(batch.sites.size());  // those before it have none
  batch.nodes.back() = place.row == Slot::kNoRow ? 0 : place.row;
}

// They come as texts, because only texts can be longer than a record.
void RecordDecoder::take_user_definitions() {
  std::map<std::uint32_t, UserDefinitionRow> found;
  for (const TextRow& text : meta_.texts) {
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
  for (auto& [id, row] : found) meta_.user_definitions.push_back(std::move(row));
  std::erase_if(meta_.texts, [](const TextRow& text) { return text.key == kUserDefinitionKey; });
}

}  // namespace meridian
