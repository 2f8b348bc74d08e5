// Clock and counters of this machine.

#include <dlfcn.h>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "cli/doctor/checks.hpp"
#include "trace/model/handles.hpp"

namespace meridian {
namespace {

int close_library(void* library) { return ::dlclose(library) == 0 ? 0 : -1; }
using Library = Unique<&close_library, static_cast<void*>(nullptr)>;
using Descriptor = Unique<&::close, -1>;

std::string first_line(const char* path) {
  std::ifstream file{path};
  std::string line;
  std::getline(file, line);
  return line;
}

/// Whether /proc/cpuinfo lists this flag for the first processor.
bool has_cpu_flag(const std::string& flag) {
  std::ifstream file{"/proc/cpuinfo"};
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags")) return (line + " ").find(" " + flag + " ") != std::string::npos;
  return false;
}

Check check_papi() {
  for (const char* const name : {"libpapi.so.7.1", "libpapi.so.7.0", "libpapi.so.7", "libpapi.so.6.0", "libpapi.so.6",
                                 "libpapi.so.5", "libpapi.so"}) {
    const Library library{::dlopen(name, RTLD_LAZY | RTLD_LOCAL)};
    if (library) return {"PAPI", Health::ok, fmt::format("{} can be loaded", name), ""};
  }
  return {"PAPI", Health::warn, "libpapi is not found: no PAPI counters", "install libpapi (Debian: libpapi-dev)"};
}

Check check_pmu() {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  const Descriptor counter{
      static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC))};
  const int reason = errno;
  if (counter) return {"hardware counters", Health::ok, "the kernel counts instructions for this user", ""};
  const std::string paranoid = first_line("/proc/sys/kernel/perf_event_paranoid");
  if (reason == EACCES || reason == EPERM)
    return {"hardware counters", Health::warn, fmt::format("not permitted (perf_event_paranoid is {})", paranoid),
            "ask for sysctl kernel.perf_event_paranoid=2 or lower; tracing works without"};
  return {"hardware counters", Health::warn, fmt::format("this machine offers none ({})", std::strerror(reason)),
          "usual on virtual machines; tracing works without"};
}

}  // namespace

std::vector<Check> check_clock() {
  const std::string source = first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  const std::string kernel = source.empty() ? "" : fmt::format("; the kernel uses {}", source);
#if defined(__x86_64__)
  if (has_cpu_flag("constant_tsc") && has_cpu_flag("nonstop_tsc")) {
    if (source.empty() || source == "tsc" || source.starts_with("kvm") || source.starts_with("hyperv"))
      return {{"clock", Health::ok, "invariant TSC" + kernel, ""}};
    return {{"clock", Health::warn, "invariant TSC, but the kernel does not trust it" + kernel,
             "the tracer takes CLOCK_MONOTONIC_RAW then; each event costs some 20 ns more"}};
  }
  return {{"clock", Health::warn, "the TSC is not invariant" + kernel,
           "the tracer takes CLOCK_MONOTONIC_RAW; each event costs some 20 ns more"}};
#else
  return {{"clock", Health::ok, "CLOCK_MONOTONIC_RAW" + kernel, ""}};
#endif
}

std::vector<Check> check_counters() { return {check_papi(), check_pmu()}; }

}  // namespace meridian
