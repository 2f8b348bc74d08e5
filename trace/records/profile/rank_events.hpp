// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "trace/format/chunks/state_archive.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/result.hpp"
#include "trace/records/profile/call_profile.hpp"
#include "trace/ring/ring_file.hpp"

namespace meridian {

/// The destination of a rank's decoded calls: its file, or in profile mode sums, and the file for the few that stay events.
class RankEvents {
 public:
  /// `meta`: into which the decoder puts everything else. Both must outlive this.
  RankEvents(const RingFile& ring, const RankMeta& meta, RankFileWriter& file) : file_{file} {
    if (ring.header().is_profile != 0) profile_.emplace(meta);
  }

  Status append(ThreadId thread, const EventBatch& batch) {
    return file_.append(thread, profile_ ? profile_->take(thread, batch) : batch);
  }

  void save(StateWriter& archive) const {
    file_.save(archive);
    if (profile_) profile_->save(archive);
  }
  /// See RankFileWriter::restore(). Call after the decoder was restored.
  Status restore(StateReader& archive, ChunkLogReader* chunks) {
    MERIDIAN_TRY_DO(file_.restore(archive, chunks));
    if (profile_ && !profile_->restore(archive))
      return Error{Errc::damaged, "the checkpoint contradicts itself: sums of calls", ""};
    return {};
  }

  /// Adds the sums to the tables of the rank file. Call when all calls were appended.
  void add_profile(RankMeta& meta) const {
    if (!profile_) return;
    meta.profile = profile_->rows();
    meta.texts.push_back({kProfileKey, std::to_string(profile_->calls()), 0, 0});
  }

 private:
  RankFileWriter& file_;
  std::optional<CallProfile> profile_;
};

}  // namespace meridian
