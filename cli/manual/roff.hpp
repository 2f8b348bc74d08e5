// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/manual/document.hpp"

namespace meridian {

/// Where a manual page stands: "meridian-merge", 1.
struct PageName {
  std::string name;
  int section = 1;
};

/// A manual page in roff with the macros of man(7). Headings of level 1 and 2 begin sections.
std::string roff(const PageName& page, const Document& document);

}  // namespace meridian
