// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "live/rings.hpp"
#include "trace/model/result.hpp"

namespace meridian {

struct Snapshot {
  std::size_t ranks = 0;  ///< whose rank files were made; 0: all of them had ended, and `output` is removed
  std::uint64_t events = 0;
};

/// Makes the rank files of a running program's ranks below `output`, which is made where it is missing, with every call
/// that has returned so far. The program goes on.
/// errors  io: `output` cannot be made; those of snapshot_rank() but for ranks that have ended.
Result<Snapshot> take_snapshot(const FoundRings& found, const std::filesystem::path& output);

}  // namespace meridian
