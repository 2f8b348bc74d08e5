// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "tests/support/ring_producer.hpp"
#include "trace/records/record_decoder.hpp"

namespace meridian::test {

inline constexpr std::uint64_t kBlock = 64 * 1024;

struct Batch {
  std::uint32_t thread;
  EventBatch events;
};

// Decodes one stream per slot and keeps everything.
struct Decoded {
  RankMeta meta;
  std::vector<Batch> batches;
  std::uint64_t damaged = 0;
  std::uint64_t events = 0;
};

inline Decoded decode(const std::vector<std::vector<Words>>& slots, std::size_t piece_records = SIZE_MAX) {
  Decoded decoded;
  RecordDecoder decoder{static_cast<std::uint32_t>(slots.size()), kBlock, decoded.meta,
                        [&](ThreadId thread, const EventBatch& batch) {
                          decoded.batches.push_back({thread.value, batch});
                          return Status{};
                        }};
  for (std::uint32_t slot = 0; slot < slots.size(); ++slot) {
    Words piece;
    std::uint64_t position = 0;
    std::size_t records = 0;
    const auto feed = [&] {
      EXPECT_TRUE(decoder.feed(slot, position, piece));
      position += piece.size() * 8;
      piece.clear();
    };
    for (const Words& one : slots[slot]) {
      piece.insert(piece.end(), one.begin(), one.end());
      if (++records % piece_records == 0) feed();
    }
    feed();
  }
  decoded.damaged = decoder.damaged();
  decoded.events = decoder.events();
  EXPECT_TRUE(decoder.finish());
  return decoded;
}

}  // namespace meridian::test
