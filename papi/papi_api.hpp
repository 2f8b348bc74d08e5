// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions of PAPI that are used, found at run time: nothing links libpapi or needs its header. Runs inside the
// traced program, so nothing here allocates, throws or needs more than libc.

namespace meridian {

/// PAPI's values, which are the same in all versions of kPapiFiles.
inline constexpr int kPapiOk = 0;
inline constexpr int kPapiConflict = -8;  ///< PAPI_ECNFLCT: cannot be counted together with the events of the set
inline constexpr int kPapiNull = -1;      ///< PAPI_NULL: no event set
inline constexpr int kPapiPresetMask = static_cast<int>(0x80000000u);
inline constexpr int kPapiNativeMask = 0x40000000;
inline constexpr int kPapiEnumEvents = 0;
inline constexpr int kPapiEnumFirst = 1;
inline constexpr int kPapiNameBytes = 1024;  ///< longest name that event_code_to_name() stores

struct PapiApi {
  const char* file = nullptr;  ///< argument of dlopen
  int version = 0;             ///< one byte each for major, minor, revision and increment, highest first

  int (*library_init)(int version) = nullptr;
  int (*is_initialized)() = nullptr;
  int (*thread_init)(unsigned long (*thread_id)()) = nullptr;
  int (*unregister_thread)() = nullptr;
  int (*event_name_to_code)(const char* name, int* code) = nullptr;
  int (*event_code_to_name)(int code, char* name) = nullptr;
  int (*get_event_component)(int code) = nullptr;
  int (*query_event)(int code) = nullptr;
  int (*enum_event)(int* code, int modifier) = nullptr;
  int (*enum_cmp_event)(int* code, int modifier, int component) = nullptr;
  int (*num_components)() = nullptr;
  const void* (*get_component_info)(int component) = nullptr;
  int (*num_cmp_hwctrs)(int component) = nullptr;
  int (*create_eventset)(int* set) = nullptr;
  int (*add_event)(int set, int code) = nullptr;
  int (*start)(int set) = nullptr;
  int (*read)(int set, long long* values) = nullptr;
  int (*stop)(int set, long long* values) = nullptr;
  int (*cleanup_eventset)(int set) = nullptr;
  int (*destroy_eventset)(int* set) = nullptr;
  const char* (*strerror)(int code) = nullptr;
  int (*multiplex_init)() = nullptr;
  int (*assign_eventset_component)(int set, int component) = nullptr;
  int (*set_multiplex)(int set) = nullptr;
  int (*get_event_info)(int code,
                        void* info) = nullptr;  ///< may be missing; the struct differs between versions
};

/// Loads and initialises PAPI for this process once; it stays loaded. Null on failure, with a static string in `why`.
/// Not thread-safe: called while the tracing session starts, or by a command.
const PapiApi* load_papi(const char*& why) noexcept;

}  // namespace meridian
