// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "live/where_report.hpp"

namespace meridian {

/// A time in which no call of any rank on this host has begun or ended.
struct Stall {
  double length_s = 0;
  std::vector<std::int32_t> computing{};  ///< world ranks
  std::vector<std::int32_t> idle{};       ///< outside MPI without using the processor
  std::size_t elsewhere = 0;              ///< ranks on other hosts
};

/// What `meridian watch` prints about it, with the text of `meridian where`.
std::string stall_text(const Stall& stall, WhereReport& report);
/// One line, with the object of `meridian where --json`. docs/WHERE.md.
std::string stall_json(const Stall& stall, WhereReport& report);
/// The last line of a program that was ended: how many ranks got SIGTERM.
std::string end_json(std::size_t ended);

}  // namespace meridian
