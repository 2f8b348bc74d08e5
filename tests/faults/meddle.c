// SPDX-License-Identifier: Apache-2.0
// Fault injection: preloaded, it makes calls of the C library fail in chosen processes at chosen moments. It counts the
// calls of the tested code; those of the program and of MPI are left unchanged.
//
//   MEDDLE_PROCESS  file name of the executables that get faults; all others are left unchanged
//   MEDDLE_RANK     only this rank of an MPI program (default: all)
//   MEDDLE_CALLER   part of a library's path, or `.` for the executable: its calls count
//   MEDDLE_BELOW    directory: calls about files below it count, from any caller
//   MEDDLE_FAIL     CALL:HOW:WHICH, for example write:ENOSPC:3+
//                   HOW    the name of an errno, `short` (half of the bytes are written), or `kill` (ends the process)
//                   WHICH  `3`: the third call that counts; `3+`: that one and all later ones; `1/20@7`: each with a
//                          probability of one in twenty, with the seed 7
//   MEDDLE_COUNTS   file for the results: for each call of meddle_calls.def two 64-bit words, the most calls that one
//                   process made, and the failures of all processes
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum Call {
#define MEDDLE_CALL(name) k_##name,
#include "meddle_calls.def"
  kCalls
};
static const char* const kNames[kCalls] = {
#define MEDDLE_CALL(name) #name,
#include "meddle_calls.def"
};

enum { kKill = -1, kShort = -2 };

static struct {
  int is_on;
  int call;  // that fails; kCalls: none
  int how;   // errno, or one of the above
  uint64_t first;
  int is_lasting;
  uint64_t one_in;  // 0: not by chance
  uint64_t seed;
  const char* below;
  size_t below_length;
  uintptr_t caller_begin, caller_end;
  uint64_t* shared;  // [kCalls][2]
  uint64_t made[kCalls];
} g;

static void* real(enum Call call, const char* name);

static int find_caller(struct dl_phdr_info* object, size_t size, void* part) {
  (void)size;
  const char* const name = object->dlpi_name == NULL || object->dlpi_name[0] == '\0' ? "." : object->dlpi_name;
  if (strcmp(part, ".") == 0 ? strcmp(name, part) != 0 : strstr(name, part) == NULL) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* const segment = &object->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0) continue;
    g.caller_begin = object->dlpi_addr + segment->p_vaddr;
    g.caller_end = g.caller_begin + segment->p_memsz;
  }
  return 1;
}

static _Noreturn void refuse(const char* what) {
  fprintf(stderr, "meddle: cannot understand %s\n", what);
  _exit(126);
}

static void read_fail(const char* text) {
  char call[32], how[32], which[32];
  if (sscanf(text, "%31[^:]:%31[^:]:%31s", call, how, which) != 3) refuse(text);
  for (g.call = 0; g.call < kCalls && strcmp(kNames[g.call], call) != 0;) ++g.call;
  if (g.call == kCalls) refuse(text);
  if (strcmp(how, "kill") == 0) g.how = kKill;
  if (strcmp(how, "short") == 0) g.how = kShort;
  for (int error = 1; error < 256 && g.how == 0; ++error) {
    const char* const name = strerrorname_np(error);
    if (name != NULL && strcmp(name, how) == 0) g.how = error;
  }
  if (g.how == 0) refuse(text);
  if (sscanf(which, "1/%lu@%lu", &g.one_in, &g.seed) == 2) return;
  char plus = 0;
  if (sscanf(which, "%lu%c", &g.first, &plus) < 1) refuse(text);
  g.is_lasting = plus == '+';
}

__attribute__((constructor)) static void begin(void) {
  g.call = kCalls;
  const char* const process = getenv("MEDDLE_PROCESS");
  if (process == NULL || strcmp(process, program_invocation_short_name) != 0) return;
  const char* const wanted = getenv("MEDDLE_RANK");
  const char* const rank = getenv("OMPI_COMM_WORLD_RANK") != NULL ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
  if (wanted != NULL && (rank == NULL || strcmp(wanted, rank) != 0)) return;
  if (getenv("MEDDLE_CALLER") != NULL) {
    dl_iterate_phdr(&find_caller, getenv("MEDDLE_CALLER"));
    if (g.caller_begin == 0) refuse("MEDDLE_CALLER");
  }
  g.below = getenv("MEDDLE_BELOW");
  g.below_length = g.below != NULL ? strlen(g.below) : 0;
  if (getenv("MEDDLE_FAIL") != NULL) read_fail(getenv("MEDDLE_FAIL"));
  if (getenv("MEDDLE_COUNTS") != NULL) {
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, getenv("MEDDLE_COUNTS"), O_RDWR | O_CLOEXEC);
    const size_t bytes = 2 * kCalls * sizeof(uint64_t);
    void* const at = (void*)syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd < 0 || at == MAP_FAILED) refuse("MEDDLE_COUNTS");
    syscall(SYS_close, fd);
    g.shared = at;
  }
  for (int call = 0; call < kCalls; ++call) real((enum Call)call, kNames[call]);  // some are called where dlsym is not
  g.is_on = 1;
}

static int is_below(const char* path) {
  if (g.below == NULL || path == NULL) return 0;
  char absolute[8192];
  if (path[0] != '/') {
    const long length = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/cwd", absolute, 4000);
    if (length < 0) return 0;
    snprintf(absolute + length, sizeof absolute - (size_t)length, "/%s", path);
    path = absolute;
  }
  return strncmp(path, g.below, g.below_length) == 0;
}

static int is_file_below(int fd) {
  if (g.below == NULL || fd < 0) return 0;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = '\0';
  return is_below(path);
}

static uint64_t mixed(uint64_t value) {
  value = (value ^ value >> 31) * 0x9e3779b97f4a7c15ULL;
  value = (value ^ value >> 29) * 0xbf58476d1ce4e5b9ULL;
  return value ^ value >> 32;
}

// How the call that is being made fails; 0: it does not.
static int how_to_fail(enum Call call, int is_concerned) {
  if (!is_concerned) return 0;
  const uint64_t number = __atomic_add_fetch(&g.made[call], 1, __ATOMIC_RELAXED);
  if (g.shared != NULL) {
    uint64_t most = __atomic_load_n(&g.shared[2 * call], __ATOMIC_RELAXED);
    while (most < number &&
           !__atomic_compare_exchange_n(&g.shared[2 * call], &most, number, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
  }
  if ((int)call != g.call) return 0;
  const int fails = g.one_in != 0 ? mixed(g.seed * 1000003 + number) % g.one_in == 0
                                  : number == g.first || (g.is_lasting && number > g.first);
  if (!fails) return 0;
  if (g.shared != NULL) __atomic_add_fetch(&g.shared[2 * call + 1], 1, __ATOMIC_RELAXED);
  if (g.how == kKill) syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  return g.how;
}

static int is_caller(void* address) {
  return (uintptr_t)address >= g.caller_begin && (uintptr_t)address < g.caller_end;
}
#define FROM_HERE is_caller(__builtin_return_address(0))

#define REAL(name) ((__typeof__(&name))real(k_##name, #name))
static void* real(enum Call call, const char* name) {
  static void* found[kCalls];
  if (found[call] == NULL) found[call] = dlsym(RTLD_NEXT, name);
  return found[call];
}

// Returns `failure` with errno set when the call is to fail.
#define MEDDLE(name, concerned, failure)                                           \
  do {                                                                             \
    const int how = g.is_on ? how_to_fail(k_##name, FROM_HERE || (concerned)) : 0; \
    if (how > 0) {                                                                 \
      errno = how;                                                                 \
      return failure;                                                              \
    }                                                                              \
  } while (0)

#define OPEN(name, params, path, args)                                \
  int name params {                                                   \
    mode_t mode = 0;                                                  \
    if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) { \
      va_list more;                                                   \
      va_start(more, flags);                                          \
      mode = va_arg(more, mode_t);                                    \
      va_end(more);                                                   \
    }                                                                 \
    MEDDLE(name, is_below(path), -1);                                 \
    return REAL(name) args;                                           \
  }
OPEN(open, (const char* path, int flags, ...), path, (path, flags, mode))
OPEN(open64, (const char* path, int flags, ...), path, (path, flags, mode))
OPEN(openat, (int at, const char* path, int flags, ...), path, (at, path, flags, mode))
OPEN(openat64, (int at, const char* path, int flags, ...), path, (at, path, flags, mode))

#define ON_PATH(type, name, params, path, failure, args) \
  type name params {                                     \
    MEDDLE(name, is_below(path), failure);               \
    return REAL(name) args;                              \
  }
ON_PATH(int, mkdir, (const char* path, mode_t mode), path, -1, (path, mode))
ON_PATH(int, unlink, (const char* path), path, -1, (path))
ON_PATH(int, rmdir, (const char* path), path, -1, (path))
ON_PATH(int, remove, (const char* path), path, -1, (path))
ON_PATH(int, rename, (const char* from, const char* to), to, -1, (from, to))
ON_PATH(int, symlink, (const char* target, const char* path), path, -1, (target, path))
ON_PATH(int, access, (const char* path, int mode), path, -1, (path, mode))
ON_PATH(int, statvfs, (const char* path, struct statvfs* fs), path, -1, (path, fs))
ON_PATH(int, lstat, (const char* path, struct stat* status), path, -1, (path, status))
ON_PATH(int, stat, (const char* path, struct stat* status), path, -1, (path, status))
ON_PATH(DIR*, opendir, (const char* path), path, NULL, (path))

#define ON_FILE(type, name, params, failure, args) \
  type name params {                               \
    MEDDLE(name, is_file_below(fd), failure);      \
    return REAL(name) args;                        \
  }
ON_FILE(int, fstat, (int fd, struct stat* status), -1, (fd, status))
ON_FILE(int, ftruncate, (int fd, off_t length), -1, (fd, length))
ON_FILE(int, ftruncate64, (int fd, off64_t length), -1, (fd, length))
ON_FILE(int, fsync, (int fd), -1, (fd))
ON_FILE(int, fdatasync, (int fd), -1, (fd))
ON_FILE(int, flock, (int fd, int operation), -1, (fd, operation))
ON_FILE(off_t, lseek, (int fd, off_t offset, int whence), -1, (fd, offset, whence))
ON_FILE(off64_t, lseek64, (int fd, off64_t offset, int whence), -1, (fd, offset, whence))
ON_FILE(ssize_t, read, (int fd, void* data, size_t bytes), -1, (fd, data, bytes))
ON_FILE(ssize_t, pread, (int fd, void* data, size_t bytes, off_t at), -1, (fd, data, bytes, at))
ON_FILE(ssize_t, pread64, (int fd, void* data, size_t bytes, off64_t at), -1, (fd, data, bytes, at))
ON_FILE(int, posix_fallocate, (int fd, off_t at, off_t bytes), how, (fd, at, bytes))
ON_FILE(int, posix_fallocate64, (int fd, off64_t at, off64_t bytes), how, (fd, at, bytes))
ON_FILE(void*, mmap, (void* at, size_t bytes, int prot, int flags, int fd, off_t offset), MAP_FAILED,
        (at, bytes, prot, flags, fd, offset))
ON_FILE(void*, mmap64, (void* at, size_t bytes, int prot, int flags, int fd, off64_t offset), MAP_FAILED,
        (at, bytes, prot, flags, fd, offset))

// Closing releases the descriptor even if it fails.
int close(int fd) {
  const int how = g.is_on ? how_to_fail(k_close, FROM_HERE || is_file_below(fd)) : 0;
  const int result = REAL(close)(fd);
  if (how <= 0) return result;
  errno = how;
  return -1;
}

// Terminals and pipes are not on file systems.
#define ON_WRITE(name, params, bytes_of, args, short_args)                                         \
  ssize_t name params {                                                                            \
    const int how = g.is_on && fd > 2 ? how_to_fail(k_##name, FROM_HERE || is_file_below(fd)) : 0; \
    if (how > 0) {                                                                                 \
      errno = how;                                                                                 \
      return -1;                                                                                   \
    }                                                                                              \
    if (how == kShort && bytes_of > 1) return REAL(name) short_args;                               \
    return REAL(name) args;                                                                        \
  }
ON_WRITE(write, (int fd, const void* data, size_t bytes), bytes, (fd, data, bytes), (fd, data, bytes / 2))
ON_WRITE(pwrite, (int fd, const void* data, size_t bytes, off_t at), bytes, (fd, data, bytes, at),
         (fd, data, bytes / 2, at))
ON_WRITE(pwrite64, (int fd, const void* data, size_t bytes, off64_t at), bytes, (fd, data, bytes, at),
         (fd, data, bytes / 2, at))
ON_WRITE(writev, (int fd, const struct iovec* pieces, int count), count, (fd, pieces, count), (fd, pieces, 1))
ON_WRITE(pwritev, (int fd, const struct iovec* pieces, int count, off_t at), count, (fd, pieces, count, at),
         (fd, pieces, 1, at))

#define BY_CALLER(type, name, params, failure, args) \
  type name params {                                 \
    MEDDLE(name, 0, failure);                        \
    return REAL(name) args;                          \
  }
BY_CALLER(pid_t, fork, (void), -1, ())
BY_CALLER(int, execve, (const char* path, char* const arguments[], char* const environment[]), -1,
          (path, arguments, environment))
BY_CALLER(int, pthread_create,
          (pthread_t * thread, const pthread_attr_t* attributes, void* (*routine)(void*), void* argument), how,
          (thread, attributes, routine, argument))
BY_CALLER(int, pipe2, (int ends[2], int flags), -1, (ends, flags))

int clone(int (*function)(void*), void* stack, int flags, void* argument, ...) {
  va_list more;
  va_start(more, argument);
  void* const parent = va_arg(more, void*);
  void* const tls = va_arg(more, void*);
  void* const child = va_arg(more, void*);
  va_end(more);
  MEDDLE(clone, 0, -1);
  return REAL(clone)(function, stack, flags, argument, parent, tls, child);
}
