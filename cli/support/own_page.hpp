// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "trace/model/result.hpp"

namespace meridian {

/// A kind of page that Meridian writes.
struct OwnPage {
  std::string_view mark;  ///< the first bytes of each
  std::string_view name;  ///< "clock page"
};

/// Writes a page to a temporary file and renames it, so that readers see either the old page or the new one.
/// errors  invalid_argument: the file exists and is no such page; io
Status write_page(const std::filesystem::path& output, const std::string& page, const OwnPage& kind);

}  // namespace meridian
