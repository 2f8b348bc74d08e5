// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace meridian {

/// Reads environment and configuration file into g_session.options; reports errors if `report`.
/// False: MERIDIAN_STRICT is set and there is an error.
bool read_options(bool report) noexcept;

/// Reads a text file into memory that stays for the lifetime of the process. False: it cannot be read.
bool load_file(std::string_view path, std::string_view& text) noexcept;

}  // namespace meridian
