// SPDX-License-Identifier: Apache-2.0
#include "pmpi/session/unseen.hpp"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "pmpi/libraries/flavor.hpp"
#include "pmpi/libraries/interface.hpp"
#include "pmpi/libraries/real.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/emit.hpp"
#include "pmpi/session/init_calls.hpp"

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
  if (function == nullptr || is_in_tracer(function) || dladdr1(function, &where, &file, RTLD_DL_LINKMAP) == 0 ||
      where.dli_fbase == own_base)
    return nullptr;
  return static_cast<const link_map*>(file);
}

/// Names of functions, behind the path of their file: "PATH: MPI_Send MPI_Recv".
class NamesOfFile {
 public:
  explicit NamesOfFile(const char* path) noexcept : path_{path} {}
  void add(const char* pmpi_name) noexcept {
    const char* const before = length_ == 0 ? path_ : "";
    const int added =
        snprintf(g_text + length_, sizeof g_text - length_, "%s%s %s", before, length_ == 0 ? ":" : "", pmpi_name + 1);
    if (added > 0 && length_ + static_cast<std::size_t>(added) < sizeof g_text)
      length_ += static_cast<std::size_t>(added);
  }
  void store(const char* key) const noexcept {
    if (length_ != 0) emit_text(key, g_text, length_, 0);
  }
  bool is_empty() const noexcept { return length_ == 0; }
  const char* names() const noexcept { return g_text + strlen(path_) + 2; }
  std::size_t names_length() const noexcept { return length_ - strlen(path_) - 2; }

 private:
  static char g_text[kPathBytes + sizeof kNames / sizeof *kNames * 32];  // MPI_Init is called by one thread
  const char* path_;
  std::size_t length_ = 0;
};
char NamesOfFile::g_text[];

void store_calls_of(const link_map& owner, const void* own_base, bool may_speak) noexcept {
  const Imports imports{owner};
  const char* const path = owner.l_name != nullptr && owner.l_name[0] != '\0' ? owner.l_name : nullptr;
  NamesOfFile found{path != nullptr ? path : "the program"};
  for (const char* const name : kNames)
    if (owner_of(name, own_base) == &owner && imports.contain(name)) found.add(name);
  found.store(kUnseenKey);
  if (found.is_empty() || !may_speak) return;
  constexpr std::size_t kMostShown = 200;  // a tool may have hundreds
  const bool is_long = found.names_length() > kMostShown;
  say("calls of these functions are not recorded, because %s%s%s has its own in front of the tracer's: %.*s%s",
      path != nullptr ? "'" : "", path != nullptr ? path : "the program", path != nullptr ? "'" : "",
      static_cast<int>(is_long ? kMostShown : found.names_length()), found.names(), is_long ? "..." : "");
}

/// Whether MPI_Finalize is a function of another file, which does not call the tracer's.
bool is_finalize_hidden(const void* own_base, const void* mpi_base) noexcept {
  const link_map* const owner = owner_of("PMPI_Finalize", own_base);
  return owner != nullptr && reinterpret_cast<const void*>(owner->l_addr) != mpi_base &&
         Imports{*owner}.contain("PMPI_Finalize");
}

/// Called by PMPI_Finalize before all else, because MPI_COMM_SELF is freed first.
int end_before_finalize(MPI_Comm, int, void*, void*) noexcept {
  before_finalize();
  return MPI_SUCCESS;
}
int copy_nothing(MPI_Comm, int, void*, void*, void*, int* flag) noexcept {
  *flag = 0;
  return MPI_SUCCESS;
}
void watch_for_finalize() noexcept {
  int keyval = 0;
  if (g_real.Comm_create_keyval(&copy_nothing, &end_before_finalize, &keyval, nullptr) == MPI_SUCCESS)
    g_real.Comm_set_attr(g_mpi.self, keyval, nullptr);
}

}  // namespace

void store_unseen_calls(bool may_speak) noexcept {
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
    store_calls_of(*owner, own.dli_fbase, may_speak);
  }
  if (is_finalize_hidden(own.dli_fbase, mpi.dli_fbase)) watch_for_finalize();
}

}  // namespace meridian
