// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/records/record.hpp"

namespace meridian {

/// The polls of one place of a phase, as an event.
struct PollEvent {
  RecordHead head;  ///< flags: at most kFlagSite
  PollUse row;
  std::uint64_t site = 0;  ///< 0: not recorded
};

/// The events of a phase of polls (Payload::polls), one for each place: they follow one another, and divide its time by the time
/// inside the calls. The record may still be growing. nullopt: it is damaged.
std::optional<std::vector<PollEvent>> poll_phase(const Record& record);

}  // namespace meridian
