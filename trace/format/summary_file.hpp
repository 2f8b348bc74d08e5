#pragma once

#include "trace/format/summary.hpp"

namespace meridian {

/// Stores the summary as group /summary of an HDF5 file that is open for writing (`file` is its hid_t).
Status write_summary(std::int64_t file, const Summary& summary);

/// Reads /summary of a merged file. errors: not_found, damaged, unsupported.
Result<Summary> read_summary(const std::filesystem::path& merged);

}  // namespace meridian
