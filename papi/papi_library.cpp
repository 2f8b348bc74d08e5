#include "papi/papi_library.hpp"

#include <dlfcn.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace meridian {
namespace {

struct Candidate {
  const char* file;
  int version;  ///< what PAPI_library_init() wants to hear: major, minor, revision, increment, a byte each
};

constexpr int version_word(int major, int minor) { return major << 24 | minor << 16; }

constexpr Candidate kCandidates[] = {
    {"libpapi.so.7.2", version_word(7, 2)}, {"libpapi.so.7.1", version_word(7, 1)},
    {"libpapi.so.7.0", version_word(7, 0)}, {"libpapi.so.6.0", version_word(6, 0)},
    {"libpapi.so.5.7", version_word(5, 7)},
};

template <class Function>
Function* find(void* library, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

}  // namespace

Result<PapiLibrary> probe_papi() {
  for (const Candidate& candidate : kCandidates) {
    void* const library = ::dlopen(candidate.file, RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) continue;
    auto* const init = find<int(int)>(library, "PAPI_library_init");
    auto* const counters = find<int()>(library, "PAPI_num_hwctrs");
    if (init == nullptr) continue;
    // The answer is the library's own version word, or negative; major and minor decide.
    const int answer = init(candidate.version);
    if (answer < 0 || (answer >> 16) != (candidate.version >> 16))
      return Error{Errc::unsupported,
                   std::string("cannot use PAPI: '") + candidate.file + "' does not accept the version in its own name",
                   "reinstall libpapi"};
    PapiLibrary found;
    found.file = candidate.file;
    found.version = std::to_string(answer >> 24 & 255) + "." + std::to_string(answer >> 16 & 255) + "." +
                    std::to_string(answer >> 8 & 255);
    if (counters != nullptr) found.hardware_counters = counters() > 0 ? counters() : 0;
    return found;
  }
  return Error{Errc::not_found, "cannot load PAPI: no libpapi of version 5.7 to 7.2 is found",
               "install libpapi (Debian: libpapi-dev)"};
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
