// SPDX-License-Identifier: Apache-2.0
// `meridian merge` of an unfinished ring file.

#include "tests/fuzz/fuzz_target.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/records/finish/finish_rank.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace meridian;
  const fuzz::InputFile input{data, size};
  const auto ring = RingFile::open(fuzz::InputFile::path(), RingFile::Access::read_only);
  if (!ring) {
    fuzz::require_words(ring.error().what);
    return 0;
  }
  (void)ring->output_dir();
  (void)ring->hostname();
  (void)progress_of(*ring);
  const auto& directory = fuzz::work_directory();
  const auto finished = finish_rank(*ring, {}, directory);
  if (!finished) {
    fuzz::require_words(finished.error().what);
    return 0;
  }
  // Data that were written can be read.
  auto file = RankFile::open(finished->path);
  if (!file) std::abort();
  EventBatch batch;
  std::uint64_t events = 0;
  for (std::size_t i = 0; i < file->meta().segments.size(); ++i) {
    if (!file->read(i, batch)) std::abort();
    events += batch.call.size();
  }
  if (events != finished->events) std::abort();
  return 0;
}
