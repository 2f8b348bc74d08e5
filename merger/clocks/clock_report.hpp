#pragma once

// What a reader wants to see of how the clocks were corrected: small, whatever the run.

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "merger/clocks/clock_map.hpp"
#include "merger/clocks/clock_samples.hpp"
#include "trace/format/h5.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// What was added to a domain's line between start and end at one moment: its global times are
/// line + correction_ns. All times are global.
struct ClockFitPoint {
  std::uint32_t domain = 0;
  std::int64_t time_ns = 0;
  double correction_ns = 0;
  double drift_ppm = 0;  ///< of the clock against the reference, from here to the next point
};

/// What a sample says about the correction.
enum class ClockSampleKind : std::uint8_t {
  round_trip,  ///< it is this, if both ways took equally long
  at_least,    ///< it is no less: a message was received
  at_most,     ///< it is no more: a message was sent
};

struct ClockSamplePoint {
  std::uint32_t domain = 0;
  std::uint32_t other = 0;  ///< domain at the other end
  ClockSampleKind kind{};
  std::int64_t time_ns = 0;
  double correction_ns = 0;  ///< that the sample asks for, the other domain being where the fit puts it
  double residual_ns = 0;    ///< that, less the fit's
};

/// The round trips between two domains.
struct RoundTripRow {
  std::uint32_t from = 0;  ///< domain that asked
  std::uint32_t to = 0;
  std::uint64_t count = 0;
  double min_ns = 0, p25_ns = 0, median_ns = 0, p75_ns = 0, p99_ns = 0, max_ns = 0;
};

/// Round trips of all pairs that took from length_ns to 2^(1/8) as long.
struct RoundTripBin {
  double length_ns = 0;
  std::uint64_t count = 0;
};

/// A pair of domains, compared directly and by way of the map of each.
struct ClockLoop {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint8_t is_messages = 0;  ///< 1: from messages both ways; 0: from round trips
  std::int64_t time_ns = 0;
  double line_ns = 0;   ///< direct offset less that of lines composed along the path to the reference
  double fit_ns = 0;    ///< direct offset less that of the corrected clocks
  double doubt_ns = 0;  ///< half of the smallest round trip: what no direct comparison can tell
};

struct ClockReport {
  std::vector<ClockFitPoint> fit;         ///< by domain and time; not of the reference
  std::vector<ClockSamplePoint> samples;  ///< a selection
  std::vector<RoundTripRow> round_trips;  ///< by pair
  std::vector<RoundTripBin> lengths;      ///< ascending
  std::vector<ClockLoop> loops;           ///< by pair, kind and time
};

/// sampled  clocks on which `samples` were taken
/// lines    those between start and end, with the reference of `clocks`
/// clocks   what the merged file has
ClockReport report_clocks(std::span<const RankMeta* const> metas, const Clocks& sampled, const Clocks& lines,
                          const Clocks& clocks, const ClockSamples& samples);

/// FORMAT.md, /clocks.
Status write_clock_report(hid_t file, const ClockReport& report);
/// errors  not_found, damaged: the file. One that has no /clocks gives an empty report.
Result<ClockReport> read_clock_report(const std::filesystem::path& merged);

}  // namespace meridian
