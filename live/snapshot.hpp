// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "live/rings.hpp"
#include "trace/model/result.hpp"

namespace meridian {

struct Snapshot {
  std::size_t ranks = 0;  ///< ranks with a rank file; 0: all ranks had ended, and `output` is removed
  std::uint64_t events = 0;
};

/// Writes rank files of a running program's ranks to `output`, which is created if missing, with every call that has
/// returned so far. The program continues.
/// errors  io: `output` cannot be created; those of snapshot_rank(), except for ranks that have ended.
Result<Snapshot> take_snapshot(const FoundRings& found, const std::filesystem::path& output);

}  // namespace meridian
