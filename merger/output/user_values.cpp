// SPDX-License-Identifier: Apache-2.0
#include "merger/output/user_values.hpp"

#include <algorithm>
#include <vector>

#include "trace/format/rank/rank_file.hpp"
#include "trace/model/event.hpp"

namespace meridian {
namespace {

bool has_values(const UserDefinition& definition) noexcept {
  return definition.kind == UserKind::event || definition.kind == UserKind::counter;
}

}  // namespace

Status for_each_user_value(const Trace& trace,
                           const std::function<Status(const EventRef&, std::span<const std::uint64_t>)>& take) {
  if (std::ranges::none_of(trace.user.list, has_values)) return {};
  EventBatch batch;
  for (std::size_t file = 0; file < trace.files.size(); ++file) {
    const RankMeta& meta = trace.files[file]->meta();
    for (const ThreadRow& thread : meta.threads) {
      EventRef event{meta.rank, thread.thread, 0};
      std::uint64_t first = 0;  // number of the segment's first event in the thread
      for (std::size_t i = 0; i < meta.segments.size(); ++i) {
        const SegmentRow& segment = meta.segments[i];
        if (segment.thread != thread.thread) continue;
        const std::uint64_t begin = first;
        first += segment.events;
        // An earlier pass has reported those that cannot be read.
        if (segment.user_values == 0 || !trace.files[file]->read(i, batch)) continue;
        auto use = batch.user.begin();
        std::span<const std::uint64_t> words = batch.user_values;
        for (std::size_t at = 0; at < batch.call.size() && use != batch.user.end(); ++at) {
          if (batch.payload[at] != Payload::user) continue;
          const std::size_t count = std::min<std::size_t>(use->words, words.size());
          const UserDefinition* const definition = trace.user.find(file, use->definition);
          event.event = begin + at;
          if (count != 0 && definition != nullptr && has_values(*definition))
            MERIDIAN_TRY_DO(take(event, words.first(count)));
          words = words.subspan(count);
          ++use;
        }
      }
    }
  }
  return {};
}

}  // namespace meridian
