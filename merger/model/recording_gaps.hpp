// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/format/rank/rank_file.hpp"
#include "trace/model/option_range.hpp"

namespace meridian {

/// The parts of a rank's trace that were filtered or lost, as far as matching needs to know.
struct RecordingGaps {
  /// Only messages of these sizes are matched: the sender did not record others, but the receiver may have.
  Range message;
  /// Times at which recording was switched on again, ascending, and off.
  std::vector<std::uint64_t> resumed_ticks;
  std::vector<std::uint64_t> paused_ticks;
  /// Collectives that begin later cannot be counted: how many of them are missing may differ between ranks.
  std::uint64_t countable_until = ~std::uint64_t{0};
  /// Calls of some rank were dropped, and messages of layers of the program were not counted.
  bool begins_late = false;
  /// Some functions that send (receive) were called but not recorded while others were, so messages cannot be paired
  /// reliably.
  bool lacks_sends = false;
  bool lacks_receives = false;

  /// [from, until, from, until...]: ticks between which messages, requests or collectives were lost. Ascending; no two
  /// stretches touch.
  std::vector<std::uint64_t> lost_bounds;

  /// Index of the stretch that contains `ticks`; stretches without (even) and with losses (odd) alternate.
  std::size_t stretch(std::uint64_t ticks) const noexcept;
  /// The time from which messages and collectives of a communicator that was created at `born_ticks` cannot be paired
  /// reliably, because calls that use it may have been lost. The greatest number: never.
  std::uint64_t unsure_from(std::uint64_t born_ticks) const noexcept;

  /// How often recording had been switched on again by then. Messages and collectives belong together only within one
  /// epoch.
  std::uint32_t epoch(std::uint64_t ticks) const noexcept;
  bool has_size(std::int64_t bytes) const noexcept { return bytes < 0 || message.has(bytes); }
};

/// A time in which a rank recorded nothing, because recording was switched off.
struct OffPeriod {
  std::uint64_t from_ticks = 0;
  std::uint64_t until_ticks = 0;  ///< kNeverOn: to the end
};
inline constexpr std::uint64_t kNeverOn = ~std::uint64_t{0};
/// The periods of a rank, ascending.
std::vector<OffPeriod> off_periods(const RankMeta& meta);

struct TraceGaps {
  std::vector<RecordingGaps> ranks;   ///< [files]
  bool has_gaps = false;              ///< some messages and collectives have only one recorded side
  bool has_outside_switches = false;  ///< switches are not at the same call on every rank
  bool has_selection = false;         ///< single calls were filtered out; calls that complete them may be recorded
  bool is_switched = false;           ///< some of them by choice, or a loss; otherwise functions were not seen
  bool has_unwrapped = false;         ///< calls.unwrapped names some of these functions; otherwise calls.unseen does
  bool begins_late = false;           ///< flight recorders have dropped the first calls; RankMeta::dropped has how many
  bool lacks_comms = false;           ///< communicators were created by such calls
};

/// Reads the gaps from the rank files. If ranks were not switched on equally often, switches do not divide the run into
/// epochs; ranks that were not switched on again at the end may lack the last ones.
TraceGaps find_gaps(std::span<const RankMeta* const> metas);

}  // namespace meridian
