// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "trace/model/result.hpp"

namespace meridian::h5 {

/// Rows of a table that cannot be read.
struct DamagedRows {
  std::string table;        ///< "/events/enter"
  std::uint64_t first = 0;  ///< the first row of them
  std::uint64_t count = 0;  ///< rows; 0: all, or their number is not known
  std::string reason;
};

struct FileCheck {
  std::uint64_t tables = 0, chunks = 0, bytes = 0;  ///< read; `bytes` as stored
  std::vector<DamagedRows> damaged;                 ///< in the order of the file
};

/// Reads all tables of an HDF5 file of ours: their structure, whose checksums HDF5 compares, and each chunk, whose checksum (Adler-32) is
/// that of its deflate stream. Rows that follow each other and fail for the same reason are one entry.
///
/// progress  receives the share of the file that has been read, 0 to 1.
/// errors    not_found, io, damaged: the file cannot be opened.
Result<FileCheck> verify_file(const std::filesystem::path& path, const std::function<void(double)>& progress);

}  // namespace meridian::h5
