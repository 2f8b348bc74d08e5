// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/format/rank/rank_file.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// A rank file that another process has open, as RankFile needs it. Events are read by streams, each of which goes through
/// one segment.
class DistantRank {
 public:
  /// The result of reading the next events of a segment, besides the events.
  struct Piece {
    Status status;                   ///< as of RankFile::read(); the stream is over if it is an error
    bool has_flaw = false;           ///< see RankFile::flaws(): of this segment
    std::vector<TextRow> new_texts;  ///< of RankMeta::texts
  };

  DistantRank() = default;
  DistantRank(const DistantRank&) = delete;
  DistantRank& operator=(const DistantRank&) = delete;
  virtual ~DistantRank() = default;

  /// See RankFile::read_by_pieces().
  virtual void read_by_pieces(std::size_t events, bool is_stored) = 0;
  /// The segment will be read next, by pieces.
  virtual void announce(std::size_t segment) = 0;
  /// Number of a new stream.
  ///
  /// is_whole  the first piece is the whole segment
  virtual std::uint64_t begin(std::size_t segment, bool is_whole) = 0;
  /// Reads the next events of the stream.
  ///
  /// left  before that; the stream is over after the last ones
  virtual Piece read(std::uint64_t stream, std::uint64_t left, EventBatch& batch) = 0;
  /// Ends a stream that is not over.
  virtual void end(std::uint64_t stream) = 0;
};

}  // namespace meridian
