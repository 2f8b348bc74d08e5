// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/bounds/clock_bounds_file.hpp"

#include <string>
#include <utility>

#include "trace/format/column.hpp"

namespace meridian {
namespace {

constexpr const char* kLargestMove = "clock_largest_move_ns";

std::string path_of(const char* name) {
  std::string path = "clock_bounds/";
  path.append(name);
  return path;
}

template <class T, class Value>
Status write(hid_t file, const char* name, const char* unit, const char* text, const ClockBounds& bounds,
             Value&& value) {
  std::vector<T> values;
  for (std::uint32_t domain = 0; domain < bounds.domains.size(); ++domain)
    for (const ClockBoundKnot& knot : bounds.domains[domain]) values.push_back(value(domain, knot));
  MERIDIAN_TRY(ColumnWriter column,
               ColumnWriter::create(file, path_of(name), column_type<T>, {.unit = unit, .description = text}));
  MERIDIAN_TRY_DO(column.append(std::span<const T>{values}));
  return column.finish();
}

}  // namespace

Status write_clock_bounds(hid_t file, const ClockBounds& bounds) {
  using Knot = ClockBoundKnot;
  MERIDIAN_TRY_DO(h5::write_attribute(file, kLargestMove, bounds.largest_move_ns));
  MERIDIAN_TRY_DO(write<std::uint32_t>(file, "domain", "", "clock_domain of /ranks; ascends", bounds,
                                       [](std::uint32_t domain, const Knot&) { return domain; }));
  MERIDIAN_TRY_DO(write<std::int64_t>(file, "time_ns", "ns", "global; ascends within a domain", bounds,
                                      [](std::uint32_t, const Knot& knot) { return knot.time_ns; }));
  const auto number = [&](const char* name, const char* text, auto value) {
    return write<double>(file, name, "ns", text, bounds,
                         [&](std::uint32_t, const Knot& knot) { return static_cast<double>(value(knot)); });
  };
  MERIDIAN_TRY_DO(number("t1_early_ns", "the true time is at most this much earlier",
                         [](const Knot& knot) { return knot.early_ns[0]; }));
  MERIDIAN_TRY_DO(number("t1_late_ns", "the true time is at most this much later",
                         [](const Knot& knot) { return knot.late_ns[0]; }));
  MERIDIAN_TRY_DO(number("t2_early_ns", "the same, assuming that latencies vary by 20 % at most",
                         [](const Knot& knot) { return knot.early_ns[1]; }));
  MERIDIAN_TRY_DO(number("t2_late_ns", "", [](const Knot& knot) { return knot.late_ns[1]; }));
  MERIDIAN_TRY_DO(write<double>(file, "rate", "", "all four grow by this, ns per ns, on both sides of time_ns", bounds,
                                [](std::uint32_t, const Knot& knot) { return static_cast<double>(knot.rate); }));
  return write<std::uint8_t>(file, "is_certified", "", "0: there is no bound from the knot before to the one after",
                             bounds, [](std::uint32_t, const Knot& knot) -> std::uint8_t { return knot.is_certified; });
}

}  // namespace meridian
