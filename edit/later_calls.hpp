// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "edit/event_edit.hpp"

namespace meridian {

/// The latest of the times, in ns, at which the ranks' first events begin. None: a rank has no events from then on, or no rank has
/// events that end before.
Result<std::optional<std::int64_t>> find_common_begin(const StoredTrace& trace);

/// Keeps the events that end after a moment, in global ns.
class LaterCalls final : public EventEdit {
 public:
  explicit LaterCalls(std::int64_t from_ns) : from_ns_{from_ns} {}
  Status run(const StoredTrace& trace, RowMap& map, const EditSinks& sinks) override;

 private:
  std::int64_t from_ns_;
};

}  // namespace meridian
