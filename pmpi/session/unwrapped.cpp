// SPDX-License-Identifier: Apache-2.0
#include "pmpi/session/unwrapped.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <cstddef>
#include <cstdint>

#include "pmpi/libraries/library_objects.hpp"
#include "pmpi/libraries/real.hpp"
#include "pmpi/rings/emit.hpp"
#include "trace/model/unwrapped_keys.hpp"

namespace meridian {
namespace {

/// All rows of the table, also those without a wrapper in this build.
constexpr const char* kTable[] = {
#define MERIDIAN_CALL_AS(type, name, group, params, args, recorded) "MPI_" #name,
#include "trace/model/mpi_calls.def"
};
constexpr std::size_t kStemBytes = 64;
constexpr std::size_t kTextBytes = 32 * 1024;  // further names are left out

struct Names {
  char text[kTextBytes];
  std::size_t length = 0;

  void begin(const char* owner) noexcept {
    const int bytes = snprintf(text, sizeof text, "%s: ", owner);
    length = bytes > 0 && static_cast<std::size_t>(bytes) < sizeof text ? static_cast<std::size_t>(bytes) : 0;
  }
  void add(const char* name) noexcept {
    const int bytes = snprintf(text + length, sizeof text - length, "%s ", name);
    if (bytes > 0 && length + static_cast<std::size_t>(bytes) < sizeof text) length += static_cast<std::size_t>(bytes);
  }
  void store(const char* key) noexcept {
    const std::size_t spaces = length != 0 && text[length - 1] == ' ' && text[length - 2] != ':' ? 1 : 0;
    emit_text(key, text, length - spaces, 0);
  }
};

/// The dynamic section of a loaded file.
struct Object {
  explicit Object(const dl_phdr_info& info) noexcept : base{info.dlpi_addr} {
    const ElfW(Dyn)* at = nullptr;
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      const ElfW(Phdr)& part = info.dlpi_phdr[i];
      const std::uintptr_t place = base + part.p_vaddr;
      if (part.p_type == PT_DYNAMIC) at = reinterpret_cast<const ElfW(Dyn)*>(place);
      if (part.p_type != PT_LOAD) continue;
      begin = place < begin ? place : begin;
      end = place + part.p_memsz > end ? place + part.p_memsz : end;
    }
    for (; at != nullptr && at->d_tag != DT_NULL; ++at) {
      const auto place = at->d_un.d_ptr;
      if (at->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(place);
      if (at->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(place);
      if (at->d_tag == DT_JMPREL) tables[0].rows = reinterpret_cast<const ElfW(Rela)*>(place);
      if (at->d_tag == DT_PLTRELSZ) tables[0].count = at->d_un.d_val / sizeof(ElfW(Rela));
      if (at->d_tag == DT_RELA) tables[1].rows = reinterpret_cast<const ElfW(Rela)*>(place);
      if (at->d_tag == DT_RELASZ) tables[1].count = at->d_un.d_val / sizeof(ElfW(Rela));
      if (at->d_tag == DT_GNU_HASH) gnu_hash = reinterpret_cast<const std::uint32_t*>(place);
      if (at->d_tag == DT_HASH) hash = reinterpret_cast<const std::uint32_t*>(place);
    }
  }

  bool holds(const void* address) const noexcept {
    const auto place = reinterpret_cast<std::uintptr_t>(address);
    return place >= begin && place < end;
  }
  /// The number of symbols; those from first_defined() on are in the hash table.
  std::size_t symbol_count() const noexcept {
    if (hash != nullptr) return hash[1];
    if (gnu_hash == nullptr) return 0;
    const std::uint32_t buckets = gnu_hash[0];
    const std::uint32_t first = gnu_hash[1];
    const std::uint32_t* const bucket = gnu_hash + 4 + gnu_hash[2] * (sizeof(ElfW(Addr)) / sizeof(std::uint32_t));
    const std::uint32_t* const chain = bucket + buckets;
    std::uint32_t last = 0;
    for (std::uint32_t i = 0; i < buckets; ++i) last = bucket[i] > last ? bucket[i] : last;
    if (last < first) return first;
    while ((chain[last - first] & 1) == 0) ++last;
    return last + 1;
  }
  /// Whether the file may import an MPI function: the undefined symbols come before those of the hash table.
  bool may_import_mpi() const noexcept {
    const std::size_t count = gnu_hash != nullptr ? gnu_hash[1] : symbol_count();
    for (std::size_t i = 1; i < count; ++i)
      if (symbols[i].st_shndx == SHN_UNDEF && strncasecmp(names + symbols[i].st_name, "mpi_", 4) == 0) return true;
    return false;
  }

  struct Table {
    const ElfW(Rela) * rows = nullptr;
    std::size_t count = 0;
  };
  std::uintptr_t base;
  std::uintptr_t begin = UINTPTR_MAX;
  std::uintptr_t end = 0;
  const char* names = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const std::uint32_t* gnu_hash = nullptr;
  const std::uint32_t* hash = nullptr;
  Table tables[2];  // of the procedure linkage table, and others
};

/// Finds the row of the table that a symbol is about: MPI_Send for MPI_Send, mpi_send_, MPI_SEND, mpi_send_f08_,
/// mpi_send_f08ts_; MPI_Send_c for mpi_send_f08ts_large_. Null: none.
const char* row_of(const char* symbol) noexcept {
  char stem[kStemBytes];
  std::size_t length = strnlen(symbol, sizeof stem);
  if (length == sizeof stem) return nullptr;
  memcpy(stem, symbol, length + 1);
  const auto drop = [&](const char* suffix) {
    const std::size_t bytes = strlen(suffix);
    if (length <= bytes || strcmp(stem + length - bytes, suffix) != 0) return false;
    stem[length -= bytes] = '\0';
    return true;
  };
  if (strncmp(symbol, "MPI_", 4) != 0 || symbol[4] == '\0') {
    while (drop("_")) continue;
    const bool is_large = drop("_large");
    static_cast<void>(drop("_f08") || drop("_f08ts"));
    if (is_large) {
      if (length + 3 > sizeof stem) return nullptr;
      memcpy(stem + length, "_c", 3);
    }
  }
  for (const char* const name : kTable)
    if (strcasecmp(name, stem) == 0) return name;
  return nullptr;
}

/// MPIX_Allreduce_init: a library's extension that the standard took over later. What other extensions do is unknown.
bool is_early_form(const char* symbol) noexcept {
  if (strncmp(symbol, "MPIX_", 5) != 0) return false;
  for (const char* const name : kTable)
    if (strcmp(name + strlen("MPI_"), symbol + strlen("MPIX_")) == 0) return true;
  return false;
}

/// A function that the file imports and the tracer lacks; null if this one is not.
const char* unwrapped_name(const char* symbol, void* tracer) noexcept {
  if (is_early_form(symbol)) return is_in_library(dlsym(RTLD_DEFAULT, symbol)) ? symbol : nullptr;
  if (strncasecmp(symbol, "mpi_", 4) != 0 || dlsym(tracer, symbol) != nullptr) return nullptr;
  const char* const row = row_of(symbol);
  if (row != nullptr) return row;
  // A function of a later standard. Others of such a name are the program's own.
  const bool is_c = strncmp(symbol, "MPI_", 4) == 0;
  return is_c && is_in_library(dlsym(RTLD_DEFAULT, symbol)) ? symbol : nullptr;
}

struct SymbolSearch {
  LookAt when = LookAt::start;
  void* tracer = nullptr;
  const void* inside = nullptr;  ///< an address in the tracer
};
Names g_names;  // too large for a stack; MPI_Init and MPI_Finalize are called by one thread

void store_imports(const Object& object, const char* path, const SymbolSearch& search) noexcept {
  g_names.begin(path[0] != '\0' ? path : "the program");
  const std::size_t head = g_names.length;
  bool is_any = false;
  const char* last = nullptr;
  for (std::size_t table = 0; table < 2; ++table)
    for (std::size_t i = 0; i < object.tables[table].count && object.tables[table].rows != nullptr; ++i) {
      const ElfW(Rela)& row = object.tables[table].rows[i];
      const std::size_t index = ELF64_R_SYM(row.r_info);
      if (index == 0 || object.symbols[index].st_shndx != SHN_UNDEF) continue;
      const char* const name = unwrapped_name(object.names + object.symbols[index].st_name, search.tracer);
      if (name == nullptr || name == last) continue;
      is_any = true;
      // Until its first call, a function that is bound lazily leads back into its own file.
      const void* const target = *reinterpret_cast<const void* const*>(object.base + row.r_offset);
      if (search.when == LookAt::end && table == 0 && object.holds(target)) continue;
      last = name;
      g_names.add(name);
    }
  if (is_any && head != 0) g_names.store(kUnwrappedKey);
}

void store_exports(const Object& object, const char* path, const SymbolSearch& search) noexcept {
  g_names.begin(path[0] != '\0' ? path : "the program");
  const std::size_t head = g_names.length;
  const std::size_t count = object.symbol_count();
  for (std::size_t i = 1; i < count; ++i) {
    const ElfW(Sym)& symbol = object.symbols[i];
    const char* const name = object.names + symbol.st_name;
    if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
    if (strncmp(name, "MPI_", 4) == 0 && dlsym(search.tracer, name) == nullptr) g_names.add(name);
  }
  if (g_names.length != head) g_names.store(kExportedKey);
}

/// The loaded files. They are looked at after dl_iterate_phdr(), because the dynamic linker's functions must not be called while it
/// holds its lock; each is kept loaded meanwhile.
struct Loaded {
  dl_phdr_info files[512];  // further ones are left out
  std::size_t count = 0;
  char paths[64 * 1024];
  std::size_t used = 0;
};
Loaded g_loaded;

int keep_loaded(dl_phdr_info* info, std::size_t, void*) noexcept {
  const char* const path = info->dlpi_name != nullptr ? info->dlpi_name : "";
  const std::size_t bytes = strlen(path) + 1;
  if (path[0] != '\0' && strchr(path, '/') == nullptr) return 0;  // provided by the kernel
  if (g_loaded.count == sizeof g_loaded.files / sizeof *g_loaded.files || bytes > sizeof g_loaded.paths - g_loaded.used)
    return 1;
  char* const kept = g_loaded.paths + g_loaded.used;
  memcpy(kept, path, bytes);
  g_loaded.used += bytes;
  g_loaded.files[g_loaded.count] = *info;
  g_loaded.files[g_loaded.count++].dlpi_name = kept;
  return 0;
}

void look_at(const dl_phdr_info& info, const SymbolSearch& search) noexcept {
  const char* const path = info.dlpi_name;
  const Object object{info};
  if (object.names == nullptr || object.symbols == nullptr || object.holds(search.inside)) return;
  const bool is_mpi = object.holds(reinterpret_cast<const void*>(g_real.Init));
  if (is_mpi && search.when == LookAt::start) store_exports(object, path, search);
  if (is_mpi || is_in_library(reinterpret_cast<const void*>(object.begin))) return;
  if (path[0] == '\0' || object.may_import_mpi()) store_imports(object, path, search);
}

}  // namespace

void store_unwrapped_calls(LookAt when) noexcept {
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&store_unwrapped_calls), &own) == 0 || own.dli_fname == nullptr) return;
  SymbolSearch search{when, dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD), own.dli_fbase};
  if (search.tracer == nullptr) return;
  g_loaded.count = g_loaded.used = 0;
  dl_iterate_phdr(&keep_loaded, nullptr);
  for (std::size_t i = 0; i < g_loaded.count; ++i) {
    const dl_phdr_info& file = g_loaded.files[i];
    const bool is_program = file.dlpi_name[0] == '\0';
    void* const handle = is_program ? nullptr : dlopen(file.dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!is_program && handle == nullptr) continue;  // unloaded since then
    look_at(file, search);
    if (handle != nullptr) dlclose(handle);
  }
  dlclose(search.tracer);
}

}  // namespace meridian
