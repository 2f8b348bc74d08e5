// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "edit/event_edit.hpp"
#include "trace/containers/sorted_spool.hpp"
#include "trace/model/event.hpp"

namespace meridian {
namespace {

/// Flags with which an event says more than that a call was made.
constexpr std::int32_t kFlagsOfOne = ~std::int32_t{kFlagFailed | kFlagSite | kFlagCounters};

bool are_alike(const StoredEvent& a, const StoredEvent& b) {
  return a.call == b.call && a.flags == b.flags && a.comm == b.comm && a.site == b.site && a.path == b.path;
}

/// Wraps around, as numbers of a damaged file may.
std::int64_t sum_of(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

void fuse(EditedEvent& run, const EditedEvent& next) {
  StoredEvent& sum = run.stored;
  sum.calls = sum_of(sum.calls, next.stored.calls);
  sum.outside_ns += next.stored.outside_ns + next.enter_ns - run.leave_ns();
  sum.bytes_sent = sum_of(sum.bytes_sent, next.stored.bytes_sent);
  sum.bytes_received = sum_of(sum.bytes_received, next.stored.bytes_received);
  if (sum.peer != next.stored.peer) sum.peer = -1;
  if (sum.tag != next.stored.tag) sum.tag = -1;
  run.duration_ns = next.leave_ns() - run.enter_ns;
}

}  // namespace

/// The events that have to stay as they are because of what refers to them.
Result<RowBits> FuseEvents::find_bound(const StoredTrace& trace) const {
  MERIDIAN_TRY(RowBits bound, RowBits::create(scratch_->directory(), trace.events()));
  MERIDIAN_TRY_DO(trace.read_messages([&](const MessageLinks::Message& message) {
    bound.set(message.completion);
    return Status{};
  }));
  MERIDIAN_TRY_DO(trace.read_parts([&](const CollectiveLinks::Part& part) {
    bound.set(part.start);
    bound.set(part.completion);
    return Status{};
  }));
  const auto bind = [&](const AwaitedLinks::Awaited& call) {
    bound.set(call.key);
    bound.set(call.causer);
    return Status{};
  };
  MERIDIAN_TRY_DO(trace.read_awaited(bind));
  MERIDIAN_TRY_DO(trace.read_waits(bind));
  return bound;
}

Status FuseEvents::run(const StoredTrace& trace, RowMap& map, const EditSinks& sinks) {
  const MergedDefinitions& names = trace.definitions();
  MERIDIAN_TRY(const RowBits bound, find_bound(trace));
  MERIDIAN_TRY(RowMap first_of, RowMap::create(scratch_->directory(), trace.events()));
  SortedSpool<EditedEvent> spool{scratch_};
  std::vector<std::optional<EditedEvent>> runs(names.locations.size());  // their key is the row of the first event

  const auto may_be_fused = [&](const EditedEvent& event) {
    return event.duration_ns < limit_ns_ && (event.stored.flags & kFlagsOfOne) == 0 && !bound.has(event.row) &&
           names.calls[static_cast<std::size_t>(event.stored.call)].group != "user";
  };
  const auto belongs_to = [&](const std::optional<EditedEvent>& run, const EditedEvent& event) {
    return run && are_alike(run->stored, event.stored) && event.stored.skipped == 0 &&
           event.enter_ns >= run->leave_ns() && event.enter_ns - run->leave_ns() < limit_ns_;
  };
  const auto end_run = [&](std::optional<EditedEvent>& run) -> Status {
    if (!run) return {};
    MERIDIAN_TRY_DO(spool.append(*run));
    run.reset();
    return {};
  };
  const auto take = [&](const EditedEvent& event) -> Status {
    MERIDIAN_TRY_DO(sinks.keep(event));
    std::optional<EditedEvent>& run = runs[event.location];
    const bool is_short = may_be_fused(event);
    if (is_short && belongs_to(run, event)) {
      first_of.set(event.row, run->key);
      fuse(*run, event);
      ++fused_;
    } else {
      MERIDIAN_TRY_DO(end_run(run));
      run = event;
      run->key = event.row;
      if (!is_short) MERIDIAN_TRY_DO(end_run(run));
    }
    if (event.row % RowMap::kReleaseEvery == 0) first_of.release_pages();
    return {};
  };
  MERIDIAN_TRY_DO(trace.read_events(take));
  for (std::optional<EditedEvent>& run : runs) MERIDIAN_TRY_DO(end_run(run));

  CallNumbers numbers{names.locations.size()};
  std::uint64_t next = 0;
  MERIDIAN_TRY_DO(spool.drain([&](const EditedEvent& event) {
    EditedEvent numbered = event;
    numbers.number(numbered);
    map.set(event.key, next++);
    return sinks.write(numbered);
  }));
  for (std::uint64_t row = 0; row < trace.events(); ++row) {
    if (first_of.has(row)) map.set(row, map.row(first_of.row(row)));
    if (row % RowMap::kReleaseEvery == 0) {
      first_of.release_pages();
      map.release_pages();
    }
  }
  return {};
}

}  // namespace meridian
