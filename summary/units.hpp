// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers in human-readable form, of at most 9 characters; NaN and infinity are "-".

#include <cstdint>
#include <string>

namespace meridian {

/// "12.3 us": three digits and a unit from ns to h. Negative durations keep their sign.
std::string human_duration(double seconds);

/// "1.50 KiB": powers of 1024.
std::string human_bytes(double bytes);
std::string human_bytes(std::uint64_t bytes);

/// "1.23 kJ", from mJ on.
std::string human_joules(double joules);

/// "35.0 W", from mW on.
std::string human_watts(double watts);

/// "1234567", exact up to seven digits; "12.3 M" above.
std::string human_count(std::uint64_t count);

/// "-1234567", or a duration: a counter's value in this unit ("1", "us").
std::string human_counted(std::int64_t value, const std::string& unit);

/// "0.5172": four digits; from a million on like a count.
std::string human_figure(double value);

/// "12.3 %" of a share (1 is 100 %).
std::string human_percent(double share);

/// "2025-01-31 12:00:00 UTC"; "-" for a time outside the calendar.
std::string human_time(std::int64_t realtime_ns);

}  // namespace meridian
