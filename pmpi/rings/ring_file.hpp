// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace meridian {

/// The path of the program; empty if unknown.
void read_executable(char* path, std::size_t room) noexcept;

/// Creates the ring file in the scratch directory and maps its head. False with the reason printed.
bool create_ring() noexcept;

}  // namespace meridian
