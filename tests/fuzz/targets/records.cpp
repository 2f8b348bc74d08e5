// SPDX-License-Identifier: Apache-2.0
// The words of a ring, as the program may leave them: [slot, words...] pieces through the decoder.

#include <vector>

#include "tests/fuzz/fuzz_target.hpp"
#include "trace/records/record_decoder.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace meridian;
  constexpr std::uint32_t kSlots = 3;
  constexpr std::uint64_t kBlock = 4096;
  RankMeta meta;
  std::size_t events = 0;
  RecordDecoder decoder{kSlots, kBlock, meta, [&](ThreadId, const EventBatch& batch) {
                          // Columns of one table are of one length: a file would be torn otherwise.
                          if (batch.leave_ticks.size() != batch.call.size() ||
                              batch.completion_count.size() != batch.call.size() ||
                              batch.payload.size() != batch.call.size() || batch.flags.size() != batch.call.size())
                            std::abort();
                          events += batch.call.size();
                          return Status{};
                        }};
  std::vector<std::uint64_t> words(size / kWordBytes);
  if (!words.empty()) std::memcpy(words.data(), data, words.size() * kWordBytes);
  const auto slot = static_cast<std::uint32_t>(size % kSlots);
  std::uint64_t position = 0;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t count = std::min<std::size_t>(words.size() - at, kBlock / kWordBytes);
    if (!decoder.feed(slot, position, std::span{words}.subspan(at, count))) std::abort();
    position += kBlock;
    at += count;
  }
  if (!decoder.feed_unfinished(slot, words)) std::abort();
  if (!decoder.finish()) std::abort();
  if (events != decoder.events()) std::abort();
  return 0;
}
