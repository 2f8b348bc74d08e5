// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/model/result.hpp"

namespace meridian {

/// The events that the user asked for. All conditions hold at once; the default selects all events.
struct TraceSelection {
  std::vector<std::pair<std::int32_t, std::int32_t>> ranks{};       ///< first and last; empty: all
  std::int64_t from_ns = std::numeric_limits<std::int64_t>::min();  ///< events that end before are left out
  std::int64_t to_ns = std::numeric_limits<std::int64_t>::max();    ///< events that begin then or later are left out
  std::string functions{};                                          ///< list of patterns of names; empty: all
  std::string regions{};  ///< list of patterns of names of regions that have to be open; empty: all

  bool has_rank(std::int32_t rank) const noexcept;
};

/// Whether a list such as "MPI_I*,MPI_Wait*" has a pattern that matches `name`, or is one: names of regions may have commas.
bool matches_name(std::string_view list, std::string_view name) noexcept;

/// "0-3,7". errors: invalid_argument.
Result<std::vector<std::pair<std::int32_t, std::int32_t>>> parse_ranks(std::string_view text);

/// "1.5s", "200ms", "3us", "10ns", "2min"; without a unit seconds. In ns. errors: invalid_argument.
Result<std::int64_t> parse_moment(std::string_view text);

}  // namespace meridian
