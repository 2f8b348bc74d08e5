// SPDX-License-Identifier: Apache-2.0
#pragma once

// The documents of docs/ and the descriptions of the formats, built in: topics of `meridian help`, manual pages.

#include <span>
#include <string>
#include <string_view>

#include "cli/manual/document.hpp"
#include "cli/manual/markdown.hpp"
#include "cli/manual/roff.hpp"

namespace meridian {

struct Topic {
  std::string_view name;  ///< "clock-cases" for docs/CLOCK_CASES.md
  std::string_view file;  ///< as links name it: "CLOCK_CASES.md"; of a format its path, "merged/FORMAT.md"
  std::string_view markdown;
};

/// In the order of their names. Made by the build from the documents.
std::span<const Topic> topics();

/// nullptr if there is none of this name.
const Topic* find_topic(std::string_view name);

/// The first line of the document.
std::string title_of(const Topic& topic);

/// Its manual page: section 5 for files, 7 for all others.
PageName page_of(const Topic& topic);

/// Its text; links to other topics name `meridian help`, or their manual pages.
Document terminal_document(const Topic& topic);
Document manual_document(const Topic& topic);

}  // namespace meridian
