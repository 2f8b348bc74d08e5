// SPDX-License-Identifier: Apache-2.0
#pragma once

// The files of report/page/, which the build puts into the program.

#include <span>
#include <string_view>

namespace meridian {

struct PageFile {
  std::string_view name;
  std::string_view text;
};

std::string_view page_markup();
std::string_view page_style();
/// In the order in which they run.
std::span<const PageFile> page_scripts();

}  // namespace meridian
