// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>

#include "trace/format/rank/rank_file.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Chooses how much of each rank is in memory while all of them are replayed: the more threads, the smaller the pieces in
/// which their segments are read; with very many ranks, decoded columns are in an unnamed file in `directory`.
///
/// errors  io: the file cannot be made.
Status bound_memory(std::span<RankFile> files, const std::filesystem::path& directory);

}  // namespace meridian
