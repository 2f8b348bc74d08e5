// SPDX-License-Identifier: Apache-2.0
#include "papi/papi_api.hpp"

#include <dlfcn.h>
#include <pthread.h>

namespace meridian {
namespace {

struct Candidate {
  const char* file;
  int version;  ///< the argument that PAPI_library_init() expects
};

constexpr int version_word(int major, int minor) noexcept { return major << 24 | minor << 16; }

constexpr Candidate kCandidates[] = {
    {"libpapi.so.7.2", version_word(7, 2)}, {"libpapi.so.7.1", version_word(7, 1)},
    {"libpapi.so.7.0", version_word(7, 0)}, {"libpapi.so.6.0", version_word(6, 0)},
    {"libpapi.so.5.7", version_word(5, 7)},
};

template <class Function>
bool resolve(void* library, Function*& slot, const char* name) noexcept {
  slot = reinterpret_cast<Function*>(dlsym(library, name));
  return slot != nullptr;
}

bool resolve_all(void* library, PapiApi& api) noexcept {
  return resolve(library, api.library_init, "PAPI_library_init") &&
         resolve(library, api.is_initialized, "PAPI_is_initialized") &&
         resolve(library, api.thread_init, "PAPI_thread_init") &&
         resolve(library, api.unregister_thread, "PAPI_unregister_thread") &&
         resolve(library, api.event_name_to_code, "PAPI_event_name_to_code") &&
         resolve(library, api.event_code_to_name, "PAPI_event_code_to_name") &&
         resolve(library, api.get_event_component, "PAPI_get_event_component") &&
         resolve(library, api.query_event, "PAPI_query_event") && resolve(library, api.enum_event, "PAPI_enum_event") &&
         resolve(library, api.enum_cmp_event, "PAPI_enum_cmp_event") &&
         resolve(library, api.num_components, "PAPI_num_components") &&
         resolve(library, api.get_component_info, "PAPI_get_component_info") &&
         resolve(library, api.num_cmp_hwctrs, "PAPI_num_cmp_hwctrs") &&
         resolve(library, api.create_eventset, "PAPI_create_eventset") &&
         resolve(library, api.add_event, "PAPI_add_event") && resolve(library, api.start, "PAPI_start") &&
         resolve(library, api.read, "PAPI_read") && resolve(library, api.stop, "PAPI_stop") &&
         resolve(library, api.cleanup_eventset, "PAPI_cleanup_eventset") &&
         resolve(library, api.destroy_eventset, "PAPI_destroy_eventset") &&
         resolve(library, api.multiplex_init, "PAPI_multiplex_init") &&
         resolve(library, api.assign_eventset_component, "PAPI_assign_eventset_component") &&
         resolve(library, api.set_multiplex, "PAPI_set_multiplex") && resolve(library, api.strerror, "PAPI_strerror");
}

unsigned long thread_id() noexcept { return static_cast<unsigned long>(pthread_self()); }

/// Null on success, otherwise the reason for the failure.
const char* load(PapiApi& api) noexcept {
  for (const Candidate& candidate : kCandidates) {
    void* const library = dlopen(candidate.file, RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) continue;
    if (!resolve_all(library, api)) return "libpapi lacks functions that every PAPI has";
    resolve(library, api.get_event_info, "PAPI_get_event_info");
    // The result is the library's own version, or negative; only major and minor have to agree.
    const int answer = api.library_init(candidate.version);
    if (answer < 0 || (answer >> 16) != (candidate.version >> 16))
      return "libpapi does not accept the version in its own name";
    if (api.thread_init(&thread_id) != kPapiOk) return "libpapi refuses to count threads";
    api.file = candidate.file;
    api.version = answer;
    return nullptr;
  }
  return "no libpapi of version 5.7 to 7.2 is found";
}

}  // namespace

const PapiApi* load_papi(const char*& why) noexcept {
  static PapiApi api;
  static const char* problem = nullptr;
  if (api.file == nullptr && problem == nullptr) problem = load(api);
  why = problem;
  return problem == nullptr ? &api : nullptr;
}

}  // namespace meridian
