// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/format/chunks/state_archive.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/result.hpp"
#include "trace/records/profile/call_profile.hpp"
#include "trace/records/profile/short_calls.hpp"
#include "trace/ring/ring_file.hpp"

namespace meridian {

/// The destination of a rank's decoded calls: its file, or sums. Of a profile, all calls but a few become sums; of a trace, those of
/// places with very many short calls (ShortCalls).
class RankEvents {
 public:
  /// `meta`: into which the decoder puts everything else. Both must outlive this.
  RankEvents(const RingFile& ring, const RankMeta& meta, RankFileWriter& file);

  Status append(ThreadId thread, const EventBatch& batch);

  void save(StateWriter& archive) const;
  /// See RankFileWriter::restore(). Call after the decoder was restored.
  Status restore(StateReader& archive, ChunkLogReader* chunks);

  /// Adds the sums to the tables of the rank file. Call when all calls were appended.
  void add_profile(RankMeta& meta) const;

 private:
  const EventBatch& without_short_calls(ThreadId thread, const EventBatch& batch);

  RankFileWriter& file_;
  const RankMeta& meta_;
  ClockKind clock_;
  bool is_profile_;
  std::uint64_t limit_;  // calls of a place before they may become sums
  CallProfile profile_;
  ShortCalls short_;
  std::vector<bool> is_short_;  // [events of a batch]
  EventBatch kept_;
};

}  // namespace meridian
