// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace meridian {

/// The path of the program; empty if it cannot be had.
void read_executable(char* path, std::size_t room) noexcept;

/// Creates the ring file in the scratch directory and maps its head. False with the reason said.
bool create_ring() noexcept;

}  // namespace meridian
