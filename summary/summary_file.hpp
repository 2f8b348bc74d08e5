// SPDX-License-Identifier: Apache-2.0
#pragma once

// The summary in the merged file: the group /summary has a group for each table, which has a dataset for each column.
// All columns of a table have the same length.
//
//   pandas.DataFrame({name: column[:] for name, column in file["summary/functions"].items()})

#include <cstdint>
#include <filesystem>

#include "summary/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Stores the summary as group /summary of an HDF5 file that is open for writing (`file` is its hid_t).
Status write_summary(std::int64_t file, const Summary& summary);

/// Reads the group /summary of an open HDF5 file; `path` is for errors: not_found, damaged, unsupported.
Result<Summary> read_summary(std::int64_t file, const std::filesystem::path& path);

}  // namespace meridian
