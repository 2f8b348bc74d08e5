// SPDX-License-Identifier: Apache-2.0
// Clock and counters of this machine.

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "cli/doctor/checks.hpp"
#include "papi/papi_library.hpp"
#include "writer/samples/thread_event.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kSamplePeriodNs = 10'000'000;

std::string first_line(const char* path) {
  std::ifstream file{path};
  std::string line;
  std::getline(file, line);
  return line;
}

/// Whether /proc/cpuinfo lists this flag for the first processor.
[[maybe_unused]] bool has_cpu_flag(const std::string& flag) {
  std::ifstream file{"/proc/cpuinfo"};
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags")) return (line + " ").find(" " + flag + " ") != std::string::npos;
  return false;
}

Check check_papi() {
  const auto papi = probe_papi();
  if (!papi) return {"PAPI", Health::warn, papi.error().what, papi.error().hint};
  return {"PAPI", Health::ok, fmt::format("PAPI {}, {} hardware counters", papi->version, papi->hardware_counters), ""};
}

Check check_pmu() {
  const Status pmu = probe_pmu();
  if (!pmu) return {"hardware counters", Health::warn, pmu.error().what, pmu.error().hint + "; tracing works without"};
  return {"hardware counters", Health::ok, "the kernel counts instructions for this user", ""};
}

Check check_samples() {
  const auto event = ThreadEvent::open(static_cast<std::int32_t>(::getpid()), kSamplePeriodNs, CLOCK_MONOTONIC,
                                       &ThreadEvent::open_event);
  if (event) return {"samples", Health::ok, "the kernel permits samples of what programs compute", ""};
  const std::string level = first_line("/proc/sys/kernel/perf_event_paranoid");
  return {"samples", Health::warn,
          fmt::format("the kernel permits none: {}{}", event.error().what,
                      level.empty() ? "" : "; kernel.perf_event_paranoid = " + level),
          "an administrator may set it to 2: sysctl kernel.perf_event_paranoid=2 (in a container, permit "
          "perf_event_open); without that MERIDIAN_SAMPLES_BY=signal takes samples inside the program, otherwise its "
          "functions are not named"};
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
             "the tracer uses CLOCK_MONOTONIC_RAW instead; each event costs about 20 ns more"}};
  }
  return {{"clock", Health::warn, "the TSC is not invariant" + kernel,
           "the tracer uses CLOCK_MONOTONIC_RAW; each event costs about 20 ns more"}};
#elif defined(__aarch64__)
  return {{"clock", Health::ok, "CNTVCT_EL0, the counter of the generic timer" + kernel, ""}};
#else
  return {{"clock", Health::ok, "CLOCK_MONOTONIC_RAW" + kernel, ""}};
#endif
}

std::vector<Check> check_counters() { return {check_papi(), check_pmu(), check_samples()}; }

}  // namespace meridian
