// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace meridian {

/// Reads the beginning of a file, adds a terminating zero and returns the length; 0 if there is no file. Cold.
std::size_t read_beginning(const char* path, char* text, std::size_t room) noexcept;

}  // namespace meridian
