// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace meridian {

/// Serialises to ASCII text with a newline: other control characters (C1, direction marks) would reach the terminal
/// unescaped. Invalid UTF-8 becomes U+FFFD.
template <class Json>
std::string json_text(const Json& json, int indent = 2) {
  return json.dump(indent, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace meridian
