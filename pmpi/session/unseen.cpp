// SPDX-License-Identifier: Apache-2.0
#include "pmpi/session/unseen.hpp"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "pmpi/libraries/real.hpp"
#include "pmpi/rings/emit.hpp"

namespace meridian {
namespace {

constexpr const char* kNames[] = {
#define MERIDIAN_CALL_AS(type, name, group, params, args, recorded) MERIDIAN_IF(MERIDIAN_HAS_##name, "PMPI_" #name, )
#include "trace/model/mpi_calls.def"
};

/// The functions that a loaded file imports.
class Imports {
 public:
  explicit Imports(const link_map& file) noexcept {
    for (const ElfW(Dyn)* at = file.l_ld; at->d_tag != DT_NULL; ++at) {
      if (at->d_tag == DT_STRTAB) names_ = reinterpret_cast<const char*>(at->d_un.d_ptr);
      if (at->d_tag == DT_SYMTAB) symbols_ = reinterpret_cast<const ElfW(Sym)*>(at->d_un.d_ptr);
      if (at->d_tag == DT_JMPREL) tables_[0].rows = reinterpret_cast<const ElfW(Rela)*>(at->d_un.d_ptr);
      if (at->d_tag == DT_PLTRELSZ) tables_[0].count = at->d_un.d_val / sizeof(ElfW(Rela));
      if (at->d_tag == DT_RELA) tables_[1].rows = reinterpret_cast<const ElfW(Rela)*>(at->d_un.d_ptr);
      if (at->d_tag == DT_RELASZ) tables_[1].count = at->d_un.d_val / sizeof(ElfW(Rela));
    }
  }
  bool contain(const char* name) const noexcept {
    if (names_ == nullptr || symbols_ == nullptr) return false;
    for (const Table& table : tables_)
      for (std::size_t i = 0; table.rows != nullptr && i < table.count; ++i) {
        const ElfW(Sym)& symbol = symbols_[ELF64_R_SYM(table.rows[i].r_info)];
        if (symbol.st_shndx == SHN_UNDEF && strcmp(names_ + symbol.st_name, name) == 0) return true;
      }
    return false;
  }

 private:
  struct Table {
    const ElfW(Rela) * rows = nullptr;
    std::size_t count = 0;
  };
  const char* names_ = nullptr;
  const ElfW(Sym) * symbols_ = nullptr;
  Table tables_[2];  // of the procedure linkage table, and others
};

/// The file with the definition that calls of MPI_<name> reach; null: the tracer's, or it is unknown.
const link_map* owner_of(const char* pmpi_name, const void* own_base) noexcept {
  void* const function = dlsym(RTLD_DEFAULT, pmpi_name + 1);
  Dl_info where{};
  void* file = nullptr;
  if (function == nullptr || dladdr1(function, &where, &file, RTLD_DL_LINKMAP) == 0 || where.dli_fbase == own_base)
    return nullptr;
  return static_cast<const link_map*>(file);
}

/// Stores "PATH: MPI_Send MPI_Recv" for one file.
void store_calls_of(const link_map& owner, const void* own_base) noexcept {
  static char text[kPathBytes + sizeof kNames / sizeof *kNames * 32];
  const Imports imports{owner};
  const char* const path = owner.l_name != nullptr && owner.l_name[0] != '\0' ? owner.l_name : "the program";
  std::size_t length = 0;
  for (const char* const name : kNames) {
    if (owner_of(name, own_base) != &owner || !imports.contain(name)) continue;
    const char* const before = length == 0 ? path : "";
    const int added =
        snprintf(text + length, sizeof text - length, "%s%s %s", before, length == 0 ? ":" : "", name + 1);
    if (added < 0 || length + static_cast<std::size_t>(added) >= sizeof text) break;
    length += static_cast<std::size_t>(added);
  }
  if (length != 0) emit_text(kUnseenKey, text, length, 0);
}

}  // namespace

void store_unseen_calls() noexcept {
  constexpr std::size_t kMostOwners = 8;
  const link_map* owners[kMostOwners] = {};
  std::size_t count = 0;
  Dl_info own{};
  Dl_info mpi{};
  if (dladdr(reinterpret_cast<const void*>(&store_unseen_calls), &own) == 0) return;
  if (dladdr(reinterpret_cast<const void*>(g_real.Init), &mpi) == 0) return;
  for (const char* const name : kNames) {
    const link_map* const owner = owner_of(name, own.dli_fbase);
    bool is_known = owner == nullptr || reinterpret_cast<const void*>(owner->l_addr) == mpi.dli_fbase;
    for (std::size_t i = 0; i < count && !is_known; ++i) is_known = owners[i] == owner;
    if (is_known || count == kMostOwners) continue;
    owners[count++] = owner;
    store_calls_of(*owner, own.dli_fbase);
  }
}

}  // namespace meridian
