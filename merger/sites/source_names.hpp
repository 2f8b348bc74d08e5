// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace meridian {

/// A symbol as in the source code: C++ demangled, gfortran's "__mod_MOD_name" as "mod::name" and "name_" as "name".
std::string source_name(std::string_view symbol);

/// `path` relative to `folder` unless it is absolute; "." and ".." are removed where that needs no file system.
std::string source_path(std::string_view folder, std::string_view path);

/// Whether a source file belongs to the compiler or the system: its functions only pass a call on.
bool is_library_header(std::string_view path);
/// Whether a source file is a header, by its name.
bool is_header(std::string_view path);

}  // namespace meridian
