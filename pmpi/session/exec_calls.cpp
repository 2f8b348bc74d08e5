// SPDX-License-Identifier: Apache-2.0
// Functions of the C library that start programs: they are called as the program calls them, after a look at the environment.

#include <alloca.h>
#include <stdarg.h>
#include <unistd.h>

#include <cstddef>

#include "pmpi/libraries/libc_calls.hpp"
#include "pmpi/session/lost_tracer.hpp"

#define MERIDIAN_EXPORT extern "C" [[gnu::visibility("default")]]

extern "C" char** environ;  // NOLINT: the C library's own name

namespace meridian {
namespace {

int run_path(const char* path, char* const* arguments, char* const* environment) noexcept {
  report_lost_tracer(path, environment);
  return g_libc.execve(path, arguments, environment);
}

int run_file(const char* file, char* const* arguments, char* const* environment) noexcept {
  report_lost_tracer(file, environment);
  return g_libc.execvpe(file, arguments, environment);
}

std::size_t count_arguments(va_list& list) noexcept {
  std::size_t count = 1;
  while (va_arg(list, char*) != nullptr) ++count;
  return count;
}

/// Fills `words`, whose first one is there, up to and with the null that ends the list.
void take_arguments(char** words, va_list& list) noexcept {
  for (std::size_t i = 1; (words[i] = va_arg(list, char*)) != nullptr; ++i) continue;
}

}  // namespace

// A list of arguments as an array on the stack. A macro, because the array belongs to the caller's frame.
#define MERIDIAN_ARRAY_OF(words, first, list)                                    \
  va_list list;                                                                  \
  va_start(list, first);                                                         \
  const std::size_t count = first != nullptr ? count_arguments(list) : 0;        \
  va_end(list);                                                                  \
  char** const words = static_cast<char**>(alloca((count + 1) * sizeof(char*))); \
  words[0] = const_cast<char*>(first);                                           \
  va_start(list, first);                                                         \
  if (first != nullptr) take_arguments(words, list)

MERIDIAN_EXPORT int execve(const char* path, char* const arguments[], char* const environment[]) noexcept {
  return run_path(path, arguments, environment);
}
MERIDIAN_EXPORT int execv(const char* path, char* const arguments[]) noexcept {
  return run_path(path, arguments, environ);
}
MERIDIAN_EXPORT int execvp(const char* file, char* const arguments[]) noexcept {
  return run_file(file, arguments, environ);
}
MERIDIAN_EXPORT int execvpe(const char* file, char* const arguments[], char* const environment[]) noexcept {
  return run_file(file, arguments, environment);
}
MERIDIAN_EXPORT int execl(const char* path, const char* argument, ...) noexcept {
  MERIDIAN_ARRAY_OF(words, argument, list);
  va_end(list);
  return run_path(path, words, environ);
}
MERIDIAN_EXPORT int execlp(const char* file, const char* argument, ...) noexcept {
  MERIDIAN_ARRAY_OF(words, argument, list);
  va_end(list);
  return run_file(file, words, environ);
}
MERIDIAN_EXPORT int execle(const char* path, const char* argument, ...) noexcept {
  MERIDIAN_ARRAY_OF(words, argument, list);
  char* const* const environment = va_arg(list, char* const*);
  va_end(list);
  return run_path(path, words, environment);
}
MERIDIAN_EXPORT int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                                const posix_spawnattr_t* attributes, char* const arguments[],
                                char* const environment[]) noexcept(false) {
  report_lost_tracer(path, environment);
  return g_libc.posix_spawn(pid, path, actions, attributes, arguments, environment);
}
MERIDIAN_EXPORT int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                                 const posix_spawnattr_t* attributes, char* const arguments[],
                                 char* const environment[]) noexcept(false) {
  report_lost_tracer(file, environment);
  return g_libc.posix_spawnp(pid, file, actions, attributes, arguments, environment);
}

}  // namespace meridian
