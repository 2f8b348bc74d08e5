// SPDX-License-Identifier: Apache-2.0
// Changed results of the compression during a run: chunks of columns, then the state behind them.

#include <vector>

#include "tests/fuzz/fuzz_target.hpp"
#include "trace/format/chunks/chunk_log.hpp"
#include "trace/format/chunks/state_archive.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/records/record_decoder.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace meridian;
  fuzz::Bytes bytes{data, size};
  const auto& directory = fuzz::work_directory();
  auto log = ChunkLogWriter::create(directory / "chunks");
  if (!log) std::abort();
  for (unsigned left = bytes.take<std::uint8_t>() % 4; left > 0; --left) {
    LoggedChunk chunk{
        bytes.take<std::uint8_t>(), bytes.take<std::uint8_t>() % 10u, static_cast<std::uint64_t>(bytes.number()), {}};
    std::vector<std::uint8_t> stream(bytes.take<std::uint8_t>());
    for (std::uint8_t& byte : stream) byte = bytes.take<std::uint8_t>();
    chunk.stream = stream;
    if (!log->append(chunk)) std::abort();
  }
  std::vector<std::uint8_t> state_bytes;
  while (!bytes.is_over()) state_bytes.push_back(bytes.take<std::uint8_t>());

  auto chunks = ChunkLogReader::open(directory / "chunks", log->bytes());
  auto file = RankFileWriter::create(directory / "rank-00000.h5");
  if (!chunks || !file) std::abort();
  StateReader state{state_bytes};
  RankMeta meta;
  meta.rank = 0;
  meta.size = 1;
  RecordDecoder decoder{3, 4096, meta,
                        [&](ThreadId thread, const EventBatch& batch) { return file->append(thread, batch); }};
  if (!decoder.restore(state)) return 0;
  if (const Status restored = file->restore(state, &*chunks); !restored) {
    fuzz::require_words(restored.error().what);
    return 0;
  }
  // It goes on with a call, and with one that is under way.
  const std::uint64_t call[3] = {1 | static_cast<std::uint64_t>(Payload::local) << 16 | std::uint64_t{3} << 32, 50, 60};
  for (std::uint32_t slot = 0; slot < 3; ++slot) {
    if (!decoder.feed(slot, decoder.position(slot), call)) std::abort();
    if (!decoder.feed_unfinished(slot, call)) std::abort();
  }
  if (!decoder.finish() || !file->finish(meta)) std::abort();
  auto made = RankFile::open(directory / "rank-00000.h5");
  if (!made) {
    fuzz::require_words(made.error().what);
    return 0;
  }
  EventBatch batch;
  for (std::size_t i = 0; i < made->meta().segments.size(); ++i)
    if (const Status read = made->read(i, batch); !read) fuzz::require_words(read.error().what);
  return 0;
}
