// SPDX-License-Identifier: Apache-2.0
#include "edit/event_edit.hpp"

namespace meridian {

Status SelectEvents::run(const StoredTrace& trace, RowMap& map, const EditSinks& sinks) {
  std::uint64_t next = 0;
  return trace.read_events([&](const EditedEvent& event) -> Status {
    if (!choice_.keeps(event.row)) return sinks.drop(event);
    map.set(event.row, next++);
    MERIDIAN_TRY_DO(sinks.keep(event));
    return sinks.write(event);
  });
}

}  // namespace meridian
