// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tables of events and of what connects them, one function each.

#include <cstdint>
#include <string>

#include "query/query_table.hpp"

namespace meridian {

QueryTable events_table();
QueryTable messages_table();
QueryTable collectives_table();
QueryTable participants_table();
QueryTable samples_table();
QueryTable processor_table();
QueryTable memory_table();
QueryTable energy_table();
QueryTable waits_table();
QueryTable regions_table();
QueryTable threads_table();
QueryTable user_values_table();

/// A row of the table of events.
struct EventTableRow {
  MergedEvent event;
  const MergedDefinitions* names = nullptr;
  std::string fields{};  ///< the values of a user event
};
/// Bit of QueryColumn::needs beside those of EventField.
inline constexpr std::uint32_t kNeedsUserFields = 1U << 30;

/// A row of the table of waits.
struct WaitRow {
  EventWait wait;
  MergedEvent event;
  MergedEvent causer;         ///< if there is one
  std::int64_t start_ns = 0;  ///< of the wait
  const MergedDefinitions* names = nullptr;

  bool has_causer() const noexcept { return wait.causer != wait.row; }
};

}  // namespace meridian
