// SPDX-License-Identifier: Apache-2.0
#include "merger/sites/debug_info.hpp"

#include <unistd.h>

#ifdef MERIDIAN_HAS_LIBDW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "merger/sites/function_names.hpp"
#include "merger/sites/source_names.hpp"
#include "trace/model/source_place.hpp"

namespace meridian {
namespace {

struct EndDwfl {
  void operator()(Dwfl* session) const { dwfl_end(session); }
};

std::string hex(const void* bytes, std::size_t count) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned byte = static_cast<const unsigned char*>(bytes)[i];
    text += kDigits[byte / 16];
    text += kDigits[byte % 16];
  }
  return text;
}

class DebugModule {
 public:
  explicit DebugModule(Dwfl_Module* module) : module_{module} {}

  SourcePlace place(Dwarf_Addr address) {
    SourcePlace place;
    Dwarf_Addr bias = 0;
    if (Dwarf_Die* const unit = unit_of(address, bias)) {
      find_line(*unit, address - bias, place);
      find_functions(*unit, address - bias, place);
    }
    if (place.function.empty()) {
      GElf_Off offset = 0;
      GElf_Sym symbol;
      GElf_Word section = 0;
      Elf* elf = nullptr;
      const char* const name = dwfl_module_addrinfo(module_, address, &offset, &symbol, &section, &elf, nullptr);
      if (name != nullptr && is_symbol_of(symbol, offset, section, elf)) {
        place.function = source_name(name);
        // Of an object such as an array of locks, the element.
        if (GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && offset != 0) place.function += "+" + std::to_string(offset);
      }
    }
    return place;
  }

 private:
  /// Whether a symbol that begins `offset` bytes before an address is its name: a function, or an object that contains it.
  /// The linker's marks, such as __bss_start, name nothing.
  static bool is_symbol_of(const GElf_Sym& symbol, GElf_Off offset, GElf_Word section, Elf* elf) {
    const int type = GELF_ST_TYPE(symbol.st_info);
    if (type == STT_OBJECT || type == STT_COMMON) return offset < symbol.st_size;
    if (type != STT_NOTYPE) return type == STT_FUNC || type == STT_GNU_IFUNC;
    GElf_Shdr header;
    Elf_Scn* const part = elf != nullptr && section != SHN_UNDEF ? elf_getscn(elf, section) : nullptr;
    return part != nullptr && gelf_getshdr(part, &header) != nullptr && (header.sh_flags & SHF_EXECINSTR) != 0;
  }

  /// The compilation unit that contains this code. Without an index of addresses (clang writes none) all units are
  /// searched.
  Dwarf_Die* unit_of(Dwarf_Addr address, Dwarf_Addr& bias) {
    if (Dwarf_Die* const unit = dwfl_module_addrdie(module_, address, &bias)) return unit;
    for (Dwarf_Die* unit = dwfl_module_nextcu(module_, nullptr, &bias); unit != nullptr;
         unit = dwfl_module_nextcu(module_, unit, &bias))
      if (dwarf_haspc(unit, address - bias) > 0) return unit;
    return nullptr;
  }

  /// Whether functions may be defined in it. clang describes those of a namespace there, which dwarf_getscopes() overlooks.
  static bool may_hold_functions(int tag) {
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
           tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
  }

  /// Appends the blocks and functions that contain this code, the innermost one last. False, and no change, if there is none.
  static bool find_scopes(Dwarf_Die& parent, Dwarf_Addr address, int depth, std::vector<Dwarf_Die>& scopes) {
    constexpr int kDeepest = 1000;  // of a file that may be damaged
    Dwarf_Die child;
    if (depth == kDeepest || dwarf_child(&parent, &child) != 0) return false;
    do {
      if (may_hold_functions(dwarf_tag(&child))) {
        if (find_scopes(child, address, depth + 1, scopes)) return true;
      } else if (dwarf_haspc(&child, address) > 0) {
        scopes.push_back(child);
        find_scopes(child, address, depth + 1, scopes);
        return true;
      }
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
  }

  /// The place of the innermost function outside of headers, among the function with this code and those that are inlined there;
  /// without one, of the innermost outside of the system's headers; without that, of the outermost.
  void find_functions(Dwarf_Die& unit, Dwarf_Addr address, SourcePlace& place) {
    std::vector<Dwarf_Die> scopes;
    find_scopes(unit, address, 0, scopes);
    std::erase_if(scopes, [](Dwarf_Die& scope) {
      const int tag = dwarf_tag(&scope);
      return tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine;
    });
    if (scopes.empty()) return;
    std::vector<SourcePlace> places;  // of each scope, the innermost one first; less if one of the calls is unknown
    for (SourcePlace at = place; places.size() < scopes.size();) {
      Dwarf_Die& scope = scopes[scopes.size() - 1 - places.size()];
      places.push_back(at);
      put_own_file(unit, scope, places.back());
      if (dwarf_tag(&scope) == DW_TAG_subprogram || !find_call(unit, scope, at)) break;
    }
    auto chosen = std::ranges::find_if(
        places, [](const SourcePlace& each) { return !is_header(each.file) && !is_system_header(each.file); });
    if (chosen == places.end())
      chosen = std::ranges::find_if(places, [](const SourcePlace& each) { return !is_system_header(each.file); });
    if (chosen == places.end()) --chosen;
    place = *chosen;
    place.function = names_.of(scopes[scopes.size() - 1 - static_cast<std::size_t>(chosen - places.begin())]);
    if (std::next(chosen) != places.end()) place.outer = names_.of(scopes.front());
  }

  /// Code without a line, and code that a function has from a header without a scope of its own, is of the function's file.
  static void put_own_file(Dwarf_Die& unit, Dwarf_Die& function, SourcePlace& place) {
    if (!place.file.empty() && !is_header(place.file) && !is_system_header(place.file)) return;
    const std::string declared = declared_file(function);
    if (declared.empty()) return;
    std::string file = source_path(folder_of(unit), declared);
    if (file == place.file || (!place.file.empty() && (is_header(file) || is_system_header(file)))) return;
    place.file = std::move(file);
    place.line = place.column = 0;
  }

  static std::string folder_of(Dwarf_Die& unit) {
    Dwarf_Attribute attribute;
    const char* const folder = dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &attribute));
    return folder != nullptr ? folder : "";
  }

  static std::uint32_t number_of(Dwarf_Die& die, unsigned which) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    return dwarf_formudata(dwarf_attr(&die, which, &attribute), &value) == 0 ? static_cast<std::uint32_t>(value) : 0;
  }

  /// Where an inlined function is called. False, and no change, if that is unknown.
  static bool find_call(Dwarf_Die& unit, Dwarf_Die& inlined, SourcePlace& place) {
    const std::uint32_t line = number_of(inlined, DW_AT_call_line), number = number_of(inlined, DW_AT_call_file);
    Dwarf_Files* files = nullptr;
    std::size_t count = 0;
    if (line == 0 || dwarf_getsrcfiles(&unit, &files, &count) != 0 || number >= count) return false;
    const char* const file = dwarf_filesrc(files, number, nullptr, nullptr);
    if (file == nullptr) return false;
    place.file = source_path(folder_of(unit), file);
    place.line = line;
    place.column = number_of(inlined, DW_AT_call_column);
    return true;
  }

  static void find_line(Dwarf_Die& unit, Dwarf_Addr address, SourcePlace& place) {
    Dwarf_Line* const line = dwarf_getsrc_die(&unit, address);
    const char* const file = line != nullptr ? dwarf_linesrc(line, nullptr, nullptr) : nullptr;
    int number = 0;
    if (file == nullptr || dwarf_lineno(line, &number) != 0 || number <= 0) return;
    place.file = source_path(folder_of(unit), file);
    place.line = static_cast<std::uint32_t>(number);
    if (dwarf_linecol(line, &number) == 0 && number > 0) place.column = static_cast<std::uint32_t>(number);
  }

  Dwfl_Module* module_;
  FunctionNames names_;
};

/// Checks that the file is a program or library, and the one that ran.
DebugInfo check_file(Dwfl_Module* module, const std::string& build_id) {
  GElf_Addr bias = 0;
  Elf* const elf = dwfl_module_getelf(module, &bias);
  GElf_Ehdr header;
  if (elf == nullptr || gelf_getehdr(elf, &header) == nullptr || (header.e_type != ET_EXEC && header.e_type != ET_DYN))
    return DebugInfo::unreadable;
  if (build_id.empty()) return DebugInfo::read;
  const void* bytes = nullptr;
  const ssize_t count = dwelf_elf_gnu_build_id(elf, &bytes);
  return count > 0 && hex(bytes, static_cast<std::size_t>(count)) == build_id ? DebugInfo::read
                                                                              : DebugInfo::is_other_file;
}

}  // namespace

bool can_read_debug_info() { return true; }

DebugInfo read_places(int descriptor, const std::string& path, const std::string& build_id,
                      const std::vector<std::uint64_t>& offsets, const std::function<void(const SourcePlace&)>& take) {
  ::unsetenv("DEBUGINFOD_URLS");  // libdw would contact servers
  Dwfl_Callbacks callbacks{};
  callbacks.find_elf = dwfl_build_id_find_elf;
  callbacks.find_debuginfo = dwfl_standard_find_debuginfo;
  callbacks.section_address = dwfl_offline_section_address;
  const std::unique_ptr<Dwfl, EndDwfl> session{dwfl_begin(&callbacks)};
  dwfl_report_begin(session.get());
  Dwfl_Module* const module = dwfl_report_elf(session.get(), path.c_str(), path.c_str(), descriptor, 0, true);
  if (module == nullptr) {
    ::close(descriptor);
    return DebugInfo::unreadable;
  }
  dwfl_report_end(session.get(), nullptr, nullptr);
  const DebugInfo found = check_file(module, build_id);
  if (found != DebugInfo::read) return found;
  DebugModule places{module};
  // The call instruction is before its return address.
  for (const std::uint64_t offset : offsets) take(places.place(offset - 1));
  return DebugInfo::read;
}

}  // namespace meridian

#else

namespace meridian {

bool can_read_debug_info() { return false; }

DebugInfo read_places(int descriptor, const std::string&, const std::string&, const std::vector<std::uint64_t>&,
                      const std::function<void(const SourcePlace&)>&) {
  ::close(descriptor);
  return DebugInfo::unreadable;
}

}  // namespace meridian

#endif
