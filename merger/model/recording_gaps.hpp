// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/format/rank_file.hpp"
#include "trace/model/option_range.hpp"

namespace meridian {

/// What of a rank was, as was wanted, not recorded, as far as matching has to know.
struct RecordingGaps {
  /// Messages of other sizes are not matched: who sent them has not recorded it, who received them may have.
  Range message;
  /// [times that recording went on after it had been off], ascending.
  std::vector<std::uint64_t> resumed_ticks;
  /// Some functions that send, or receive, are recorded while others, which were called, are not: nobody can know which
  /// message is which.
  bool lacks_sends = false;
  bool lacks_receives = false;

  /// [from, until, from, until...] ticks between which messages, requests or collectives were lost: ascending, no two
  /// stretches touch.
  std::vector<std::uint64_t> lost_bounds;

  /// Which stretch, with or without losses, `ticks` lies in; odd: with.
  std::size_t stretch(std::uint64_t ticks) const noexcept;
  /// From when on nobody knows which message, or collective, of a communicator is which: calls on it may have been lost
  /// since it was made. The greatest number: never.
  std::uint64_t unsure_from(std::uint64_t born_ticks) const noexcept;

  /// How often recording had gone on by then. Messages and collectives belong together only within one such time.
  std::uint32_t epoch(std::uint64_t ticks) const noexcept;
  bool has_size(std::int64_t bytes) const noexcept { return bytes < 0 || message.has(bytes); }
};

struct TraceGaps {
  std::vector<RecordingGaps> ranks;  ///< [files]
  bool has_gaps = false;             ///< sides of messages and collectives are missing because of it
  bool has_selection = false;        ///< single calls were left out; what they started may be completed
};

/// Reads what rank files say of it. Where ranks were not switched on equally often, times between switches are one.
TraceGaps find_gaps(std::span<const RankMeta* const> metas);

}  // namespace meridian
