// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which counters a process reads: what the user asked for, against what this machine can count. Used inside the traced
// program, so nothing here allocates, throws or needs more than libc; cold.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "papi/papi_api.hpp"
#include "trace/model/event.hpp"

namespace meridian {

/// What a thread has used of the system, by getrusage(RUSAGE_THREAD): needs no PMU and no permission.
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

/// Who is asked for a value.
enum class CounterSource : std::uint8_t {
  papi,
  sde,     ///< libsde, directly: PAPI would set a shared event back to 0 whenever a thread starts to count it
  rusage,  ///< the kernel
};

enum class CounterStatus : std::uint8_t {
  counted,
  unknown,      ///< no such event; `nearest` may say what was meant
  unavailable,  ///< it exists, but this machine cannot count it; `why`
  conflict,     ///< not together with those before it
  too_many,     ///< beyond kMaxCounters
  no_papi,      ///< PAPI cannot be used; `why`
};

/// One item of the list that the user gave.
struct CounterRequest {
  char name[kCounterNameBytes] = {};
  char nearest[kCounterNameBytes] = {};  ///< empty: nothing near
  CounterStatus status{};
  const char* why = "";  ///< lives on
  CounterSource source{};
  RusageField field{};
  int code = 0;       ///< PAPI's, or libsde's
  int component = 0;  ///< PAPI's; an event set holds one component's events
};

inline constexpr int kMaxRequests = 64;
inline constexpr int kMaxSets = 4;

struct CounterPlan {
  CounterRequest requests[kMaxRequests];
  int requested = 0;
  /// The values' order: indexes into `requests`, events of one set together, then those of libsde, then rusage.
  int order[kMaxCounters] = {};
  int count = 0;  ///< 0: nothing is counted
  int sets = 0;
  int set_first[kMaxSets + 1] = {};  ///< set s holds order[set_first[s]] up to order[set_first[s + 1]]
  bool may_take_turns = false;       ///< asked for: counters that do not fit at once are counted by turns
  bool takes_turns[kMaxSets] = {};   ///< the set's values are estimates
  bool is_fallback = false;          ///< nothing that was asked for can be counted: all of rusage instead
  bool is_cut = false;               ///< more than kMaxRequests items
  int sde_count = 0;                 ///< values from set_first[sets] on that libsde has
  const PapiApi* papi = nullptr;     ///< null when no event of PAPI's is counted
  int (*read_sde)(std::uint32_t code, long long* value) = nullptr;  ///< null when libsde is not in this process

  const CounterRequest& at(int value) const noexcept { return requests[order[value]]; }
  bool has_problems() const noexcept;
  bool has_estimates() const noexcept;
};

/// Decides what to count of `list` ("PAPI_TOT_INS,rusage:minflt"; "rusage" is all of it; "none" or "" is nothing), by
/// trying it out on the calling thread. PAPI is loaded only when the list names an event that is not rusage's.
/// may_take_turns  what does not fit at once is multiplexed.
void plan_counters(std::string_view list, bool has_fallback, CounterPlan& plan, bool may_take_turns = false) noexcept;

/// The problems of the plan and what is counted, in one line without an end: "there is no event 'PAPI_TOT_INZ' (did you
/// mean PAPI_TOT_INS?); counting PAPI_TOT_CYC". Cut at `room`.
void describe_problems(const CounterPlan& plan, char* text, std::size_t room) noexcept;

/// The names of what is counted, or their units, in the order of the values, separated by commas. Cut at `room`.
void list_counters(const CounterPlan& plan, bool units, char* text, std::size_t room) noexcept;

/// The names of those whose values are estimates, separated by commas. Cut at `room`.
void list_estimates(const CounterPlan& plan, char* text, std::size_t room) noexcept;

/// Makes and starts the plan's event sets for the calling thread. False: `why` says why, and nothing is left behind.
bool start_sets(const CounterPlan& plan, int* sets, const char*& why) noexcept;
void stop_sets(const CounterPlan& plan, int* sets) noexcept;

/// Hands every name that PAPI knows on this machine to visit(name, code, context), presets first; names last until the
/// visit returns.
void visit_events(const PapiApi& papi, void (*visit)(const char* name, int code, void* context),
                  void* context) noexcept;

}  // namespace meridian
