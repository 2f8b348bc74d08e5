// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// Keys of the texts of rank files that were made from another tool's trace: the program that wrote it, whose clocks are only
/// taken to be one on each host; "COUNT what" of records that were left out; and "COUNT messages" whose other side that
/// program did not record.
inline constexpr const char* kImportedKey = "import.creator";
inline constexpr const char* kImportLeftOutKey = "import.left_out";
inline constexpr const char* kImportOneSidedKey = "import.one_sided";

/// What imported traces have instead of the name of an MPI library.
inline constexpr const char* kImportedLibrary = "unknown: an imported trace";

}  // namespace meridian
