// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace meridian {

/// The text with each byte that is not part of valid UTF-8, and each zero byte, replaced by U+FFFD. Readers of other
/// formats reject such texts.
std::string valid_utf8(std::string_view text);

/// For formats of lines without escapes: valid UTF-8 with blanks for control characters, and ' for ".
std::string plain_text(std::string_view text);

/// A JSON string with its quotes.
std::string json_string(std::string_view text);

}  // namespace meridian
