// SPDX-License-Identifier: Apache-2.0
#include "pmpi/libraries/interface.hpp"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <new>

#include "pmpi/libraries/file_name.hpp"
#include "pmpi/libraries/real.hpp"

// Set by the linker: the first byte of this library, and the first one behind it.
extern "C" {
[[gnu::visibility("hidden")]] extern const char __ehdr_start[];  // NOLINT: the linker's name
[[gnu::visibility("hidden")]] extern const char _end[];          // NOLINT: the linker's name
}

namespace meridian {

bool is_in_tracer(const void* address) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at >= reinterpret_cast<std::uintptr_t>(__ehdr_start) && at < reinterpret_cast<std::uintptr_t>(_end);
}

namespace {

/// The loaded files. They are looked at after dl_iterate_phdr(), because the dynamic linker's functions must not be called while
/// it holds its lock.
struct LoadedFiles {
  struct File {
    const void* base;
    const char* path;
  };
  File files[512];  // further ones are left out
  std::size_t count = 0;
  char paths[64 * 1024];
  std::size_t used = 0;
};

int keep_file(dl_phdr_info* info, std::size_t, void* data) {
  auto& kept = *static_cast<LoadedFiles*>(data);
  const std::size_t bytes = info->dlpi_name != nullptr ? strlen(info->dlpi_name) + 1 : 1;
  if (bytes == 1) return 0;  // the program
  if (kept.count == sizeof kept.files / sizeof *kept.files || bytes > sizeof kept.paths - kept.used) return 1;
  char* const path = kept.paths + kept.used;
  memcpy(path, info->dlpi_name, bytes);
  kept.used += bytes;
  kept.files[kept.count++] = {reinterpret_cast<void*>(info->dlpi_addr), path};
  return 0;
}

/// The handle of a loaded file that defines PMPI_Init itself, not only depends on one that does; null: it does not.
void* open_if_mpi(const char* path, const void* base) noexcept {
  void* const handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  Dl_info where{};
  void* const symbol = dlsym(handle, "PMPI_Init");
  if (symbol != nullptr && dladdr(symbol, &where) != 0 && where.dli_fbase == base) return handle;
  dlclose(handle);
  return nullptr;
}

/// Finds an MPI that is not in the global scope, because it was loaded by dlopen(). It stays open, so that it is never unloaded.
void* find_opened_mpi() noexcept {
  // Too large for a stack, and several threads may be here.
  void* const memory = mmap(nullptr, sizeof(LoadedFiles), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto& loaded = *new (memory) LoadedFiles;
  dl_iterate_phdr(&keep_file, &loaded);
  void* found = nullptr;
  for (std::size_t i = 0; i < loaded.count && found == nullptr; ++i)
    found = open_if_mpi(loaded.files[i].path, loaded.files[i].base);
  munmap(memory, sizeof(LoadedFiles));
  return found;
}

Interface interface_of(void* scope, const char* path) noexcept {
  // The standard fixes this name. Functions do not tell: libraries with an interface of their own have MPI_Abi_get_version, too.
  if (strncmp(file_name(path), "libmpi_abi", strlen("libmpi_abi")) == 0) return Interface::abi;
  return dlsym(scope, "ompi_mpi_comm_world") != nullptr ? Interface::openmpi : Interface::mpich;
}

/// Handle of the library in which the program looks up functions.
constinit std::atomic<void*> g_adopted{nullptr};

#if defined(__x86_64__)
constexpr std::size_t kJumpBytes = 14;
void make_jump(unsigned char* code, const void* target) noexcept {
  constexpr unsigned char kJump[] = {0xff, 0x25, 0, 0, 0, 0};  // jmp *(%rip): to the address behind it
  memcpy(code, kJump, sizeof kJump);
  memcpy(code + sizeof kJump, &target, sizeof target);
}
#elif defined(__aarch64__)
constexpr std::size_t kJumpBytes = 16;
void make_jump(unsigned char* code, const void* target) noexcept {
  constexpr std::uint32_t kJump[] = {0x58000050, 0xd61f0200};  // ldr x16, .+8; br x16
  memcpy(code, kJump, sizeof kJump);
  memcpy(code + sizeof kJump, &target, sizeof target);
}
#else
constexpr std::size_t kJumpBytes = 0;  // not known: no wrapper is long enough
void make_jump(unsigned char*, const void*) noexcept {}
#endif

constexpr const char* kWrappers[] = {
#define MERIDIAN_CALL_AS(type, name, group, params, args, recorded) MERIDIAN_IF(MERIDIAN_HAS_##name, "MPI_" #name, )
#include "trace/model/mpi_calls.def"
};

/// Whether the function at `code` is long enough for a jump.
bool has_room(const void* code) noexcept {
  Dl_info where{};
  void* symbol = nullptr;
  if (dladdr1(code, &where, &symbol, RTLD_DL_SYMENT) == 0 || symbol == nullptr) return false;
  return kJumpBytes != 0 && static_cast<const ElfW(Sym)*>(symbol)->st_size >= kJumpBytes;
}

bool replace(void* wrapper, const void* target) noexcept {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto place = reinterpret_cast<std::uintptr_t>(wrapper);
  const std::uintptr_t begin = place & ~(page - 1);
  const std::size_t bytes = ((place + kJumpBytes + page - 1) & ~(page - 1)) - begin;
  void* const pages = reinterpret_cast<void*>(begin);
  if (mprotect(pages, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
  make_jump(static_cast<unsigned char*>(wrapper), target);
  __builtin___clear_cache(static_cast<char*>(wrapper), static_cast<char*>(wrapper) + kJumpBytes);
  return mprotect(pages, bytes, PROT_READ | PROT_EXEC) == 0;
}

}  // namespace

Library find_library() noexcept {
  Library library;
  library.scope = RTLD_DEFAULT;
  library.init = dlsym(RTLD_DEFAULT, "PMPI_Init");
  if (library.init == nullptr) {
    void* found = g_adopted.load(std::memory_order_acquire);
    if (found == nullptr) found = find_opened_mpi();
    if (found == nullptr) return library;
    library.scope = found;
    library.init = dlsym(found, "PMPI_Init");
  }
  Dl_info where{};
  if (dladdr(library.init, &where) != 0 && where.dli_fname != nullptr) library.path = where.dli_fname;
  library.interface = interface_of(library.scope, library.path);
  return library;
}

bool adopt_library(const void* base, const char* path) noexcept {
  void* const handle = open_if_mpi(path, base);
  if (handle == nullptr) return false;
  const void* const first = dlsym(RTLD_DEFAULT, "PMPI_Init");
  const bool is_only_one = first == nullptr || first == dlsym(handle, "PMPI_Init");
  void* adopted = nullptr;
  if (is_only_one && interface_of(handle, path) == kOwnInterface &&
      (g_adopted.compare_exchange_strong(adopted, handle, std::memory_order_acq_rel) || adopted == handle))
    return true;
  dlclose(handle);
  return false;
}

bool bypass_wrappers(const Library& library) noexcept {
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&bypass_wrappers), &own) == 0) return false;
  void* const tracer = dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (tracer == nullptr) return false;
  bool is_done = true;
  for (const char* const name : kWrappers) {
    void* const wrapper = dlsym(tracer, name);
    char profiling[80] = "P";
    const void* target = dlsym(RTLD_NEXT, name);  // perhaps that of another tool
    if (target == nullptr) target = dlsym(library.scope, strncat(profiling, name, sizeof profiling - 2));
    if (wrapper == nullptr || target == nullptr) continue;  // no caller has a function that the library lacks
    is_done = has_room(wrapper) && replace(wrapper, target) && is_done;
  }
  dlclose(tracer);
  return is_done;
}

}  // namespace meridian
