// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace meridian {

/// Copies a text to memory that is never released; empty if there is no memory.
std::string_view keep_text(std::string_view text) noexcept;
/// `bytes` of zeroed memory, aligned to 16; null if there is none.
void* keep_bytes(std::size_t bytes) noexcept;

}  // namespace meridian
