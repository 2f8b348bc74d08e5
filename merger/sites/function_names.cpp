// SPDX-License-Identifier: Apache-2.0
#ifdef MERIDIAN_HAS_LIBDW

#include "merger/sites/function_names.hpp"

#include <dwarf.h>

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "merger/sites/source_names.hpp"
#include "trace/model/source_place.hpp"

namespace meridian {
namespace {

constexpr std::string_view kOutlined = ".omp_outlined";  // clang's name of the body of a parallel region
constexpr int kDeepest = 1000;                           // of a file that may be damaged

std::string own_name(Dwarf_Die& entry) {
  const char* const name = dwarf_diename(&entry);
  return name != nullptr ? name : "";
}

/// The demangled name by which the linker knows a function; empty: none is recorded.
std::string linkage_name(Dwarf_Die& function) {
  Dwarf_Attribute attribute;
  for (const unsigned which : {unsigned{DW_AT_linkage_name}, unsigned{DW_AT_MIPS_linkage_name}}) {
    const char* const linkage = dwarf_formstring(dwarf_attr_integrate(&function, which, &attribute));
    if (linkage == nullptr) continue;
    const std::string_view symbol{linkage};
    if (symbol.starts_with("_Z") || symbol.find("_MOD_") != std::string_view::npos) return source_name(symbol);
  }
  return {};
}

/// The entry that is in the function's namespace or class: code refers to it.
Dwarf_Die origin_of(const Dwarf_Die& function) {
  Dwarf_Die origin = function;
  for (int depth = 0; depth < kDeepest; ++depth) {
    Dwarf_Attribute attribute;
    Dwarf_Die next;
    if (dwarf_formref_die(dwarf_attr(&origin, DW_AT_abstract_origin, &attribute), &next) == nullptr &&
        dwarf_formref_die(dwarf_attr(&origin, DW_AT_specification, &attribute), &next) == nullptr)
      break;
    origin = next;
  }
  return origin;
}

bool is_class(int tag) { return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type; }
bool is_scope(int tag) {
  return is_class(tag) || tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_subprogram;
}

bool has_call_operator(Dwarf_Die& entry) {
  Dwarf_Die child;
  if (dwarf_child(&entry, &child) != 0) return false;
  do {
    if (dwarf_tag(&child) == DW_TAG_subprogram && own_name(child).starts_with("operator()")) return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

/// GCC's classes of lambdas have no name, or one such as "<lambda(double)>".
bool is_lambda(Dwarf_Die& entry) {
  if (!is_class(dwarf_tag(&entry))) return false;
  const std::string name = own_name(entry);
  return name.empty() ? has_call_operator(entry) : name.starts_with("<lambda");
}

/// Counts the lambdas within an entry, up to `wanted`.
bool count_until(Dwarf_Die& parent, const Dwarf_Die& wanted, int depth, int& count) {
  Dwarf_Die child;
  if (depth == kDeepest || dwarf_child(&parent, &child) != 0) return false;
  do {
    if (is_lambda(child)) ++count;
    if (child.addr == wanted.addr || count_until(child, wanted, depth + 1, count)) return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

/// "{lambda#2}": the second one within what is around it.
std::string lambda_name(Dwarf_Die& around, const Dwarf_Die& lambda) {
  int count = 0;
  (void)count_until(around, lambda, 0, count);
  return "{lambda#" + std::to_string(count) + "}";
}

std::optional<int> line_of(Dwarf_Die& function) {
  int line = 0;
  return dwarf_decl_line(&function, &line) == 0 ? std::optional{line} : std::nullopt;
}

/// The nearest function before a line of a file, or at that line, among the functions within an entry.
void find_before(Dwarf_Die& parent, const std::string& file, int most, int depth, std::optional<Dwarf_Die>& found) {
  Dwarf_Die child;
  if (depth == kDeepest || dwarf_child(&parent, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_subprogram && !own_name(child).starts_with(kOutlined)) {
      const auto line = line_of(child);
      if (line && *line <= most && declared_file(child) == file && dwarf_hasattr(&child, DW_AT_declaration) == 0 &&
          (!found || *line_of(*found) <= *line))
        found = child;
    } else if (is_scope(tag)) {
      find_before(child, file, most, depth + 1, found);
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

}  // namespace

std::string declared_file(const Dwarf_Die& function) {
  Dwarf_Die origin = origin_of(function), unit;
  Dwarf_Attribute attribute;
  Dwarf_Word number = 0;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  // dwarf_decl_file() takes number 0, which is a file since DWARF 5, for none.
  if (dwarf_formudata(dwarf_attr(&origin, DW_AT_decl_file, &attribute), &number) != 0 ||
      dwarf_diecu(&origin, &unit, nullptr, nullptr) == nullptr || dwarf_getsrcfiles(&unit, &files, &count) != 0 ||
      number >= count)
    return {};
  const char* const file = dwarf_filesrc(files, number, nullptr, nullptr);
  return file != nullptr ? file : "";
}

const std::string& FunctionNames::of(Dwarf_Die& function) {
  const auto [at, is_new] = known_.try_emplace(function.addr);
  if (is_new) {
    std::string name = full_name(function);
    return known_[function.addr] = std::move(name);  // other names may have come meanwhile
  }
  return at->second;
}

std::string FunctionNames::full_name(Dwarf_Die& function) {
  if (std::string linkage = linkage_name(function); !linkage.empty()) return linkage;
  std::string name = own_name(function);
  if (name.empty()) return name;
  Dwarf_Die origin = origin_of(function);
  // clang records only the line of the body of a parallel region; the function around the body begins before that line.
  if (name.starts_with(kOutlined)) {
    const std::string file = declared_file(origin);
    const auto line = line_of(origin);
    Dwarf_Die unit;
    std::optional<Dwarf_Die> around;
    if (!file.empty() && line && dwarf_diecu(&origin, &unit, nullptr, nullptr) != nullptr)
      find_before(unit, file, *line, 0, around);
    return around ? of(*around) + name : name;
  }
  return with_scope(origin, std::move(name));
}

// Once for each unit: to search the entry of each function would take long in large ones.
void FunctionNames::read_scopes(Dwarf_Die& entry, const Dwarf_Die* scope, int depth) {
  Dwarf_Die child;
  if (depth == kDeepest || dwarf_child(&entry, &child) != 0) return;
  do {
    const bool is_one = is_scope(dwarf_tag(&child));
    if (is_one && scope != nullptr) scopes_.emplace(child.addr, *scope);
    read_scopes(child, is_one ? &child : scope, depth + 1);
  } while (dwarf_siblingof(&child, &child) == 0);
}

std::string FunctionNames::with_scope(const Dwarf_Die& origin, std::string name) {
  Dwarf_Die at = origin, unit;
  if (dwarf_diecu(&at, &unit, nullptr, nullptr) == nullptr) return name;
  if (units_.insert(unit.addr).second) read_scopes(unit, nullptr, 0);
  for (int depth = 0; depth < kDeepest; ++depth) {
    const auto found = scopes_.find(at.addr);
    if (found == scopes_.end()) break;
    at = found->second;
    if (dwarf_tag(&at) == DW_TAG_subprogram) {
      const std::string outer = without_parameters(of(at));
      return outer.empty() ? name : outer + "::" + name;
    }
    std::string scope = own_name(at);
    if (is_lambda(at)) {
      const auto around = scopes_.find(at.addr);
      Dwarf_Die within = around == scopes_.end() ? unit : around->second;
      scope = lambda_name(within, at);
    } else if (scope.empty()) {
      scope = dwarf_tag(&at) == DW_TAG_namespace ? "(anonymous namespace)" : "(anonymous class)";
    }
    name = scope + "::" + name;
  }
  return name;
}

}  // namespace meridian

#endif
