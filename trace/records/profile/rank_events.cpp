// SPDX-License-Identifier: Apache-2.0
#include "trace/records/profile/rank_events.hpp"

#include <algorithm>
#include <string>

#include "trace/records/late_anchor.hpp"

namespace meridian {
RankEvents::RankEvents(const RingFile& ring, const RankMeta& meta, RankFileWriter& file, Part part)
    : file_{file},
      meta_{meta},
      clock_{ring.clock()},
      is_profile_{ring.header().is_profile != 0 || (ring.header().is_recorder() && part == Part::whole)},
      is_last_part_{ring.header().is_recorder() && part == Part::last},
      limit_{ring.header().is_recorder() ? 0 : ring.header().short_calls},
      profile_{meta} {
  if (ring.header().is_recorder()) profile_.count_channels();
}

Status RankEvents::append(ThreadId thread, const EventBatch& batch) {
  if (is_profile_) return file_.append(thread, profile_.take(thread, batch));
  if (is_last_part_ && !batch.enter_ticks.empty()) first_ticks_ = std::min(first_ticks_, batch.enter_ticks.front());
  if (limit_ == 0) return file_.append(thread, batch);
  if (!short_.is_on()) short_.set_limit(limit_, tick_rate(meta_, clock_));
  return file_.append(thread, without_short_calls(thread, batch));
}

const EventBatch& RankEvents::without_short_calls(ThreadId thread, const EventBatch& batch) {
  if (std::ranges::find(batch.payload, Payload::local) == batch.payload.end()) return batch;  // no call stands alone
  is_short_.clear();
  bool has_short = false;
  for_each_event(batch, [&](const BatchEvent& event, const SegmentRow&) {
    is_short_.push_back(short_.take(event));
    has_short = has_short || is_short_.back();
  });
  if (!has_short) return batch;
  kept_ = {};
  for_each_event(batch, [&](const BatchEvent& event, const SegmentRow& rows) {
    if (is_short_[event.index])
      profile_.add(thread, event);
    else
      append_event(batch, event, rows, kept_);
  });
  return kept_;
}

void RankEvents::save(StateWriter& archive) const {
  profile_.save(archive);
  short_.save(archive);
  file_.save(archive);
}

Status RankEvents::restore(StateReader& archive, ChunkLogReader* chunks) {
  if (!profile_.restore(archive) || !short_.restore(archive))
    return Error{Errc::damaged, "the checkpoint contradicts itself: sums of calls", ""};
  return is_last_part_ ? Status{} : file_.restore(archive, chunks);
}

void RankEvents::add_profile(RankMeta& meta) const {
  if (is_last_part_) {
    if (profile_.calls() == 0) return;  // nothing was dropped
    meta.dropped = profile_.dropped();
    meta.texts.push_back({kRecorderKey, std::to_string(profile_.calls()), 0, first_ticks_});
    if (profile_.has_too_many_tags()) meta.texts.push_back({kRecorderTagsKey, "", 0, first_ticks_});
    return;
  }
  if (profile_.calls() != 0 || is_profile_) meta.profile = profile_.rows();
  if (is_profile_) meta.texts.push_back({kProfileKey, std::to_string(profile_.calls()), 0, 0});
  if (!is_profile_ && profile_.calls() != 0) meta.texts.push_back({kShortCallsKey, short_.describe(), 0, 0});
}

}  // namespace meridian
