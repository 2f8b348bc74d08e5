// SPDX-License-Identifier: Apache-2.0
#include "papi/papi_library.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "papi/papi_api.hpp"

namespace meridian {
Result<PapiLibrary> probe_papi() {
  const char* why = nullptr;
  const PapiApi* const papi = load_papi(why);
  if (papi == nullptr)
    return Error{Errc::not_found, std::string("cannot use PAPI: ") + why, "install libpapi (Debian: libpapi-dev)"};
  PapiLibrary found;
  found.file = papi->file;
  found.version = std::to_string(papi->version >> 24 & 255) + "." + std::to_string(papi->version >> 16 & 255) + "." +
                  std::to_string(papi->version >> 8 & 255);
  const int counters = papi->num_cmp_hwctrs(0);
  found.hardware_counters = counters > 0 ? counters : 0;
  return found;
}

Status probe_pmu() {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  const auto counter = static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (counter >= 0) {
    ::close(counter);
    return {};
  }
  const int reason = errno;
  if (reason == EACCES || reason == EPERM)
    return Error{Errc::io, "the kernel does not permit counting",
                 "lower /proc/sys/kernel/perf_event_paranoid to 2 or less"};
  return Error{Errc::unsupported, std::string("there is no PMU to count with (") + std::strerror(reason) + ")",
               "counters that need none (rusage, software-defined events) still work"};
}

}  // namespace meridian
