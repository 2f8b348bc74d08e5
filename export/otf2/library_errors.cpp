// SPDX-License-Identifier: Apache-2.0
#include "export/otf2/library_errors.hpp"

#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace meridian::otf2 {
namespace {

std::string& last_message() {
  static std::string message;
  return message;
}

__attribute__((format(printf, 6, 0))) OTF2_ErrorCode note_error(void*, const char*, std::uint64_t, const char*,
                                                                OTF2_ErrorCode code, const char* format,
                                                                va_list values) {
  std::array<char, 512> text{};
  (void)std::vsnprintf(text.data(), text.size(), format, values);
  last_message() = text.data();
  return code;
}

}  // namespace

void keep_library_errors() { OTF2_Error_RegisterCallback(&note_error, nullptr); }

std::string describe(OTF2_ErrorCode code) {
  std::string words = OTF2_Error_GetDescription(code);
  if (const std::string detail = std::exchange(last_message(), {}); !detail.empty()) words += " (" + detail + ")";
  return words;
}

}  // namespace meridian::otf2
