// SPDX-License-Identifier: Apache-2.0
#include "merger/statistics/recorded_time.hpp"

#include <algorithm>

#include "merger/model/recording_gaps.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

constexpr double kMostOfTheRecord =
    0.9;  ///< in one piece: what is left of the others is hardly more than the ends of MPI

}  // namespace

void fill_recorded_time(const RankMeta& meta, const ClockMap& clock, std::int64_t first_ns, std::int64_t last_ns,
                        RankSummary& rank) {
  const std::vector<OffPeriod> periods = off_periods(meta);
  if (periods.empty() || last_ns <= first_ns) return;
  // Pieces that were recorded: from `begin_ns` to the next time without.
  std::int64_t begin_ns = first_ns, longest_begin_ns = first_ns, longest_ns = 0, off_ns = 0;
  const auto add_piece = [&](std::int64_t end_ns) {
    // The first one has MPI_Init.
    const auto ends_ns = begin_ns == first_ns ? static_cast<std::int64_t>(rank.ends_s / kSecondsPerNs) : 0;
    const std::int64_t length_ns = end_ns - begin_ns - ends_ns;
    if (length_ns <= longest_ns) return;
    longest_ns = length_ns;
    longest_begin_ns = begin_ns;
    rank.recorded_to_s = static_cast<double>(end_ns) * kSecondsPerNs;
  };
  for (const OffPeriod& period : periods) {
    const std::int64_t from_ns = std::clamp(clock.to_global(period.from_ticks), begin_ns, last_ns);
    const std::int64_t until_ns =
        period.until_ticks == kNeverOn ? last_ns : std::clamp(clock.to_global(period.until_ticks), from_ns, last_ns);
    add_piece(from_ns);
    off_ns += until_ns - from_ns;
    begin_ns = until_ns;
  }
  add_piece(last_ns);
  rank.unrecorded_s = static_cast<double>(off_ns) * kSecondsPerNs;
  const double recorded_s = static_cast<double>(last_ns - first_ns - off_ns) * kSecondsPerNs - rank.ends_s;
  if (static_cast<double>(longest_ns) * kSecondsPerNs >= kMostOfTheRecord * recorded_s && longest_ns > 0)
    rank.recorded_from_s = static_cast<double>(longest_begin_ns) * kSecondsPerNs;
  else
    rank.recorded_to_s = -1;
}

}  // namespace meridian
