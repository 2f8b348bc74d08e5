// SPDX-License-Identifier: Apache-2.0
// Intel's ITT API: the part of it that programs link loads the library that INTEL_LIBITTNOTIFY64 names, and calls __itt_api_init().
// That fills in the program's list of functions. Tasks become regions; pause and resume switch recording. Layouts: ittnotify_config.h of
// the ITT API, version 3.

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "annotations/regions.hpp"

namespace {

using namespace meridian::annotations;

constexpr const char* kIttLevel = "itt";

/// __itt_id, passed by value.
struct Id {
  std::uint64_t words[3];
};
struct Domain;

/// The beginning of __itt_string_handle.
struct StringHandle {
  const char* text;
};

/// __itt_api_info
struct ApiInfo {
  const char* name;
  void** function;
  void* init_function;
  void* null_function;
  int group;
};

/// The beginning of __itt_global.
struct Global {
  unsigned char magic[8];
  unsigned long version[3];
  volatile long counters[3];
  pthread_mutex_t mutex;
  void* library;
  void* error_handler;
  const char** library_path;
  ApiInfo* functions;
};

void task_begin(const Domain*, Id, Id, const StringHandle* name) {
  push(kIttLevel, name == nullptr || name->text == nullptr ? "task" : name->text);
}
void task_end(const Domain*) { pop(); }
void pause() { switch_recording(false); }
void resume() { switch_recording(true); }

struct Entry {
  const char* name;
  void* function;
};

}  // namespace

/// Functions that make objects stay the program's own; others that are not recorded do nothing.
extern "C" [[gnu::visibility("default")]] void __itt_api_init(Global* global, int) {
  const Entry entries[] = {{"__itt_task_begin", reinterpret_cast<void*>(task_begin)},
                           {"__itt_task_end", reinterpret_cast<void*>(task_end)},
                           {"__itt_pause", reinterpret_cast<void*>(pause)},
                           {"__itt_resume", reinterpret_cast<void*>(resume)}};
  if (global == nullptr || global->functions == nullptr) return;
  for (ApiInfo* at = global->functions; at->name != nullptr; ++at) {
    if (at->function == nullptr || strstr(at->name, "_create") != nullptr) continue;
    void* function = at->null_function;
    for (const Entry& one : entries)
      if (strcmp(one.name, at->name) == 0) function = one.function;
    *at->function = function;
  }
}
