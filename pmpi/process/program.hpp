// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace meridian {

/// The path of this process's program: of the script, if it is a Python interpreter that runs one; "": unknown. Cold.
void read_program(char* path, std::size_t room) noexcept;

/// The script, or the module of `-m`, in the command line of a Python interpreter: words that each end with a zero. Null: it runs
/// none.
const char* find_script(const char* words, std::size_t bytes) noexcept;

}  // namespace meridian
