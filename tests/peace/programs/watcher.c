// SPDX-License-Identifier: Apache-2.0
// A library that is preloaded beside the tracer: it has its own malloc(), and stands in front of the C library's
// mutexes and condition variables. It says at the end what of them it has seen of the program.
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

__attribute__((visibility("default"))) void* watcher_objects[2];        // whose calls are counted: a mutex, a condition
__attribute__((visibility("default"))) _Atomic long watcher_counts[5];  // lock, trylock, unlock, wait, signal
__attribute__((visibility("default"))) _Atomic long watcher_bytes;

#define NEXT(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))
#define WATCH(index, name, object, parameters, arguments)                                              \
  __attribute__((visibility("default"))) int name parameters {                                         \
    static __typeof__(&name) _Atomic next;                                                             \
    if (next == NULL) next = NEXT(name);                                                               \
    const int is_watched = (void*)object == watcher_objects[0] || (void*)object == watcher_objects[1]; \
    if (is_watched) atomic_fetch_add(&watcher_counts[index], 1);                                       \
    return next arguments;                                                                             \
  }

WATCH(0, pthread_mutex_lock, mutex, (pthread_mutex_t * mutex), (mutex))
WATCH(1, pthread_mutex_trylock, mutex, (pthread_mutex_t * mutex), (mutex))
WATCH(2, pthread_mutex_unlock, mutex, (pthread_mutex_t * mutex), (mutex))
WATCH(3, pthread_cond_wait, condition, (pthread_cond_t * condition, pthread_mutex_t* mutex), (condition, mutex))
WATCH(4, pthread_cond_signal, condition, (pthread_cond_t * condition), (condition))

// Memory that is never given back, with its size in front.
enum { ALIGNMENT = 16, PIECE = 64 << 20 };
static char* _Atomic piece;
static _Atomic size_t used = PIECE;

static void* take(size_t alignment, size_t bytes) {
  const size_t whole = (bytes + alignment + 2 * ALIGNMENT) / ALIGNMENT * ALIGNMENT;
  for (;;) {
    char* const from = piece;
    const size_t at = atomic_fetch_add(&used, whole);
    if (from != NULL && from == piece && at + whole <= PIECE) {
      const uintptr_t start = (uintptr_t)from + at + ALIGNMENT;
      char* const memory = (char*)((start + alignment - 1) / alignment * alignment);
      memcpy(memory - sizeof bytes, &bytes, sizeof bytes);
      watcher_bytes += (long)bytes;
      return memory;
    }
    if (whole > PIECE / 2) return NULL;
    static atomic_flag is_mapping = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&is_mapping)) continue;
    if (used > PIECE - whole) {
      void* const fresh = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (fresh == MAP_FAILED) return NULL;
      piece = fresh;
      used = 0;
    }
    atomic_flag_clear(&is_mapping);
  }
}

__attribute__((visibility("default"))) void* malloc(size_t bytes) { return take(ALIGNMENT, bytes); }
__attribute__((visibility("default"))) void free(void* memory) { (void)memory; }
__attribute__((visibility("default"))) void* calloc(size_t count, size_t bytes) {
  return take(ALIGNMENT, count * bytes);
}
__attribute__((visibility("default"))) void* memalign(size_t alignment, size_t bytes) { return take(alignment, bytes); }
__attribute__((visibility("default"))) void* aligned_alloc(size_t alignment, size_t bytes) {
  return take(alignment, bytes);
}
__attribute__((visibility("default"))) int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  *memory = take(alignment, bytes);
  return *memory == NULL ? 12 : 0;
}
__attribute__((visibility("default"))) void* realloc(void* memory, size_t bytes) {
  void* const moved = take(ALIGNMENT, bytes);
  if (memory == NULL || moved == NULL) return moved;
  size_t before = 0;
  memcpy(&before, (char*)memory - sizeof before, sizeof before);
  return memcpy(moved, memory, before < bytes ? before : bytes);
}
