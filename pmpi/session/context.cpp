// SPDX-License-Identifier: Apache-2.0
#include "pmpi/session/context.hpp"

#include <fcntl.h>
#include <fnmatch.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmpi/choice/choice.hpp"
#include "pmpi/libraries/real.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/counting.hpp"
#include "pmpi/rings/emit.hpp"
#include "pmpi/rings/thread_state.hpp"
#include "trace/model/system_clock.hpp"

extern "C" char** environ;  // NOLINT: the C library's own name

namespace meridian {
namespace {

void store_text(const char* key, const char* value) noexcept { emit_text(key, value, strlen(value), 0); }

/// Reads the beginning of a file, adds a terminating zero and returns the length; 0 if there is no file.
std::size_t read_beginning(const char* path, char* text, std::size_t room) noexcept {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t length = read(fd, text, room - 1);
  close(fd);
  text[length > 0 ? length : 0] = '\0';
  return length > 0 ? static_cast<std::size_t>(length) : 0;
}

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

/// Stores the processors that this process may run on: "0-3,8".
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

void emit_usage(const Usage& usage) noexcept {
  const std::uint64_t now = read_ticks();
  emit(Payload::usage, words_of<RecordHead> + words_of<Usage>, now, now,
       [&](std::uint64_t* body) { *reinterpret_cast<Usage*>(body) = usage; });
}

Usage ask(int who, UsageKind kind) noexcept {
  rusage used{};
  getrusage(static_cast<__rusage_who>(who), &used);
  const auto microseconds = [](const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(time.tv_usec);
  };
  Usage usage;
  usage.kind = static_cast<std::uint32_t>(kind);
  usage.user_us = microseconds(used.ru_utime);
  usage.system_us = microseconds(used.ru_stime);
  usage.minor_faults = static_cast<std::uint64_t>(used.ru_minflt);
  usage.major_faults = static_cast<std::uint64_t>(used.ru_majflt);
  usage.voluntary_switches = static_cast<std::uint64_t>(used.ru_nvcsw);
  usage.involuntary_switches = static_cast<std::uint64_t>(used.ru_nivcsw);
  if (who == RUSAGE_SELF) usage.high_water_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
  return usage;
}

/// The number after `label` in the text of a /proc file; 0 if it is missing.
std::uint64_t number_after(const char* text, const char* label) noexcept {
  const char* at = strstr(text, label);
  if (at == nullptr) return 0;
  at += strlen(label);
  while (*at == ' ' || *at == '\t') ++at;
  std::uint64_t number = 0;
  for (; *at >= '0' && *at <= '9'; ++at) number = number * 10 + static_cast<std::uint64_t>(*at - '0');
  return number;
}

/// The time that a thread of this process was ready to run and had no processor; 0 if the kernel does not count it.
std::uint64_t ready_us_of(std::int32_t kernel_tid) noexcept {
  char path[64];
  char text[128];
  snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", kernel_tid);
  if (read_beginning(path, text, sizeof text) == 0) return 0;
  return number_after(text, " ") / 1000;  // the second number, in nanoseconds
}

/// Reads the resource usage of another thread of this process. False: the thread has ended.
bool ask_thread(std::int32_t kernel_tid, Usage& usage) noexcept {
  char path[64];
  char text[4096];
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", kernel_tid);
  if (read_beginning(path, text, sizeof text) == 0) return false;
  const char* field = strrchr(text, ')');  // the name may contain blanks and parentheses
  std::uint64_t fields[16] = {};
  for (int i = 2; field != nullptr && i < 16; ++i) {
    fields[i] = number_after(field, " ");
    field = strchr(field + 1, ' ');
  }
  usage.minor_faults = fields[9];
  usage.major_faults = fields[11];
  // The total time in nanoseconds, its parts in clock ticks.
  const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(kernel_tid) << 3) | 6u);
  const std::int64_t total_ns = system_clock_ns(clock);
  if (total_ns == 0) return false;
  const std::uint64_t total_us = static_cast<std::uint64_t>(total_ns) / 1000;
  const std::uint64_t tick_us = 1'000'000 / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  usage.system_us = fields[14] * tick_us < total_us ? fields[14] * tick_us : total_us;
  usage.user_us = total_us - usage.system_us;
  snprintf(path, sizeof path, "/proc/self/task/%d/status", kernel_tid);
  if (read_beginning(path, text, sizeof text) == 0) return false;
  usage.voluntary_switches = number_after(text, "\nvoluntary_ctxt_switches:");
  usage.involuntary_switches = number_after(text, "\nnonvoluntary_ctxt_switches:");
  return true;
}

}  // namespace

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
  store_recording(true);
  store_counter_names();
  store_usage(UsageKind::process_begin);
}

void store_usage(UsageKind kind, std::uint64_t ready_us) noexcept {
  const bool is_process = kind == UsageKind::process_begin || kind == UsageKind::process_end;
  Usage usage = ask(is_process ? RUSAGE_SELF : RUSAGE_THREAD, kind);
  if (t_state.slot == nullptr) return;
  usage.thread = t_state.slot->thread;
  usage.ready_us = ready_us;
  emit_usage(usage);
}

void store_usage_of_all() noexcept {
  if (g_session.ring == nullptr) return;
  std::uint64_t all_ready_us = 0;
  for (std::uint32_t i = 0; i < g_session.ring->slot_count; ++i) {
    RingSlot& slot = g_session.slots[i];
    if (&slot == t_state.slot || slot.state.load(std::memory_order_acquire) != SlotState::active) continue;
    Usage usage;
    usage.kind = static_cast<std::uint32_t>(UsageKind::thread_end);
    usage.thread = slot.thread;
    if (slot.kernel_tid <= 0 || !ask_thread(slot.kernel_tid, usage)) continue;
    usage.ready_us = ready_us_of(slot.kernel_tid);
    all_ready_us += usage.ready_us;
    emit_usage(usage);
  }
  const std::uint64_t ready_us = ready_us_of(static_cast<std::int32_t>(syscall(SYS_gettid)));
  store_usage(UsageKind::thread_end, ready_us);
  store_usage(UsageKind::process_end, all_ready_us + ready_us);
}

}  // namespace meridian
