// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "merger/readers/rank_messages.hpp"
#include "processes/processes.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Makes the rank file of a rank whose recording was not finished. `note` is its rank-NNNNN.ring in `directory`, or its
/// rank-NNNNN.done if the removal of its leftovers was interrupted. After an Error the rank's file is read as it is.
using RecoverRank = std::function<Status(const std::filesystem::path& note, const std::filesystem::path& directory)>;

/// Opens and reads rank files for process 0, which has RankReaders.
class ReaderProcess {
 public:
  /// recover  may be empty: this process finishes no recordings
  explicit ReaderProcess(Processes& processes, RecoverRank recover = {})
      : processes_{processes}, recover_{std::move(recover)} {}

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

  Status finish(StateReader& request);
  Status open(StateReader& request);
  Status bound(StateReader& request);
  Status begin(StateReader& request);
  Status read(std::uint64_t number);

  Processes& processes_;
  RecoverRank recover_;
  PlaceOpener opener_;
  std::vector<Result<RankFile>> files_;
  std::map<std::uint64_t, Stream> streams_;
  EventBatch batch_;
};

}  // namespace meridian
