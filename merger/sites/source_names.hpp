// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace meridian {

/// A symbol as in the source code: C++ demangled, gfortran's "__mod_MOD_name" as "mod::name" and "name_" as "name".
std::string source_name(std::string_view symbol);

/// `path` relative to `folder` unless it is absolute; "." and ".." are removed where that needs no file system.
std::string source_path(std::string_view folder, std::string_view path);

}  // namespace meridian
