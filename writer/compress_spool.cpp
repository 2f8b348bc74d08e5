// SPDX-License-Identifier: Apache-2.0
#include "writer/compress_spool.hpp"

#include "trace/format/chunk_log.hpp"
#include "trace/format/rank_file.hpp"
#include "trace/records/rank_checkpoint.hpp"
#include "trace/records/record_decoder.hpp"
#include "trace/ring/spool.hpp"

namespace meridian {

Status compress_spool(RingFile& ring, const std::filesystem::path& spool, const RankPieces& pieces) {
  MERIDIAN_TRY(std::optional<RankCheckpoint> before, read_checkpoint(pieces.checkpoint, ring));
  const std::uint64_t number = before ? before->number : 0;
  if (number < ring.header().compressions.load(std::memory_order_relaxed))
    return Error{Errc::damaged, "the checkpoint '" + pieces.checkpoint.string() + "' has gone", ""};
  MERIDIAN_TRY(ChunkLogWriter chunks, before ? ChunkLogWriter::open(pieces.chunks, before->chunk_bytes)
                                             : ChunkLogWriter::create(pieces.chunks));
  RankMeta meta;
  RankFileWriter encoder = RankFileWriter::into_log(chunks);
  RecordDecoder decoder{ring.geometry().slot_count, ring.geometry().block_bytes, meta,
                        [&](ThreadId thread, const EventBatch& batch) { return encoder.append(thread, batch); }};
  if (before) {
    StateReader state{before->state};
    if (!decoder.restore(state))
      return Error{Errc::damaged, "the checkpoint '" + pieces.checkpoint.string() + "' contradicts itself", ""};
    MERIDIAN_TRY_DO(encoder.restore(state, nullptr));
    before->state = {};  // it may be large
  }
  MERIDIAN_TRY(SpoolReader reader, SpoolReader::open(spool, ring.geometry()));
  SpoolReader::Segment segment;
  while (reader.next(segment)) MERIDIAN_TRY_DO(decoder.feed(segment.slot, segment.position, segment.words));
  MERIDIAN_TRY_DO(reader.status());  // a read error is not a torn end: the spool remains
  MERIDIAN_TRY_DO(chunks.sync());
  StateWriter state;
  decoder.save(state);
  encoder.save(state);
  const std::uint64_t bytes = chunks.bytes() + state.bytes().size();
  MERIDIAN_TRY_DO(write_checkpoint(pieces.checkpoint, ring, {number + 1, chunks.bytes(), state.take()}));
  ring.shared_header().compressed_bytes.store(bytes, std::memory_order_relaxed);
  ring.shared_header().compressions.store(number + 1, std::memory_order_release);
  std::error_code problem;
  std::filesystem::remove(spool, problem);
  if (problem) return Error{Errc::io, "cannot remove '" + spool.string() + "': " + problem.message(), ""};
  return {};
}

}  // namespace meridian
