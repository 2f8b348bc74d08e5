// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "merger/readers/rank_messages.hpp"
#include "processes/processes.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Opens and reads rank files for process 0, which has RankReaders.
class ReaderProcess {
 public:
  explicit ReaderProcess(Processes& processes) : processes_{processes} {}

  /// Does what a message asks for, and answers it.
  ///
  /// request  without the byte of Work
  /// errors   io: process 0 is gone; damaged: not a request of process 0
  Status answer(std::span<const std::uint8_t> request);

 private:
  struct Stream {
    std::size_t rank = 0;
    std::size_t segment = 0;
    bool is_whole = false;
    SegmentPieces pieces;
  };

  Status open(StateReader& request);
  Status bound(StateReader& request);
  Status begin(StateReader& request);
  Status read(std::uint64_t number);

  Processes& processes_;
  PlaceOpener opener_;
  std::vector<Result<RankFile>> files_;
  std::map<std::uint64_t, Stream> streams_;
  EventBatch batch_;
};

}  // namespace meridian
