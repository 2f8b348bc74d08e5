// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace meridian {

/// As text in ASCII, with a newline: control characters beyond it (C1, marks of direction) would reach the terminal as
/// they are in the trace. What is no UTF-8 becomes U+FFFD.
template <class Json>
std::string json_text(const Json& json, int indent = 2) {
  return json.dump(indent, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace meridian
