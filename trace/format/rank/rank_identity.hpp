// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// The name of the run; empty if the rank ended before it was recorded.
std::string run_of(const RankMeta& meta);

/// Recordings with equal identities hold the same calls.
struct RankIdentity {
  std::string run;
  std::string hostname;
  std::int32_t rank = -1;
  std::int32_t size = -1;
  std::int32_t pid = 0;
  std::uint64_t domain = 0;
  std::uint64_t segments = 0;
  std::uint64_t calls = 0;       ///< events of all segments
  std::uint64_t rows = 0;        ///< of all tables that calls refer to
  std::uint64_t table_rows = 0;  ///< of the tables in RankMeta

  friend auto operator<=>(const RankIdentity&, const RankIdentity&) = default;
};

/// Before place_in_world().
RankIdentity identity_of(const RankMeta& meta);

}  // namespace meridian
