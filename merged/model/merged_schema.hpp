// SPDX-License-Identifier: Apache-2.0
#pragma once

// Definitions that writer and reader of merged.h5 share: FORMAT.md, "Merged file".

#include <cstdint>
#include <filesystem>

#include "trace/format/tables/column.hpp"
#include "trace/model/result.hpp"

namespace meridian {

inline constexpr int kMergedSchemaVersion = 3;
inline constexpr const char* kMergedSchema = "meridian-merged";

/// Rows of a table per element of an index column. Equals a chunk, so that a block is decompressed once.
inline constexpr std::uint64_t kIndexRows = kColumnChunk;
/// Attribute of the root: number of events between two entries of index/sequence; a multiple of kIndexRows.
inline constexpr const char* kSequenceRows = "sequence_rows";

/// Whether the file is a merged file, of any version.
bool is_merged_file(const std::filesystem::path& path);
/// Ok if it is a merged file of this version. errors: damaged: another kind of file; unsupported: another version.
Status require_merged(hid_t file);

}  // namespace meridian
