// SPDX-License-Identifier: Apache-2.0
#include "pmpi/session/context.hpp"

#include <fnmatch.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pmpi/choice/choice.hpp"
#include "pmpi/libraries/real.hpp"
#include "pmpi/process/read_beginning.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/counting.hpp"
#include "pmpi/rings/emit.hpp"
#include "pmpi/rings/thread_state.hpp"
#include "pmpi/rings/usage.hpp"

extern "C" char** environ;  // NOLINT: the C library's own name

namespace meridian {
namespace {

void store_text(const char* key, const char* value) noexcept { emit_text(key, value, strlen(value), 0); }

void store_command_line() noexcept {
  char text[8192];
  const std::size_t length = read_beginning("/proc/self/cmdline", text, sizeof text);
  if (length == 0) return;
  for (std::size_t i = 0; i + 1 < length; ++i)
    if (text[i] == '\0') text[i] = ' ';
  emit_text("command", text, length - 1, 0);
}

void store_options() noexcept {
  for (std::size_t i = 0; i < kOptionCount; ++i) {
    const OptionValue& value = g_session.options.values[i];
    char key[64];
    snprintf(key, sizeof key, "option.%s", kOptions[i].variable.data());
    emit_text(key, value.text.data(), value.text.size(), 0);
  }
}

void store_cpu_model() noexcept {
  char text[4096];
  if (read_beginning("/proc/cpuinfo", text, sizeof text) == 0) return;
  const char* name = strstr(text, "model name");
  name = name != nullptr ? strchr(name, ':') : nullptr;
  if (name == nullptr) return;
  ++name;
  while (*name == ' ') ++name;
  const char* const end = strchr(name, '\n');
  emit_text("cpu.model", name, end != nullptr ? static_cast<std::uint64_t>(end - name) : strlen(name), 0);
}

/// Names of variables that may contain secrets.
bool is_secret(const char* name) noexcept {
  for (const char* word : {"SECRET", "TOKEN", "PASSW", "CREDENTIAL", "JWT", "_KEY", "precondition_transports"})
    if (strcasestr(name, word) != nullptr) return true;
  return false;
}

/// Stores the variables whose names match a pattern of MERIDIAN_ENV.
void store_environment() noexcept {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const char* const equals = strchr(*entry, '=');
    char key[260];
    const int length = equals != nullptr ? static_cast<int>(equals - *entry) : 0;
    if (length == 0 || length > 250) continue;
    snprintf(key, sizeof key, "env.%.*s", length, *entry);
    const char* const name = key + 4;
    std::string_view patterns = g_session.options[OptionId::env].text;
    bool is_wanted = false;
    while (!patterns.empty() && !is_wanted) {
      const std::string_view item = take_item(patterns, ',');
      char pattern[128];
      snprintf(pattern, sizeof pattern, "%.*s", static_cast<int>(item.size()), item.data());
      is_wanted = fnmatch(pattern, name, 0) == 0;
    }
    if (is_wanted && !is_secret(name)) store_text(key, equals + 1);
  }
}

}  // namespace

void store_binding() noexcept {
  constexpr int kMostProcessors = 8192;
  static constexpr std::size_t kBytes = CPU_ALLOC_SIZE(kMostProcessors);
  alignas(cpu_set_t) unsigned char mask[kBytes] = {};
  auto* const set = reinterpret_cast<cpu_set_t*>(mask);
  if (sched_getaffinity(0, kBytes, set) != 0) return;
  char text[1024];
  int used = 0;
  for (int first = 0; first < kMostProcessors; ++first) {
    if (!CPU_ISSET_S(static_cast<std::size_t>(first), kBytes, set)) continue;
    int last = first;
    while (last + 1 < kMostProcessors && CPU_ISSET_S(static_cast<std::size_t>(last) + 1, kBytes, set)) ++last;
    const std::size_t room = sizeof text - static_cast<std::size_t>(used);
    const int length = last == first ? snprintf(text + used, room, "%s%d", used > 0 ? "," : "", first)
                                     : snprintf(text + used, room, "%s%d-%d", used > 0 ? "," : "", first, last);
    if (length < 0 || static_cast<std::size_t>(length) >= room) break;
    used += length;
    first = last;
  }
  emit_text("cpu.binding", text, static_cast<std::uint64_t>(used), 0);
}

void store_context() noexcept {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  g_real.Get_library_version(text, &length);
  store_text("mpi_library", text);
  snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(nominal_tick_hz()));
  store_text("tick_hz", text);
  // The directory has a new name in every run, which is the same for all its ranks.
  const char* const slash = strrchr(g_session.ring->output_dir, '/');
  store_text("run", slash != nullptr ? slash + 1 : g_session.ring->output_dir);
  if (getcwd(text, sizeof text) != nullptr) store_text("cwd", text);
  store_command_line();
  store_cpu_model();
  store_binding();
  store_environment();
  store_options();
  store_process_usage(UsageKind::process_begin);
  store_recording(true);
  store_counter_names();
}

}  // namespace meridian
