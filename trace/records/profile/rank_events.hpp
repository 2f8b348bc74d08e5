// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/format/chunks/state_archive.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/result.hpp"
#include "trace/records/profile/call_profile.hpp"
#include "trace/records/profile/short_calls.hpp"
#include "trace/ring/ring_file.hpp"

namespace meridian {

/// The destination of a rank's decoded calls: its file, or sums. Of a profile, and of the calls that a recorder drops, all but a few
/// become sums; of a trace, those of places with very many short calls (ShortCalls).
class RankEvents {
 public:
  /// Of a recorder: sums of all calls, or the calls that are added after restore().
  enum class Part : std::uint8_t { whole, last };

  /// `meta`: into which the decoder puts everything else. Both must outlive this. `part`: only a recorder has several.
  RankEvents(const RingFile& ring, const RankMeta& meta, RankFileWriter& file, Part part = Part::whole);

  Status append(ThreadId thread, const EventBatch& batch);

  void save(StateWriter& archive) const;
  /// See RankFileWriter::restore(). Call after the decoder was restored. Of the last part of a recorder, the file remains empty.
  Status restore(StateReader& archive, ChunkLogReader* chunks);

  /// Adds the sums to the tables of the rank file, or what a recorder has dropped. Call when all calls were appended.
  void add_profile(RankMeta& meta) const;

 private:
  const EventBatch& without_short_calls(ThreadId thread, const EventBatch& batch);

  RankFileWriter& file_;
  const RankMeta& meta_;
  ClockKind clock_;
  bool is_profile_;                                // all calls become sums
  bool is_last_part_;                              // of a recorder
  std::uint64_t first_ticks_ = ~std::uint64_t{0};  // the earliest enter in the last part
  std::uint64_t limit_;                            // calls of a place before they may become sums
  CallProfile profile_;
  ShortCalls short_;
  std::vector<bool> is_short_;  // [events of a batch]
  EventBatch kept_;
};

}  // namespace meridian
