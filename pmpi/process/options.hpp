// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace meridian {

/// Reads environment and configuration file into g_session.options; reports mistakes if `report`.
/// False: MERIDIAN_STRICT is set and there is a mistake.
bool read_options(bool report) noexcept;

/// Maps a text file for as long as the process lives. False: it cannot be read.
bool map_file(std::string_view path, std::string_view& text) noexcept;

}  // namespace meridian
