// SPDX-License-Identifier: Apache-2.0
#pragma once

// Determines the counters that a process reads: those of the user's list that this machine can count. Runs inside the
// traced program, so nothing here allocates, throws or needs more than libc; cold.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "papi/papi_api.hpp"
#include "trace/model/event.hpp"

namespace meridian {

/// System resources that a thread has used, from getrusage(RUSAGE_THREAD), which needs no PMU and no permission.
enum class RusageField : std::uint8_t { minflt, majflt, nvcsw, nivcsw, utime_us, stime_us, count_ };
inline constexpr std::size_t kRusageFields = static_cast<std::size_t>(RusageField::count_);
inline constexpr std::string_view kRusagePrefix = "rusage:";
inline constexpr std::string_view kRusageNames[kRusageFields] = {"rusage:minflt", "rusage:majflt",   "rusage:nvcsw",
                                                                 "rusage:nivcsw", "rusage:utime_us", "rusage:stime_us"};
inline constexpr std::string_view kRusageTexts[kRusageFields] = {
    "page faults without I/O", "page faults with I/O",      "voluntary context switches",
    "involuntary switches",    "user time in microseconds", "system time in microseconds"};

/// The unit of a counter's values: "us" or "1" (a count).
constexpr std::string_view counter_unit(std::string_view name) noexcept {
  return name == kRusageNames[4] || name == kRusageNames[5] ? "us" : "1";
}

/// The provider of a value.
enum class CounterSource : std::uint8_t {
  papi,
  sde,     ///< libsde, directly: PAPI would reset a shared event to 0 whenever a thread starts to count it
  rusage,  ///< the kernel
};

enum class CounterStatus : std::uint8_t {
  counted,
  unknown,      ///< no such event; `nearest` may hold a similar name
  unavailable,  ///< it exists, but this machine cannot count it; see `why`
  conflict,     ///< cannot be counted together with the requests before it
  too_many,     ///< exceeds kMaxCounters
  no_papi,      ///< PAPI cannot be used; see `why`
};

/// One item of the list that the user gave.
struct CounterRequest {
  char name[kCounterNameBytes] = {};
  char nearest[kCounterNameBytes] = {};  ///< empty: no similar name
  CounterStatus status{};
  const char* why = "";  ///< static string
  CounterSource source{};
  RusageField field{};
  int code = 0;       ///< code of PAPI or of libsde
  int component = 0;  ///< PAPI's component; an event set holds events of one component
};

inline constexpr int kMaxRequests = 64;
inline constexpr int kMaxSets = 4;

struct CounterPlan {
  CounterRequest requests[kMaxRequests];
  int requested = 0;
  /// The order of the values, as indexes into `requests`: the events of each set, then those of libsde, then rusage.
  int order[kMaxCounters] = {};
  int count = 0;  ///< 0: nothing is counted
  int sets = 0;
  int set_first[kMaxSets + 1] = {};  ///< set s holds order[set_first[s]] up to order[set_first[s + 1]]
  bool may_take_turns = false;       ///< the user permits multiplexing of counters that do not fit at the same time
  bool takes_turns[kMaxSets] = {};   ///< the set's values are estimates
  bool is_fallback = false;          ///< no requested counter can be counted: all of rusage instead
  bool is_cut = false;               ///< the list has more than kMaxRequests items
  int sde_count = 0;                 ///< values from libsde, beginning at set_first[sets]
  const PapiApi* papi = nullptr;     ///< null if no event of PAPI is counted
  int (*read_sde)(std::uint32_t code, long long* value) = nullptr;  ///< null if libsde is not in this process

  const CounterRequest& at(int value) const noexcept { return requests[order[value]]; }
  bool has_problems() const noexcept;
  bool has_estimates() const noexcept;
};

/// Decides which counters of `list` to use, by trying them out on the calling thread. The list has names
/// ("PAPI_TOT_INS,rusage:minflt"); "rusage" is all of rusage; "none" or "" is nothing. PAPI is loaded only if the list
/// names an event outside rusage.
/// may_take_turns  multiplex counters that do not fit at the same time.
void plan_counters(std::string_view list, bool has_fallback, CounterPlan& plan, bool may_take_turns = false) noexcept;

/// Describes the problems of the plan and the resulting counters, on one line without a line end: "there is no event
/// 'PAPI_TOT_INZ' (did you mean PAPI_TOT_INS?); counting PAPI_TOT_CYC". Truncated to `room`.
void describe_problems(const CounterPlan& plan, char* text, std::size_t room) noexcept;

/// The names of the counters, or their units, in the order of the values, separated by commas. Truncated to `room`.
void list_counters(const CounterPlan& plan, bool units, char* text, std::size_t room) noexcept;

/// The names of the counters whose values are estimates, separated by commas. Truncated to `room`.
void list_estimates(const CounterPlan& plan, char* text, std::size_t room) noexcept;

/// Makes and starts the plan's event sets on the calling thread. False: `why` gives the reason, and no set exists.
bool start_sets(const CounterPlan& plan, int* sets, const char*& why) noexcept;
void stop_sets(const CounterPlan& plan, int* sets) noexcept;

/// Calls visit(name, code, context) for every name that PAPI knows on this machine, presets first. A name is valid
/// until the visit returns.
void visit_events(const PapiApi& papi, void (*visit)(const char* name, int code, void* context),
                  void* context) noexcept;

}  // namespace meridian
