// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elfutils/libdw.h>

#include <string>
#include <unordered_map>
#include <unordered_set>

namespace meridian {

/// The file in which a function is declared, as debug information has it; empty: it is unknown.
std::string declared_file(const Dwarf_Die& function);

/// Names of functions in the debug information of one file, with what they are in: a namespace, class, module or function. The demangled
/// linkage name where it is recorded. GCC records no linkage name of a function that only its own file sees: a static function, a lambda, a
/// function of an anonymous namespace, a procedure that another Fortran procedure contains.
class FunctionNames {
 public:
  /// `function` is a subprogram, or one that was inlined; empty: it has no name.
  const std::string& of(Dwarf_Die& function);

 private:
  std::string full_name(Dwarf_Die& function);
  std::string with_scope(const Dwarf_Die& origin, std::string name);
  void read_scopes(Dwarf_Die& entry, const Dwarf_Die* scope, int depth);

  // By the address of an entry.
  std::unordered_map<const void*, std::string> known_;
  std::unordered_map<const void*, Dwarf_Die> scopes_;  // around a function, class or namespace; none: the unit
  std::unordered_set<const void*> units_;              // whose scopes have been read
};

}  // namespace meridian
