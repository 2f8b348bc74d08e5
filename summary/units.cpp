// SPDX-License-Identifier: Apache-2.0
#include "summary/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "summary/measures.hpp"

namespace meridian {
namespace {

constexpr const char* kNoNumber = "-";
constexpr double kThreeDigits = 999.5;  ///< larger values round to four digits

std::string three_digits(double value) {
  const double size = std::fabs(value);
  if (size < 9.995) return fmt::format("{:.2f}", value);
  if (size < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

struct Unit {
  const char* name;
  double size;
};

/// With powers of 1000 from a thousandth on.
std::string metric(double value, const char* unit) {
  if (!std::isfinite(value)) return kNoNumber;
  if (value == 0) return fmt::format("0 {}", unit);
  double size = value * 1e3;
  for (const char* prefix : {"m", "", "k", "M", "G", "T"}) {
    if (std::fabs(size) < kThreeDigits) return fmt::format("{} {}{}", three_digits(size), prefix, unit);
    size /= 1e3;
  }
  return fmt::format("{} 999 T{}", value < 0 ? "<" : ">", unit);
}

}  // namespace

std::string human_joules(double joules) { return metric(joules, "J"); }

std::string human_watts(double watts) { return metric(watts, "W"); }

std::string human_duration(double seconds) {
  if (!std::isfinite(seconds)) return kNoNumber;
  if (seconds == 0) return "0 s";
  static constexpr std::array<Unit, 4> kUnits{{{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}};
  const double size = std::fabs(seconds);
  for (const Unit& unit : kUnits)
    if (size / unit.size < kThreeDigits) return three_digits(seconds / unit.size) + " " + unit.name;
  if (size < 1e5) return fmt::format("{:.0f} s", seconds);
  const double hours = seconds / 3600;
  if (std::fabs(hours) < kThreeDigits) return three_digits(hours) + " h";
  if (std::fabs(hours) < 99999.5) return fmt::format("{:.0f} h", hours);
  return hours < 0 ? "< -1e5 h" : "> 1e5 h";
}

std::string human_bytes(double bytes) {
  if (!std::isfinite(bytes) || bytes < 0) return kNoNumber;
  if (bytes == 0) return "0 B";
  if (bytes < kThreeDigits) return bytes < 10 ? fmt::format("{:.3g} B", bytes) : three_digits(bytes) + " B";
  double value = bytes;
  for (const char* unit : {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}) {
    value /= 1024;
    if (value < kThreeDigits) return three_digits(value) + " " + unit;
  }
  return "> 999 EiB";
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  return human_bytes(static_cast<double>(bytes));
}

std::string human_count(std::uint64_t count) {
  if (count < 10'000'000) return fmt::format("{}", count);
  double value = static_cast<double>(count) / 1e6;
  for (const char* unit : {"M", "G", "T", "P"}) {
    if (value < kThreeDigits) return three_digits(value) + " " + unit;
    value /= 1e3;
  }
  return three_digits(value) + " E";
}

std::string human_counted(std::int64_t value, const std::string& unit) {
  if (unit == "us") return human_duration(static_cast<double>(value) * 1e-6);
  const std::string text =
      human_count(value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value));
  return value < 0 ? fmt::format("-{}", text) : text;
}

std::string human_figure(double value) {
  if (!std::isfinite(value)) return kNoNumber;
  const double size = std::fabs(value);
  const char* const sign = value < 0 ? "-" : "";
  if (size < 1e6) return fmt::format("{}{:.{}g}", sign, size, value < 0 ? 3 : 4);
  return fmt::format("{}{}", sign, human_count(static_cast<std::uint64_t>(std::min(size, 1e18))));
}

std::string human_percent(double share) {
  if (!std::isfinite(share)) return kNoNumber;
  const double percent = share * 100;
  if (percent == 0) return "0 %";
  if (std::fabs(percent) < 0.05) return percent < 0 ? "> -0.1 %" : "< 0.1 %";
  if (std::fabs(percent) < 9999.5) return fmt::format("{:.1f} %", percent);
  return percent < 0 ? "< -9999 %" : "> 9999 %";
}

std::string human_time(std::int64_t realtime_ns) {
  const std::string text = utc_time(realtime_ns);
  return text.empty() ? kNoNumber : text;
}

}  // namespace meridian
