// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace meridian {

/// The source location of a call; unknown fields are empty or 0.
struct SourcePlace {
  std::string function;  ///< innermost, so an inlined one if there is one
  std::string outer;     ///< the function that the code is in, if the innermost was inlined
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

enum class DebugInfo { read, is_other_file, unreadable };

/// Whether this build can read debug information at all.
bool can_read_debug_info();

/// Looks up the source location of each return address in an ELF file. libdw may crash on damaged files: call it in a
/// process of its own.
///
/// descriptor  of the file, which `path` names; closed.
/// build_id    in hex, as the file must have it; empty: not compared.
/// offsets     return addresses as in the file's own headers.
/// take        gets one place for each, in order.
DebugInfo read_places(int descriptor, const std::string& path, const std::string& build_id,
                      const std::vector<std::uint64_t>& offsets, const std::function<void(const SourcePlace&)>& take);

}  // namespace meridian
