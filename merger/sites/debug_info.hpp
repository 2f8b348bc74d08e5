// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace meridian {

/// The source location of a call; unknown fields are empty or 0.
struct SourcePlace {
  std::string
      function;  ///< innermost, possibly inlined, but not of a header if it was inlined into code outside of headers
  std::string outer;  ///< the function that contains the code, if the innermost was inlined
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

enum class DebugInfo { read, is_other_file, unreadable };

/// Whether this build can read debug information.
bool can_read_debug_info();

/// Finds the source location of each return address in an ELF file. libdw may crash on damaged files: call it in a
/// separate process.
///
/// descriptor  of the file `path`; closed by this function.
/// build_id    the expected one, in hex; empty: not compared.
/// offsets     return addresses as in the file's own headers.
/// take        receives one location for each offset, in order.
DebugInfo read_places(int descriptor, const std::string& path, const std::string& build_id,
                      const std::vector<std::uint64_t>& offsets, const std::function<void(const SourcePlace&)>& take);

}  // namespace meridian
