// SPDX-License-Identifier: Apache-2.0
// Counts the MPI calls of an application independently of Meridian: preloaded in front of the tracer, or without it.
// Calls that an MPI library makes itself have a return address in that library, and are not counted.
//
// For each process that calls MPI, COUNT_CALLS_DIR/<pid> holds: 4 words (magic, names, rank by the launcher or -1, 0),
// a 64-bit count per name, then the names, each ended by a zero byte. The file is mapped and shared: it is right
// however the process ends. x86-64 and AArch64.

#define _GNU_SOURCE
#include "count_calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kHeaderWords = 4, kCacheEntries = 4096 };
static const uint64_t kMagic = 0x31544e554f43504dULL;  // "MPCOUNT1"

static _Atomic(uint64_t)* counts;  // null: not open yet, or not requested
static pthread_once_t opened = PTHREAD_ONCE_INIT;
static _Atomic(uintptr_t) known_callers[kCacheEntries];  // address << 1 | is library

static int64_t launched_rank(void) {
  const char* const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"};
  for (unsigned i = 0; i < 2; ++i)
    if (getenv(names[i]) != NULL) return atoll(getenv(names[i]));
  return -1;
}

// A forked child is another process than the rank: its calls are not the rank's.
static void forget_in_child(void) { counts = NULL; }

static void open_counts(void) {
  const char* const folder = getenv("COUNT_CALLS_DIR");
  if (folder == NULL) return;
  size_t text_bytes = 0;
  for (unsigned i = 0; i < counter_name_count; ++i) text_bytes += strlen(counter_names[i]) + 1;
  const size_t words = kHeaderWords + counter_name_count;
  char path[4096];
  snprintf(path, sizeof path, "%s/%d", folder, getpid());
  const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || ftruncate(fd, (off_t)(words * 8 + text_bytes)) != 0) {
    perror(path);
    return;
  }
  uint64_t* const file = mmap(NULL, words * 8 + text_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (file == MAP_FAILED) return;
  char* text = (char*)(file + words);
  for (unsigned i = 0; i < counter_name_count; ++i) text = stpcpy(text, counter_names[i]) + 1;
  file[0] = kMagic;
  file[1] = counter_name_count;
  file[2] = (uint64_t)launched_rank();
  pthread_atfork(NULL, NULL, forget_in_child);
  counts = (_Atomic(uint64_t)*)(file + kHeaderWords);
}

static int names_library(const char* path) {
  static const char* const parts[] = {"libmpi.so", "libmpi_", "libmpich", "libopen-",      "libopal",
                                      "libompi",   "/mca_",   "libpmpi",  "libmeridian.so"};
  if (strstr(path, "cxx.so") != NULL) return 0;  // the C++ bindings: what they call, the application calls
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; ++i)
    if (strstr(path, parts[i]) != NULL) return 1;
  return 0;
}

// True for a return address inside an MPI library (or a tool like us, which forwards).
static int is_library(uintptr_t address) {
  _Atomic(uintptr_t)* const entry = &known_callers[(address >> 1) % kCacheEntries];
  const uintptr_t known = atomic_load_explicit(entry, memory_order_relaxed);
  if (known >> 1 == address) return (int)(known & 1);
  Dl_info where;
  const int result = dladdr((void*)address, &where) != 0 && where.dli_fname != NULL && names_library(where.dli_fname);
  atomic_store_explicit(entry, address << 1 | (uintptr_t)result, memory_order_relaxed);
  return result;
}

// Called by every trampoline: counts, and returns the address of the next definition.
__attribute__((used, visibility("hidden"))) void* counter_called(unsigned position, uintptr_t return_address) {
  const int saved = errno;
  struct CounterEntry* const entry = &counter_entries[position];
  pthread_once(&opened, open_counts);
  if (counts != NULL && !is_library(return_address))
    atomic_fetch_add_explicit(&counts[entry->number], 1, memory_order_relaxed);
  void* next = __atomic_load_n(&entry->next, __ATOMIC_ACQUIRE);
  if (next == NULL) {
    next = dlsym(RTLD_NEXT, entry->symbol);
    if (next == NULL) {
      fprintf(stderr, "count_calls: there is no %s behind me\n", entry->symbol);
      abort();
    }
    __atomic_store_n(&entry->next, next, __ATOMIC_RELEASE);
  }
  errno = saved;
  return next;
}

#if defined(__aarch64__)
// Number in w16; every register that carries an argument is kept (x8: where a struct is returned).
__asm__(
    ".text\n"
    ".type counter_trampoline,%function\n"
    ".globl counter_trampoline\n"
    ".hidden counter_trampoline\n"
    "counter_trampoline:\n"
    "  stp x29, x30, [sp, #-224]!\n  mov x29, sp\n"
    "  stp x0, x1, [sp, #16]\n  stp x2, x3, [sp, #32]\n  stp x4, x5, [sp, #48]\n  stp x6, x7, [sp, #64]\n  str x8, "
    "[sp, #80]\n"
    "  stp q0, q1, [sp, #96]\n  stp q2, q3, [sp, #128]\n  stp q4, q5, [sp, #160]\n  stp q6, q7, [sp, #192]\n"
    "  mov w0, w16\n"
    "  mov x1, x30\n"
    "  bl counter_called\n"
    "  mov x16, x0\n"
    "  ldp q0, q1, [sp, #96]\n  ldp q2, q3, [sp, #128]\n  ldp q4, q5, [sp, #160]\n  ldp q6, q7, [sp, #192]\n"
    "  ldp x0, x1, [sp, #16]\n  ldp x2, x3, [sp, #32]\n  ldp x4, x5, [sp, #48]\n  ldp x6, x7, [sp, #64]\n  ldr x8, "
    "[sp, #80]\n"
    "  ldp x29, x30, [sp], #224\n"
    "  br x16\n"
    ".size counter_trampoline,.-counter_trampoline\n");
#else
// Number in r11; every register that carries an argument is kept (rax: of a variadic call).
__asm__(
    ".text\n"
    ".type counter_trampoline,@function\n"
    ".globl counter_trampoline\n"
    ".hidden counter_trampoline\n"
    "counter_trampoline:\n"
    "  pushq %rdi\n  pushq %rsi\n  pushq %rdx\n  pushq %rcx\n  pushq %r8\n  pushq %r9\n  pushq %rax\n  pushq %r10\n"
    "  subq $136, %rsp\n"
    "  movups %xmm0, (%rsp)\n  movups %xmm1, 16(%rsp)\n  movups %xmm2, 32(%rsp)\n  movups %xmm3, 48(%rsp)\n"
    "  movups %xmm4, 64(%rsp)\n  movups %xmm5, 80(%rsp)\n  movups %xmm6, 96(%rsp)\n  movups %xmm7, 112(%rsp)\n"
    "  movl %r11d, %edi\n"
    "  movq 200(%rsp), %rsi\n"  // 136 + 8 registers: the return address in the application
    "  call counter_called\n"
    "  movq %rax, %r11\n"
    "  movups (%rsp), %xmm0\n  movups 16(%rsp), %xmm1\n  movups 32(%rsp), %xmm2\n  movups 48(%rsp), %xmm3\n"
    "  movups 64(%rsp), %xmm4\n  movups 80(%rsp), %xmm5\n  movups 96(%rsp), %xmm6\n  movups 112(%rsp), %xmm7\n"
    "  addq $136, %rsp\n"
    "  popq %r10\n  popq %rax\n  popq %r9\n  popq %r8\n  popq %rcx\n  popq %rdx\n  popq %rsi\n  popq %rdi\n"
    "  jmp *%r11\n"
    ".size counter_trampoline,.-counter_trampoline\n");
#endif
