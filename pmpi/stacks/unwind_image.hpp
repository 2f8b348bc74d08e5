// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Unwind information of the files that this process has loaded.

#include "trace/unwind/unwind_rule.hpp"

namespace meridian {

/// The image of the file that is loaded at `address`. Takes no lock if glibc is 2.35 or newer and the file has the
/// usual layout.
UnwindImage find_unwind_image(std::uintptr_t address) noexcept;

/// The start of the file that is loaded at `address`; 0: none.
std::uintptr_t find_loaded_file(std::uintptr_t address) noexcept;

/// The path of that file as the dynamic linker has it; "": none, or the program itself. Valid while the file is loaded.
const char* find_loaded_name(std::uintptr_t address) noexcept;

/// Finds the image and reads the rule.
[[gnu::cold, gnu::noinline]] UnwindRule find_unwind_rule(std::uintptr_t return_address) noexcept;

}  // namespace meridian
