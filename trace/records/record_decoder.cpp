// SPDX-License-Identifier: Apache-2.0
#include "trace/records/record_decoder.hpp"

#include <utility>

#include "trace/format/rank/rank_archive.hpp"

namespace meridian {
namespace {

// The tables that decoding fills; the rest comes from the ring's header at the end.
template <class Archive>
void archive_decoded(Archive& archive, RankMeta& meta) {
  archive(meta.counters_per_event);
  archive_flag(archive, meta.is_finalized);
  archive(meta.anchors, meta.exchanges, meta.comms, meta.overheads, meta.threads, meta.usages, meta.stacks);
  archive_members(archive, meta.members);
  archive_texts(archive, meta.texts);
}

}  // namespace

RecordDecoder::RecordDecoder(std::uint32_t slot_count, std::uint64_t block_bytes, RankMeta& meta, Sink sink)
    : block_bytes_{block_bytes}, shared_{.meta = meta, .sink = std::move(sink)}, slots_(slot_count) {}

SlotDecoder& RecordDecoder::slot_at(std::uint32_t index) {
  if (!slots_[index]) slots_[index] = std::make_unique<SlotDecoder>(shared_, block_bytes_);
  return *slots_[index];
}

Status RecordDecoder::feed(std::uint32_t slot, std::uint64_t position, std::span<const std::uint64_t> words) {
  return slot_at(slot).feed(position, words);
}

Status RecordDecoder::feed_unfinished(std::uint32_t slot, std::span<const std::uint64_t> words) {
  return slot_at(slot).feed_unfinished(words);
}

Status RecordDecoder::finish() {
  for (auto& slot : slots_) {
    if (!slot) continue;
    MERIDIAN_TRY_DO(slot->flush());
    slot.reset();
  }
  complete_tables(shared_.meta);
  return {};
}

void RecordDecoder::save(StateWriter& archive) const {
  archive_decoded(archive, shared_.meta);
  archive(shared_.events, shared_.damaged);
  std::uint64_t used = 0;
  for (const auto& slot : slots_) used += slot != nullptr;
  archive(used);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i]) continue;
    archive(static_cast<std::uint32_t>(i));
    slots_[i]->archive(archive);
  }
}

bool RecordDecoder::restore(StateReader& archive) {
  // Texts from the ring's header remain, after the restored ones: slots refer to texts by their rows.
  RankMeta& meta = shared_.meta;
  const bool was_finalized = meta.is_finalized;
  const std::vector<TextRow> texts = std::move(meta.texts);
  archive_decoded(archive, meta);
  meta.is_finalized |= was_finalized;
  meta.texts.insert(meta.texts.end(), texts.begin(), texts.end());
  archive(shared_.events, shared_.damaged);
  if (!archive.is_good() || meta.counters_per_event > UINT16_MAX || !shared_.stacks.restore()) return false;
  for (std::size_t left = archive.count_of(64); left > 0; --left) {
    std::uint32_t index = 0;
    archive(index);
    if (!archive.is_good() || index >= slots_.size() || slots_[index]) return false;
    SlotDecoder& slot = slot_at(index);
    slot.archive(archive);
    if (!archive.is_good() || !slot.restore()) return false;
  }
  return archive.is_good();
}

}  // namespace meridian
