// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/manual/document.hpp"

namespace meridian {

/// The text to print in place of a link to `target` ("CLOCKS.md") with this text.
using LinkText = std::function<std::string(const std::string& target, const std::string& text)>;

/// The blocks of a Markdown text with GitHub's tables. Without libcmark-gfm: the text as it is, in one literal block below
/// its title.
Document read_markdown(std::string_view markdown, const LinkText& link);

}  // namespace meridian
