// SPDX-License-Identifier: Apache-2.0
#pragma once

// A stream of calls whose every detail follows from its number, and the check that a rank file has exactly the first n.

#include <gtest/gtest.h>

#include <utility>

#include "tests/support/ring_producer.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian::test {

/// Record number i (from 0) of a slot; lengths vary, so that blocks end in pads of all sizes.
inline Words known_call(std::uint64_t i) {
  const std::uint64_t enter = 100 + 10 * i;
  switch (i % 4) {
    case 0:
      return local_record(CallId::Wtime, enter, enter + 3);
    case 1:
      return send_record(enter, enter + 4, static_cast<std::int32_t>(i % 1000), 0x1000 + i % 64);
    case 2:
      return record(CallId::Allreduce, Payload::coll, enter, enter + 5, {}, 0,
                    Collective{0xc0, kNoRoot, 0, i, i + 1, 0});
    default: {
      std::vector<Completion> done;
      for (std::uint64_t k = 0; k < i % 30; ++k)
        done.push_back({0x1000 + k, static_cast<std::int32_t>(k), 7, static_cast<std::int64_t>(i)});
      return record(CallId::Waitall, Payload::requests, enter, enter + 6, done, 0);
    }
  }
}

/// The number of calls of `thread` in the file, which must be the known ones from the first on. A program that is killed
/// between the last word of a record and the new head leaves its last call in progress, without its end and the outcome of
/// its requests.
inline std::uint64_t count_known_calls(RankFile& file, std::uint32_t thread) {
  std::uint64_t count = 0;
  bool is_under_way = false;
  EventBatch batch;
  for (std::size_t s = 0; s < file.meta().segments.size(); ++s) {
    if (file.meta().segments[s].thread != thread) continue;
    const Status read = file.read(s, batch);
    EXPECT_TRUE(read) << read.error().what;
    std::size_t p2p = 0, coll = 0, completion = 0;
    for (std::size_t e = 0; e < batch.call.size(); ++e, ++count) {
      const std::uint64_t i = count;
      const Words expected = known_call(i);
      const bool was_under_way = std::exchange(is_under_way, (batch.flags[e] & kFlagUnfinished) != 0);
      bool is_right = !was_under_way && batch.enter_ticks[e] == expected[1] &&
                      batch.leave_ticks[e] == expected[is_under_way ? 1 : 2] &&
                      static_cast<std::uint64_t>(batch.call[e]) == (expected[0] & 0xffff) &&
                      static_cast<std::uint64_t>(batch.payload[e]) == ((expected[0] >> 16) & 0xff) &&
                      batch.completion_count[e] == expected[0] >> 48;
      if (batch.payload[e] == Payload::p2p)
        is_right &= std::memcmp(&batch.p2p[p2p++], &expected[3], sizeof(PointToPoint)) == 0;
      if (batch.payload[e] == Payload::coll)
        is_right &= std::memcmp(&batch.coll[coll++], &expected[3], sizeof(Collective)) == 0;
      for (std::uint32_t k = 0; is_right && k < batch.completion_count[e]; ++k)
        is_right &= std::memcmp(&batch.completions[completion++], &expected[3 + 3 * k],
                                is_under_way ? sizeof(Completion::request) : sizeof(Completion)) == 0;
      if (!is_right) {
        ADD_FAILURE() << "call " << i << " of thread " << thread << " is not what was stored: call "
                      << static_cast<unsigned>(batch.call[e]) << " from " << batch.enter_ticks[e] << " to "
                      << batch.leave_ticks[e] << ", flags " << static_cast<unsigned>(batch.flags[e]) << ", payload "
                      << static_cast<unsigned>(batch.payload[e]) << ", " << batch.completion_count[e]
                      << " completions, row " << e << " of " << batch.call.size();
        return count;
      }
    }
  }
  return count;
}

}  // namespace meridian::test
