// SPDX-License-Identifier: Apache-2.0
// The files that are loaded and their addresses: a return address has a meaning only with these data.

#include "pmpi/stacks/modules.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pmpi/libraries/real.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/emit.hpp"
#include "trace/model/module_key.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMaxKnown = 4096;     // further ones are stored again, which does no harm
constexpr std::size_t kIdentityBytes = 96;  // as text
constexpr std::size_t kMaxBuildId = 40;     // bytes that are kept

std::uint64_t g_known[kMaxKnown];  // Module::known() of the stored modules
std::size_t g_known_count = 0;

struct Module {
  std::uintptr_t begin = UINTPTR_MAX;
  std::uintptr_t end = 0;
  bool is_code = false;
  char identity[kIdentityBytes] = "-";
  char path[PATH_MAX] = {};
  bool holds(std::uintptr_t address) const noexcept { return address >= begin && address < end; }
  /// Another file may have been loaded at the same place before: FNV-1a of the path.
  std::uint64_t known() const noexcept {
    std::uint64_t hash = 0xcbf29ce484222325 ^ begin;
    for (const char* c = path; *c != '\0'; ++c) hash = (hash ^ static_cast<unsigned char>(*c)) * 0x100000001b3;
    return hash;
  }
};

bool is_known(std::uint64_t known) noexcept {
  for (std::size_t i = 0; i < g_known_count; ++i)
    if (g_known[i] == known) return true;
  return false;
}

void find_range(const dl_phdr_info& object, Module& module) noexcept {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
    if (begin < module.begin) module.begin = begin;
    if (begin + segment.p_memsz > module.end) module.end = begin + segment.p_memsz;
    if ((segment.p_flags & PF_X) != 0) module.is_code = true;
  }
}

/// Reads the build id from the notes of one segment.
bool read_build_id(const char* notes, std::size_t bytes, std::size_t align, Module& module) noexcept {
  while (bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    memcpy(&note, notes, sizeof note);
    const std::size_t name_bytes = (note.n_namesz + align - 1) & ~(align - 1);
    const std::size_t whole = sizeof note + name_bytes + ((note.n_descsz + align - 1) & ~(align - 1));
    if (note.n_namesz > bytes || note.n_descsz > bytes || whole > bytes) return false;
    const bool is_gnu = note.n_namesz == 4 && memcmp(notes + sizeof note, "GNU", 4) == 0;
    if (is_gnu && note.n_type == NT_GNU_BUILD_ID && note.n_descsz != 0 && note.n_descsz <= kMaxBuildId) {
      const auto* const id = reinterpret_cast<const unsigned char*>(notes + sizeof note + name_bytes);
      for (std::size_t i = 0; i < note.n_descsz; ++i) snprintf(module.identity + 2 * i, 3, "%02x", id[i]);
      return true;
    }
    notes += whole;
    bytes -= whole;
  }
  return false;
}

/// Without a build id, size and time of the file determine whether it is still the one that ran.
void identify(const dl_phdr_info& object, Module& module) noexcept {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    const std::uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_NOTE || !module.holds(begin) || segment.p_memsz > module.end - begin) continue;
    if (read_build_id(reinterpret_cast<const char*>(begin), segment.p_memsz, segment.p_align == 8 ? 8 : 4, module))
      return;
  }
  struct stat status;
  if (stat(module.path, &status) == 0)
    snprintf(module.identity, sizeof module.identity, "stat:%lld:%lld.%09ld", static_cast<long long>(status.st_size),
             static_cast<long long>(status.st_mtim.tv_sec), status.st_mtim.tv_nsec);
}

/// False: the object is not a file.
bool find_path(const dl_phdr_info& object, Module& module) noexcept {
  const char* const name = object.dlpi_name != nullptr ? object.dlpi_name : "";
  if (name[0] == '\0') {
    const ssize_t length = readlink("/proc/self/exe", module.path, sizeof module.path - 1);
    if (length <= 0) return false;
    module.path[length] = '\0';
    return true;
  }
  if (strchr(name, '/') == nullptr) return false;  // provided by the kernel
  if (name[0] != '/' && realpath(name, module.path) != nullptr) return true;
  snprintf(module.path, sizeof module.path, "%s", name);
  return true;
}

/// Whether the module is the MPI library or its Fortran library: calls through it are recorded under the name of the
/// MPI procedure.
bool is_mpi(const Module& module) noexcept {
  const auto holds = [&](const void* address) {
    return address != nullptr && module.holds(reinterpret_cast<std::uintptr_t>(address));
  };
  return holds(reinterpret_cast<const void*>(g_real.Init)) || holds(dlsym(RTLD_NEXT, "mpi_send_")) ||
         holds(dlsym(RTLD_NEXT, "mpi_send_f08_")) || holds(dlsym(RTLD_NEXT, "mpi_send_f08ts_"));
}

const char* kind_of(const Module& module) noexcept {
  if (module.holds(reinterpret_cast<std::uintptr_t>(&store_modules))) return "tracer";
  return is_mpi(module) ? "mpi" : "-";
}

int store_module(dl_phdr_info* object, std::size_t, void*) {
  static Module module;  // too large for a stack; protected by the dynamic linker's lock
  module = Module{};
  find_range(*object, module);
  if (!module.is_code || !find_path(*object, module) || is_known(module.known())) return 0;
  identify(*object, module);
  static char text[PATH_MAX + 256];
  const int length =
      snprintf(text, sizeof text, "%llx %llx %llx %s %s %s", static_cast<unsigned long long>(module.begin),
               static_cast<unsigned long long>(module.end), static_cast<unsigned long long>(object->dlpi_addr),
               module.identity, kind_of(module), module.path);
  if (length <= 0 || static_cast<std::size_t>(length) >= sizeof text) return 0;
  emit_text(kModuleKey, text, static_cast<std::uint64_t>(length), 0);
  if (g_known_count < kMaxKnown) g_known[g_known_count++] = module.known();
  return 0;
}

}  // namespace

void store_modules() noexcept {
  const bool has_sites = g_session.options.is_on(OptionId::sites) || g_session.options.number(OptionId::stack) != 0;
  if (has_sites) dl_iterate_phdr(&store_module, nullptr);
}

}  // namespace meridian
