// SPDX-License-Identifier: Apache-2.0
// A program that looks up MPI functions in the handle of the MPI library, as Julia, Rust and Python's ctypes do, gets the tracer's
// functions. Everything else goes on to the C library's dlsym() by a jump: RTLD_NEXT and RTLD_DEFAULT depend on the caller.

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>

#include "pmpi/libraries/handle_symbols.hpp"

#include "pmpi/libraries/interface.hpp"
#include "trace/model/options.hpp"

namespace meridian {

bool records_looked_up() noexcept {
  const char* const text = getenv(info(OptionId::dlsym).variable.data());
  if (text == nullptr || *text == '\0') return true;
  const ParsedOption wanted = parse_option(OptionId::dlsym, text);
  return wanted.problem != TextProblem::none || wanted.number != 0;
}

}  // namespace meridian

#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))

extern "C" {
[[gnu::visibility("hidden")]] void* (*meridian_next_dlsym)(void*, const char*) = nullptr;
[[gnu::visibility("hidden"), gnu::used]] void* meridian_symbol_in(void* handle, const char* name,
                                                                  const void* caller) noexcept;
}

#if defined(__x86_64__)
asm(R"(
  .text
  .globl dlsym
  .type dlsym, @function
dlsym:
  .cfi_startproc
  endbr64
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  movq 16(%rsp), %rdx
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call meridian_symbol_in
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  testq %rax, %rax
  jz 1f
  ret
1:
  jmpq *meridian_next_dlsym(%rip)
  .cfi_endproc
  .size dlsym, .-dlsym
)");
#else
asm(R"(
  .text
  .globl dlsym
  .type dlsym, %function
dlsym:
  .cfi_startproc
  hint #34
  stp x29, x30, [sp, #-32]!
  .cfi_adjust_cfa_offset 32
  .cfi_offset x29, -32
  .cfi_offset x30, -24
  mov x29, sp
  stp x0, x1, [sp, #16]
  mov x2, x30
  bl meridian_symbol_in
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #32
  .cfi_adjust_cfa_offset -32
  .cfi_restore x29
  .cfi_restore x30
  cbz x16, 1f
  mov x0, x16
  ret
1:
  adrp x16, meridian_next_dlsym
  ldr x16, [x16, :lo12:meridian_next_dlsym]
  br x16
  .cfi_endproc
  .size dlsym, .-dlsym
)");
#endif

namespace meridian {
namespace {

void find_next_dlsym() noexcept {
#if defined(__x86_64__)
  constexpr const char* kOldest = "GLIBC_2.2.5";
#else
  constexpr const char* kOldest = "GLIBC_2.17";
#endif
  void* next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
  if (next == nullptr) next = dlvsym(RTLD_NEXT, "dlsym", kOldest);
  __atomic_store_n(&meridian_next_dlsym, reinterpret_cast<void* (*)(void*, const char*)>(next), __ATOMIC_RELEASE);
}

const void* base_of(const void* address) noexcept {
  Dl_info file{};
  return address != nullptr && dladdr(address, &file) != 0 ? file.dli_fbase : nullptr;
}

/// Whether the caller's file has a function of this name itself: a tool, which looks up the function that its own one calls.
bool is_tool(const void* caller, const char* name) noexcept {
  Dl_info file{};
  if (dladdr(caller, &file) == 0 || file.dli_fname == nullptr) return false;
  if (base_of(meridian_next_dlsym(RTLD_DEFAULT, name)) == file.dli_fbase) return true;
  void* const handle = dlopen(file.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return false;
  const bool has_own = base_of(meridian_next_dlsym(handle, name)) == file.dli_fbase;
  dlclose(handle);
  return has_own;
}

/// The tracer's function of this name; null: it has none.
void* own_function(const char* name) noexcept {
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&own_function), &own) == 0) return nullptr;
  void* const tracer = dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (tracer == nullptr) return nullptr;
  void* const function = meridian_next_dlsym(tracer, name);
  dlclose(tracer);
  return base_of(function) == own.dli_fbase ? function : nullptr;
}

}  // namespace
}  // namespace meridian

/// The address that dlsym() returns; null: that of the next dlsym().
void* meridian_symbol_in(void* handle, const char* name, const void* caller) noexcept {
  using namespace meridian;
  if (__atomic_load_n(&meridian_next_dlsym, __ATOMIC_ACQUIRE) == nullptr) find_next_dlsym();
  if (handle == RTLD_DEFAULT || handle == RTLD_NEXT || name == nullptr || strncmp(name, "MPI_", 4) != 0) return nullptr;
  if (is_in_tracer(caller)) return nullptr;
  void* const function = own_function(name);
  void* const theirs = function != nullptr ? meridian_next_dlsym(handle, name) : nullptr;
  Dl_info file{};
  if (theirs == nullptr || theirs == function || dladdr(theirs, &file) == 0 || file.dli_fname == nullptr)
    return nullptr;
  if (is_tool(caller, name) || !records_looked_up()) return nullptr;
  return adopt_library(file.dli_fbase, file.dli_fname) ? function : nullptr;
}

#endif
