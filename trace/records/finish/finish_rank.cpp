// SPDX-License-Identifier: Apache-2.0
#include "trace/records/finish/finish_rank.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "trace/format/rank/rank_file.hpp"
#include "trace/model/module_key.hpp"
#include "trace/records/finish/open_gaps.hpp"
#include "trace/records/finish/open_pieces.hpp"
#include "trace/records/finish/sample_spool.hpp"
#include "trace/records/late_anchor.hpp"
#include "trace/records/profile/rank_events.hpp"
#include "trace/records/record_decoder.hpp"

namespace meridian {
namespace {

using HeadWords = std::array<std::uint64_t, kHeadWords>;

// The first words at a slot's head; zeros if no record can be there.
HeadWords words_under_way(const RingFile& ring, std::uint32_t slot, std::uint64_t head) {
  HeadWords words{};
  const auto& geometry = ring.geometry();
  if (head == 0 || geometry.block_bytes - head % geometry.block_bytes < sizeof words) return words;
  if (!ring.read(slot, head, words)) words = {};
  return words;
}

// Most words of a record under way with this header.
std::size_t length_in(std::uint64_t header) noexcept {
  return is_small(header) ? kHeadWords + LearnedCalls::kMostWords : header >> 32 & 0xffff;
}

// Feeds the decoder from spools and ring.
class Feeder {
 public:
  Feeder(const RingFile& ring, RecordDecoder& decoder) : ring_{ring}, decoder_{decoder} {}

  Status feed_spool(SpoolReader& spool) {
    SpoolReader::Segment segment;
    while (spool.next(segment)) MERIDIAN_TRY_DO(decoder_.feed(segment.slot, segment.position, segment.words));
    return spool.status();  // the ring determines whether a torn end is a loss: it may still have those records
  }

  // Feeds the rest of a slot, then the call in progress.
  Status feed_slot(std::uint32_t slot) {
    const auto range = ring_.range(slot);
    if (!range) {
      ++damaged_;
      return {};
    }
    if (range->head == 0) return {};
    if (decoder_.position(slot) < range->tail) {
      static constexpr std::uint64_t kNothing[1] = {};
      MERIDIAN_TRY_DO(decoder_.feed(slot, range->tail, std::span{kNothing, 0}));  // counts the gap
    }
    for (std::uint64_t at = decoder_.position(slot); at < range->head && !decoder_.is_stopped(slot);) {
      const std::uint64_t end = piece_end(ring_.geometry(), at, range->head);
      words_.resize((end - at) / kWordBytes);
      MERIDIAN_TRY_DO(ring_.read(slot, at, words_));
      MERIDIAN_TRY_DO(decoder_.feed(slot, at, words_));
      at = end;
    }
    if (decoder_.position(slot) == range->head) MERIDIAN_TRY_DO(feed_under_way(slot, range->head));
    return {};
  }

  std::uint64_t damaged() const noexcept { return damaged_ + decoder_.damaged(); }

 private:
  // The program may be running: the data are valid only if nothing has moved in the meantime.
  Status feed_under_way(std::uint32_t slot, std::uint64_t head) {
    const HeadWords before = words_under_way(ring_, slot, head);
    if (before[0] == 0) return {};
    const std::uint64_t left = (ring_.geometry().block_bytes - head % ring_.geometry().block_bytes) / kWordBytes;
    words_.resize(std::clamp<std::size_t>(length_in(before[0]), kHeadWords, left));
    MERIDIAN_TRY_DO(ring_.read(slot, head, words_));
    const auto range = ring_.range(slot);
    const HeadWords after = words_under_way(ring_, slot, head);
    const bool has_moved = !range || range->head != head || after[0] != before[0] || after[1] != before[1] ||
                           words_[0] != before[0] || words_[1] != before[1];
    return has_moved ? Status{} : decoder_.feed_unfinished(slot, words_);
  }

  const RingFile& ring_;
  RecordDecoder& decoder_;
  std::vector<std::uint64_t> words_;
  std::uint64_t damaged_ = 0;  // slots with invalid positions
};

void take_header(const RingFile& ring, RankMeta& meta) {
  const RingFileHeader& header = ring.header();
  meta.rank = ring.world_rank();
  meta.size = ring.world_size();
  meta.pid = header.pid;
  meta.hostname = ring.hostname();
  meta.executable = ring.executable();
  meta.clock = ring.clock();
  meta.domain = header.domain;
  meta.is_finalized = header.run_state.load(std::memory_order_acquire) == RunState::finalized;
  for (std::size_t i = 0; i < meta.losses.size(); ++i)
    meta.losses[i] = header.losses[i].load(std::memory_order_relaxed);
}

// Invalid data are counted, and the rest of the rank is kept; data that cannot be read now may be readable later.
template <class Rows>
Status take_if_true(Result<Rows> read, RankMeta& meta, auto&& take) {
  if (!read && read.error().code != Errc::damaged) return std::move(read).error();
  if (read)
    take(*read);
  else
    ++meta.losses[static_cast<std::size_t>(Loss::damaged)];
  return {};
}

void take_passed(const std::vector<std::uint64_t>& passed, RankMeta& meta) {
  for (std::size_t call = 1; call < passed.size(); ++call)
    if (passed[call] != 0) meta.passed.push_back({static_cast<std::uint32_t>(call), passed[call]});
}

// Takes the threads from their cards. A thread without records has a row, too.
void take_cards(const std::vector<ThreadCard>& cards, RankMeta& meta) {
  std::vector<std::size_t> row_of(cards.size(), SIZE_MAX);
  for (std::size_t i = 0; i < meta.threads.size(); ++i)
    if (meta.threads[i].thread < cards.size()) row_of[meta.threads[i].thread] = i;
  for (std::uint32_t thread = 0; thread < cards.size(); ++thread) {
    const ThreadCard& card = cards[thread];
    const CardState state = card.state.load(std::memory_order_relaxed);
    const bool has_begun = state == CardState::live || state == CardState::ended;
    if (row_of[thread] == SIZE_MAX) {
      if (!has_begun || card.begin_ticks == 0) continue;
      row_of[thread] = meta.threads.size();
      meta.threads.push_back({.thread = thread, .kernel_tid = card.kernel_tid, .begin_ticks = card.begin_ticks});
    }
    if (!has_begun) continue;
    ThreadRow& row = meta.threads[row_of[thread]];
    if (card.begin_ticks != 0) row.begin_ticks = std::min(row.begin_ticks, card.begin_ticks);
    row.end_ticks = card.end_ticks;
    row.creator = card.creator == kNoThread ? -1 : std::int64_t{card.creator};
    row.routine = card.routine;
    if (card.name[0] != '\0')
      meta.texts.push_back({"thread.name", {card.name, strnlen(card.name, sizeof card.name)}, thread, row.begin_ticks});
    for (const LockCount& count : card.counts) {
      const std::uint64_t kind = count.key & ((1u << kLockKindBits) - 1);
      if (count.count == 0 || kind >= static_cast<std::uint64_t>(LockKind::count_)) continue;
      meta.lock_counts.push_back({thread, static_cast<LockKind>(kind), count.key >> kLockKindBits, count.count});
    }
  }
  std::ranges::stable_sort(meta.threads, {}, &ThreadRow::thread);
}

// Takes the data that are not in records.
Status take_tables(const RingFile& ring, RankMeta& meta) {
  add_late_anchor(meta);
  MERIDIAN_TRY_DO(
      take_if_true(ring.passed_calls(kCallCount), meta, [&](const auto& rows) { take_passed(rows, meta); }));
  return take_if_true(ring.cards(), meta, [&](const auto& cards) { take_cards(cards, meta); });
}

Status feed_all(const RingFile& ring, OpenPieces& pieces, Feeder& feeder, RecordSource source) {
  for (SpoolReader& spool : pieces.spools) MERIDIAN_TRY_DO(feeder.feed_spool(spool));
  if (source != RecordSource::pieces_and_ring) return {};
  for (std::uint32_t slot = 0; slot < ring.geometry().slot_count; ++slot) MERIDIAN_TRY_DO(feeder.feed_slot(slot));
  return {};
}

// Decoder and events continue after the compressed records.
Status restore(const OpenPieces& pieces, RecordDecoder& decoder, RankEvents& events, ChunkLogReader* chunks) {
  if (!pieces.checkpoint) return {};
  StateReader state{pieces.checkpoint->state};
  if (!decoder.restore(state))
    return Error{Errc::damaged, "the checkpoint contradicts itself: state of the decoder", ""};
  return events.restore(state, chunks);
}

/// Whether the tracer has stored this file with code itself. Its text stays: it knows what kind of file it is.
bool is_known_module(const RankMeta& meta, const TextRow& text) {
  if (text.key != kModuleKey) return false;
  std::size_t size = 0;  // of the fields before the kind
  for (int field = 0; field < 4 && size != std::string::npos; ++field) size = text.value.find(' ', size + 1);
  return size != std::string::npos && std::ranges::any_of(meta.texts, [&](const TextRow& own) {
           return own.key == kModuleKey && own.value.compare(0, size + 1, text.value, 0, size + 1) == 0;
         });
}

/// Copies the samples, the intervals without a processor and the readings of memory and energy, and takes the texts about them.
Status add_samples(const RingFile& ring, const RankPieces& pieces, RankMeta& meta, RankFileWriter& file) {
  if (pieces.samples.empty()) return {};
  auto spool = SampleSpoolReader::open(pieces.samples, ring);
  if (!spool && spool.error().code == Errc::not_found) return {};
  if (!spool) return std::move(spool).error();
  SampleTableWriter table{file.id()};
  ProcessorTableWriter processor{file.id()};
  MemoryTableWriter memory{file.id()};
  EnergyTableWriter energy{file.id()};
  for (SampleSpoolReader::Row row; spool->next(row);) {
    if (const auto* const sample = std::get_if<SampleRow>(&row)) MERIDIAN_TRY_DO(table.push(*sample));
    if (const auto* const interval = std::get_if<ProcessorRow>(&row)) MERIDIAN_TRY_DO(processor.push(*interval));
    if (const auto* const reading = std::get_if<MemoryRow>(&row)) MERIDIAN_TRY_DO(memory.push(*reading));
    if (const auto* const used = std::get_if<EnergyRow>(&row)) MERIDIAN_TRY_DO(energy.push(*used));
  }
  for (const TextRow& text : spool->texts())
    if (!is_known_module(meta, text)) meta.texts.push_back(text);
  meta.losses[static_cast<std::size_t>(Loss::damaged)] += spool->is_damaged() ? 1 : 0;
  MERIDIAN_TRY_DO(processor.finish());
  MERIDIAN_TRY_DO(memory.finish());
  MERIDIAN_TRY_DO(energy.finish());
  return table.finish(spool->stacks());
}

/// A directory of our own that is removed with this object.
class PassingDirectory {
 public:
  static Result<PassingDirectory> make() {
    std::string path = (std::filesystem::temp_directory_path() / "meridian-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr)
      return Error{Errc::io, "cannot make a directory like '" + path + "': " + std::strerror(errno), "set TMPDIR"};
    PassingDirectory made;
    made.path_ = path;
    return made;
  }
  PassingDirectory(PassingDirectory&& other) noexcept : path_{std::exchange(other.path_, {})} {}
  PassingDirectory& operator=(PassingDirectory&&) = delete;
  ~PassingDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  PassingDirectory() = default;
  std::filesystem::path path_;
};

// Decodes the events in chunks, by means of a rank file that contains only them.
Status decode_chunks(const RingFile& ring, OpenPieces& pieces,
                     const std::function<Status(ThreadId, const EventBatch&)>& sink) {
  if (!pieces.checkpoint) return {};
  MERIDIAN_TRY(const PassingDirectory directory, PassingDirectory::make());
  const auto path = directory.path() / "rank.h5";
  RankMeta meta;
  RecordDecoder decoder{ring.geometry().slot_count, ring.geometry().block_bytes, meta, {}};
  {
    MERIDIAN_TRY(RankFileWriter file, RankFileWriter::create(path));
    RankEvents events{ring, meta, file};
    MERIDIAN_TRY_DO(restore(pieces, decoder, events, pieces.chunks ? &*pieces.chunks : nullptr));
    MERIDIAN_TRY_DO(file.finish(meta));
  }
  MERIDIAN_TRY(RankFile file, RankFile::open(path));
  EventBatch batch;
  for (std::size_t i = 0; i < file.meta().segments.size(); ++i) {
    MERIDIAN_TRY_DO(file.read(i, batch));
    if (!batch.unreadable.empty()) return Error{Errc::damaged, batch.unreadable.front().what, ""};
    MERIDIAN_TRY_DO(sink(ThreadId{file.meta().segments[i].thread}, batch));
  }
  return {};
}

}  // namespace

namespace {

/// Makes the file of one part.
Result<FinishedRank> finish_part(const RingFile& ring, const RankPieces& pieces,
                                 const std::filesystem::path& output_dir, RecordSource source, RankEnd end,
                                 RankEvents::Part part) {
  RankMeta meta;
  take_header(ring, meta);
  if (meta.rank < 0)
    return Error{Errc::invalid_argument,
                 "cannot make a rank file from '" + ring.path().string() + "': the rank of the process is unknown", ""};
  MERIDIAN_TRY(OpenPieces opened, OpenPieces::open(pieces, ring));
  FinishedRank finished{.path = output_dir / rank_file_name(meta.rank)};
  MERIDIAN_TRY(RankFileWriter file, RankFileWriter::create(finished.path));
  RankEvents events{ring, meta, file, part};
  const auto sink = [&](ThreadId thread, const EventBatch& batch) {
    for (const std::uint8_t flags : batch.flags) finished.unfinished += (flags & kFlagUnfinished) != 0;
    return events.append(thread, batch);
  };
  add_open_gaps(ring, meta);
  RecordDecoder decoder{ring.geometry().slot_count, ring.geometry().block_bytes, meta, sink};
  MERIDIAN_TRY_DO(restore(opened, decoder, events, opened.chunks ? &*opened.chunks : nullptr));
  Feeder feeder{ring, decoder};
  MERIDIAN_TRY_DO(feed_all(ring, opened, feeder, source));
  MERIDIAN_TRY_DO(decoder.finish());
  events.add_profile(meta);
  finished.has_dropped = opened.checkpoint && ring.header().is_recorder();
  MERIDIAN_TRY_DO(take_tables(ring, meta));
  MERIDIAN_TRY_DO(add_samples(ring, pieces, meta, file));
  add_rank_end(meta, std::move(end));
  if (source == RecordSource::pieces_of_lost_host) meta.texts.push_back({kHostLostKey, meta.hostname, 0, 0});
  finished.events = decoder.events();
  finished.damaged = feeder.damaged();
  meta.losses[static_cast<std::size_t>(Loss::damaged)] += finished.damaged;
  MERIDIAN_TRY_DO(file.finish(meta));
  return finished;
}

}  // namespace

Result<FinishedRank> finish_rank(const RingFile& ring, const RankPieces& pieces,
                                 const std::filesystem::path& output_dir, RecordSource source, RankEnd end) {
  if (ring.header().is_recorder()) {
    MERIDIAN_TRY(FinishedRank last, finish_part(ring, pieces, output_dir, source, end, RankEvents::Part::last));
    if (!last.has_dropped) return last;
    const std::filesystem::path whole = output_dir / kWholeDirectory;
    std::error_code problem;
    std::filesystem::create_directory(whole,
                                      problem);  // other ranks make it, too; an error shows when the file is made
    MERIDIAN_TRY_DO(finish_part(ring, pieces, whole, source, std::move(end), RankEvents::Part::whole));
    return last;
  }
  return finish_part(ring, pieces, output_dir, source, std::move(end), RankEvents::Part::whole);
}

Status decode_rank(const RingFile& ring, const RankPieces& pieces, RankMeta& meta,
                   const std::function<Status(ThreadId, const EventBatch&)>& sink) {
  take_header(ring, meta);
  MERIDIAN_TRY(OpenPieces opened, OpenPieces::open(pieces, ring));
  MERIDIAN_TRY_DO(decode_chunks(ring, opened, sink));
  RecordDecoder decoder{ring.geometry().slot_count, ring.geometry().block_bytes, meta, sink};
  if (opened.checkpoint) {
    StateReader state{opened.checkpoint->state};
    if (!decoder.restore(state)) return Error{Errc::damaged, "the checkpoint contradicts itself", ""};
  }
  Feeder feeder{ring, decoder};
  MERIDIAN_TRY_DO(feed_all(ring, opened, feeder, RecordSource::pieces_and_ring));
  MERIDIAN_TRY_DO(decoder.finish());
  return take_tables(ring, meta);
}

std::vector<std::uint64_t> progress_of(const RingFile& ring) {
  std::vector<std::uint64_t> progress;
  for (std::uint32_t slot = 0; slot < ring.geometry().slot_count; ++slot) {
    const std::uint64_t head = ring.slot(slot).head.load(std::memory_order_acquire);
    if (head == 0) continue;
    const HeadWords words = words_under_way(ring, slot, head);
    progress.insert(progress.end(), {slot, head, words[0] == 0 ? 0 : words[1]});
  }
  if (const auto passed = ring.passed_calls(kCallCount))
    progress.insert(progress.end(), passed->begin(), passed->end());
  for (const auto& lost : ring.header().losses) progress.push_back(lost.load(std::memory_order_relaxed));
  return progress;
}

}  // namespace meridian
