// SPDX-License-Identifier: Apache-2.0
#include "edit/event_edit.hpp"
#include "trace/containers/sorted_spool.hpp"

namespace meridian {
namespace {

/// Unsigned numbers in the order of signed ones.
std::uint64_t ascending(std::int64_t number) { return static_cast<std::uint64_t>(number) + (std::uint64_t{1} << 63); }

}  // namespace

Status SortEvents::run(const StoredTrace& trace, RowMap& map, const EditSinks& sinks) {
  // Both sorts are stable, so the second one keeps the order of the first one among equal times.
  SortedSpool<EditedEvent> by_thread{scratch_}, by_time{scratch_};
  MERIDIAN_TRY_DO(trace.read_events([&](const EditedEvent& event) {
    const MergedLocation& thread = trace.definitions().locations[event.location];
    EditedEvent keyed = event;
    keyed.key = static_cast<std::uint64_t>(static_cast<std::uint32_t>(thread.rank)) << 32 | thread.thread;
    return by_thread.append(keyed);
  }));
  MERIDIAN_TRY_DO(by_thread.drain([&](const EditedEvent& event) {
    EditedEvent keyed = event;
    keyed.key = ascending(event.enter_ns);
    return by_time.append(keyed);
  }));
  CallNumbers numbers{trace.definitions().locations.size()};
  std::uint64_t next = 0;
  return by_time.drain([&](const EditedEvent& event) -> Status {
    EditedEvent numbered = event;
    numbers.number(numbered);
    if (event.row != next) ++moved_;
    map.set(event.row, next++);
    MERIDIAN_TRY_DO(sinks.keep(numbered));
    return sinks.write(numbered);
  });
}

}  // namespace meridian
