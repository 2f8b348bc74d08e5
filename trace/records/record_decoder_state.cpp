// SPDX-License-Identifier: Apache-2.0
// The state of a decoder as bytes: a restored decoder continues as if it had never stopped.

#include <algorithm>
#include <utility>

#include "trace/format/state_archive.hpp"
#include "trace/records/record_decoder_parts.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMaxBatch = std::size_t{1} << 22;  // events in one; more are damage

template <class Archive>
void archive_flag(Archive& archive, bool& flag) {
  auto byte = std::uint8_t{flag};
  archive(byte);
  flag = byte != 0;
}

template <class Archive>
void archive_row(Archive& archive, std::size_t& row) {
  auto number = std::uint64_t{row};
  archive(number);
  row = static_cast<std::size_t>(number);
}

template <class Archive>
void archive_batch(Archive& archive, EventBatch& batch) {
  archive(batch.enter_ticks, batch.leave_ticks, batch.call, batch.payload, batch.flags, batch.completion_count,
          batch.p2p, batch.coll, batch.completions, batch.rma, batch.io, batch.handles, batch.user, batch.user_values,
          batch.locks, batch.thread_ops, batch.sites, batch.nodes, batch.counters, batch.counters_between);
}

// The tables that decoding fills; the rest comes from the ring's header at the end.
template <class Archive>
void archive_meta(Archive& archive, RankMeta& meta) {
  archive(meta.counters_per_event);
  archive_flag(archive, meta.is_finalized);
  archive(meta.anchors, meta.exchanges, meta.comms, meta.overheads, meta.threads, meta.usages, meta.stacks);
  archive_rows(archive, meta.members, 25, [](Archive& to, MembersRow& row) {
    to(row.comm, row.born_ticks);
    archive_flag(to, row.remote);
    to(row.world_ranks);
  });
  archive_rows(archive, meta.texts, 32,
               [](Archive& to, TextRow& row) { to(row.key, row.value, row.handle, row.ticks); });
}

bool has_all_rows(const EventBatch& batch, std::uint32_t counters_per_event) {
  const std::size_t events = batch.call.size();
  if (events > kMaxBatch || batch.enter_ticks.size() != events || batch.leave_ticks.size() != events ||
      batch.payload.size() != events || batch.flags.size() != events || batch.completion_count.size() != events ||
      batch.counters.size() != batch.counters_between.size() ||
      (!batch.nodes.empty() && batch.nodes.size() != batch.sites.size()))
    return false;
  std::uint64_t by_payload[256] = {}, completions = 0, sites = 0, counted = 0, words = 0;
  for (std::size_t i = 0; i < events; ++i) {
    ++by_payload[static_cast<std::size_t>(batch.payload[i])];
    completions += batch.completion_count[i];
    sites += (batch.flags[i] & kFlagSite) != 0;
    counted += (batch.flags[i] & kFlagCounters) != 0;
  }
  for (const UserUse& use : batch.user) words += use.words;
  const auto of = [&](Payload payload) { return by_payload[static_cast<std::size_t>(payload)]; };
  return of(Payload::p2p) + 2 * of(Payload::sendrecv) == batch.p2p.size() && of(Payload::coll) == batch.coll.size() &&
         of(Payload::rma) == batch.rma.size() && of(Payload::io) == batch.io.size() &&
         of(Payload::handle) == batch.handles.size() && of(Payload::user) == batch.user.size() &&
         of(Payload::lock) == batch.locks.size() && of(Payload::thread_op) == batch.thread_ops.size() &&
         completions == batch.completions.size() && sites == batch.sites.size() &&
         counted * counters_per_event == batch.counters.size() && words == batch.user_values.size();
}

bool is_row(std::size_t row, std::size_t rows) { return row == SIZE_MAX || row < rows; }

bool are_stacks_in_order(const std::vector<StackRow>& stacks) {
  if (stacks.size() > kMaxStackRows) return false;
  for (std::size_t i = 0; i < stacks.size(); ++i)
    if (stacks[i].parent >= std::max<std::size_t>(i, 1)) return false;
  return true;
}

}  // namespace

template <class Archive>
void RecordDecoder::archive_slot(Archive& archive, Slot& slot) {
  archive(slot.position, slot.last_ticks);
  archive_flag(archive, slot.is_stopped);
  archive_flag(archive, slot.is_text_open);
  archive_flag(archive, slot.is_more_expected);
  for (std::size_t* row : {&slot.thread_row, &slot.last_text, &slot.last_birth, &slot.last_members})
    archive_row(archive, *row);
  archive(slot.stacks, slot.counters);
  archive_batch(archive, slot.batch);
}

bool RecordDecoder::can_be(const Slot& slot) const {
  const bool has_rows = is_row(slot.thread_row, meta_.threads.size()) && is_row(slot.last_text, meta_.texts.size()) &&
                        is_row(slot.last_birth, meta_.comms.size()) && is_row(slot.last_members, meta_.members.size());
  const bool has_places = std::ranges::all_of(slot.stacks, [&](const Slot::StackPlace& place) {
    return place.row == Slot::kNoRow || place.row < meta_.stacks.size();
  });
  return has_rows && has_places && slot.position % kWordBytes == 0 &&
         (!slot.is_text_open || slot.last_text != SIZE_MAX) &&
         (slot.batch.call.empty() || slot.thread_row != SIZE_MAX) && has_all_rows(slot.batch, meta_.counters_per_event);
}

void RecordDecoder::save(StateWriter& archive) const {
  archive_meta(archive, meta_);
  archive(events_, damaged_);
  std::uint64_t used = 0;
  for (const auto& slot : slots_) used += slot != nullptr;
  archive(used);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i]) continue;
    archive(static_cast<std::uint32_t>(i));
    archive_slot(archive, *slots_[i]);
  }
}

bool RecordDecoder::restore(StateReader& archive) {
  // Texts from the ring's header stay, behind the restored ones: slots refer to texts by their rows.
  const bool was_finalized = meta_.is_finalized;
  const std::vector<TextRow> texts = std::move(meta_.texts);
  archive_meta(archive, meta_);
  meta_.is_finalized |= was_finalized;
  meta_.texts.insert(meta_.texts.end(), texts.begin(), texts.end());
  archive(events_, damaged_);
  if (!archive.is_good() || meta_.counters_per_event > UINT16_MAX || !are_stacks_in_order(meta_.stacks)) return false;
  for (std::uint32_t i = 1; i < meta_.stacks.size(); ++i)
    stack_rows_[{meta_.stacks[i].parent, meta_.stacks[i].address}] = i;
  for (std::size_t left = archive.count_of(64); left > 0; --left) {
    std::uint32_t index = 0;
    archive(index);
    if (!archive.is_good() || index >= slots_.size() || slots_[index]) return false;
    Slot& slot = slot_at(index);
    archive_slot(archive, slot);
    if (!archive.is_good() || !can_be(slot)) return false;
    pending_ += slot.batch.call.size();
  }
  return archive.is_good();
}

}  // namespace meridian
