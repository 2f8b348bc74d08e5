// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "edit/stored_trace.hpp"
#include "trace/containers/mapped_array.hpp"

namespace meridian {

/// The fields of an event that are needed to write the tables with references to it.
struct RowFact {
  std::int64_t enter_ns = 0;
  std::int64_t duration_ns = 0;
  std::uint32_t location = 0;
  std::uint16_t call = 0;
  std::uint8_t flags = 0;

  static RowFact of(const EditedEvent& event) noexcept {
    return {event.enter_ns, event.duration_ns, event.location, static_cast<std::uint16_t>(event.stored.call),
            static_cast<std::uint8_t>(event.stored.flags)};
  }
  std::int64_t leave_ns() const noexcept { return enter_ns + duration_ns; }
};

/// [row of the original]. On disk.
using RowFacts = MappedArray<RowFact>;

}  // namespace meridian
