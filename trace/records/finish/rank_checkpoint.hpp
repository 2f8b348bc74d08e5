// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "trace/format/chunks/state_archive.hpp"
#include "trace/model/result.hpp"
#include "trace/ring/ring_file.hpp"

namespace meridian {

/// The result of compressing a rank's records so far: the valid bytes of its log of chunks, and the state of decoder
/// and encoder behind them. Renaming this file commits a compression.
struct RankCheckpoint {
  std::uint64_t number = 0;  ///< from 1 on
  std::uint64_t chunk_bytes = 0;
  std::vector<std::uint8_t> state;
};

/// nullopt: there is none. errors: damaged; io; invalid_argument: it belongs to another process than the ring;
/// unsupported: it has another version.
Result<std::optional<RankCheckpoint>> read_checkpoint(const std::filesystem::path& path, const RingFile& ring);

/// The same from the bytes of such a file; `name` is for errors.
Result<RankCheckpoint> parse_checkpoint(std::span<const std::uint8_t> bytes, const RingFile& ring,
                                        const std::string& name);

/// Replaces the previous checkpoint. Not synced to disk. errors: io (the previous one is unchanged).
Status write_checkpoint(const std::filesystem::path& path, const RingFile& ring, const RankCheckpoint& checkpoint);

}  // namespace meridian
