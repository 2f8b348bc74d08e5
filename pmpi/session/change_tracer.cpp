// SPDX-License-Identifier: Apache-2.0
#include "pmpi/session/change_tracer.hpp"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/model/run_variables.hpp"

namespace meridian {
namespace {

/// The entry "NAME=value" of an environment; null: it is not there. Shells replace getenv() and setenv() by their own.
char** entry_of(char** environment, const char* name) noexcept {
  const std::size_t length = strlen(name);
  for (; *environment != nullptr; ++environment)
    if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') return environment;
  return nullptr;
}

/// The value of kTracerChoice, with the process that was changed last: none is changed twice.
struct Choice {
  bool is_open = false;
  int changed = 0;
};
Choice read_choice(const char* entry) noexcept {
  const char* const value = strchr(entry, '=') + 1;
  const std::size_t length = strlen(kTracerChosenByLibrary);
  if (strncmp(value, kTracerChosenByLibrary, length) != 0) return {};
  return {true, value[length] == ' ' ? atoi(value + length) : 0};
}

/// The path of another tracer of this installation: .../openmpi/libmeridian.so for .../mpich/libmeridian.so.
bool find_tracer(const char* own, Interface interface, char* path, std::size_t room) noexcept {
  const char* const file = strrchr(own, '/');
  if (file == nullptr) return false;
  const char* folder = file;
  while (folder > own && folder[-1] != '/') --folder;
  const int length =
      snprintf(path, room, "%.*s%s%s", static_cast<int>(folder - own), own, interface_folder(interface), file);
  return length > 0 && static_cast<std::size_t>(length) < room && access(path, R_OK) == 0;
}

/// The program's own path. False: another program has started it and would not start it again, such as valgrind or the dynamic linker.
bool find_program(const char* preload, char* path, std::size_t room) noexcept {
  const ssize_t length = readlink("/proc/self/exe", path, room - 1);
  if (length <= 0 || strstr(preload, "vgpreload") != nullptr) return false;
  path[length] = '\0';
  return strncmp(strrchr(path, '/'), "/ld-", 4) != 0 && access(path, X_OK) == 0;
}

}  // namespace

void change_tracer(Interface interface, char** arguments, char** environment) noexcept {
  Dl_info own{};
  char tracer[PATH_MAX], program[PATH_MAX], preload[2 * PATH_MAX], choice[64];
  char** const preload_entry = entry_of(environment, "LD_PRELOAD");
  char** const choice_entry = entry_of(environment, kTracerChoice);
  if (getauxval(AT_SECURE) != 0 || preload_entry == nullptr || choice_entry == nullptr) return;
  const Choice before = read_choice(*choice_entry);
  if (!before.is_open || before.changed == getpid()) return;
  if (dladdr(reinterpret_cast<const void*>(&change_tracer), &own) == 0 || own.dli_fname == nullptr) return;
  const char* const found = strstr(*preload_entry, own.dli_fname);
  if (found == nullptr || !find_tracer(own.dli_fname, interface, tracer, sizeof tracer)) return;
  if (!find_program(*preload_entry, program, sizeof program)) return;
  const int length = snprintf(preload, sizeof preload, "%.*s%s%s", static_cast<int>(found - *preload_entry),
                              *preload_entry, tracer, found + strlen(own.dli_fname));
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof preload) return;
  snprintf(choice, sizeof choice, "%s=%s %d", kTracerChoice, kTracerChosenByLibrary, getpid());
  char* const kept[] = {*preload_entry, *choice_entry};
  *preload_entry = preload;
  *choice_entry = choice;
  syscall(SYS_execve, program, arguments, environment);
  *preload_entry = kept[0];
  *choice_entry = kept[1];
}

Interface launcher_interface() noexcept {
  // Open MPI's launcher may set the other variable, too.
  if (getenv("OMPI_COMM_WORLD_RANK") != nullptr) return Interface::openmpi;
  return getenv("PMI_RANK") != nullptr ? Interface::mpich : kOwnInterface;
}

}  // namespace meridian
