// SPDX-License-Identifier: Apache-2.0
#pragma once

// The intervals of a rank file in which threads had no processor. Events do not refer to them: they have a reader of their own.

#include <cstdint>

#include "trace/format/rank/row_table.hpp"

namespace meridian {

/// An interval in which a thread had no processor, or several short ones with the time between them.
struct ProcessorRow {
  std::uint64_t ticks = 0;   ///< at the end: it has a processor again
  std::uint64_t length = 0;  ///< in ticks
  std::uint64_t ran = 0;     ///< ticks of that between several intervals; 0 for one
  std::uint32_t thread = 0;  ///< ThreadId
  std::uint32_t count = 1;   ///< intervals
  bool is_ready = false;     ///< could have gone on when it left the processor; otherwise it slept

  bool is_valid() const noexcept { return count != 0 && length <= ticks && ran <= length && (count > 1 || ran == 0); }
};

/// The intervals of a rank, in order of the end: an interval that is not valid is damage.
using ProcessorTableWriter = RowTableWriter<ProcessorRow>;
using ProcessorTable = RowTable<ProcessorRow>;

}  // namespace meridian
