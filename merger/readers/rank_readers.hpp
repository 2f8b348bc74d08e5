// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "merger/readers/rank_messages.hpp"
#include "processes/processes.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The processes that open and read rank files, as process 0 sees them: each has a part of the ranks, process 0 too. The ranks
/// of others are RankFiles that are read over messages, and have the same contents. Must outlive them.
class RankReaders {
 public:
  /// scratch  directory in which readers keep decoded chunks
  RankReaders(Processes& processes, std::filesystem::path scratch);

  /// Lets all other processes finish recordings, which only those on the node of a rank can. Returns for each note whether
  /// one of them has; if not, the error of the one that came furthest.
  ///
  /// errors  io: a process is gone
  Result<std::vector<Status>> finish(const std::filesystem::path& directory,
                                     std::span<const std::filesystem::path> notes);

  /// Opens all ranks. Returns a result for each place, in the same order.
  ///
  /// errors  io: a process is gone; not_found: a process does not see a file that process 0 sees
  Result<std::vector<Result<RankFile>>> open(std::span<const RankPlace> places);

  /// An error: a process is gone, so that ranks could not be read, whatever reading them has returned.
  const Status& status() const noexcept { return status_; }

 private:
  class Rank;
  struct Reader {
    std::uint64_t ranks = 0;       // that it has opened
    std::size_t piece_events = 0;  // 0: not told yet
    /// [stream]: those that were asked for; none: not come yet
    std::map<std::uint64_t, std::optional<Message>> answers;
  };

  void ask(int process, StateWriter request);
  void ask_for_piece(int process, std::uint64_t stream, StateWriter request);
  void read_by_pieces(int process, std::size_t events, bool is_stored);
  Result<Message> answer(int process, std::uint64_t stream);
  void give_up(int process, std::uint64_t stream);

  Processes& processes_;
  std::filesystem::path scratch_;
  std::vector<Reader> readers_;  // [processes]; that of process 0 is not used
  std::uint64_t streams_ = 0;
  Status status_;
};

}  // namespace meridian
