// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace meridian {

// The text of a place in a program, from the names and paths of debug information and symbols.

/// Without what compilers append to the names of parts and copies of a function: "step.constprop.0" is "step", "step._omp_fn.0"
/// is "step (parallel region)".
std::string without_copy_marks(std::string name);
/// Without parameters, return type and qualifiers: "int ns::sum<int>(int) const" is "ns::sum<int>".
std::string without_parameters(std::string_view name);
/// The same name with its template arguments left out where it is longer than `most` characters, and its parameters where it still is.
std::string shorten_templates(std::string_view name, std::size_t most);

/// Whether a source file is a header, by its name.
bool is_header(std::string_view file);
/// Whether a source file belongs to the compiler or the system.
bool is_system_header(std::string_view file);

/// Where code is; unknown parts are empty or 0.
struct CodePlace {
  std::string_view function, file;
  std::uint32_t line;
  std::string_view module;  ///< loaded file
  std::uint64_t offset;     ///< in the module
};
/// "halo.c:120"; without a line "halo+0x1234"; without a module "0x1234"; empty: nothing is known.
std::string line_text(const CodePlace& place);
/// With the function, if it is known: "exchange, halo.c:120".
std::string place_text(const CodePlace& place);

}  // namespace meridian
