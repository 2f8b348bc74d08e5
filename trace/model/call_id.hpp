// SPDX-License-Identifier: Apache-2.0
#pragma once

// CallId, names, groups and roles: expansions of mpi_calls.def and other_calls.def.

#include <array>
#include <cstdint>
#include <string_view>

namespace meridian {

/// One value per row of mpi_calls.def, then of other_calls.def. 0 is for records that are not calls. Values change when
/// the table grows: a rank file contains the names of the values that it uses.
enum class CallId : std::uint16_t {
  none = 0,
#define MERIDIAN_CALL_AS(type, name, group, params, args, recorded) name,
#include "trace/model/mpi_calls.def"
#define MERIDIAN_OTHER_CALL(id, printed, group, use, waits) id,
#include "trace/model/other_calls.def"
  count_
};
inline constexpr std::size_t kCallCount = static_cast<std::size_t>(CallId::count_);
/// MPI calls have the values from 1 to this one.
inline constexpr std::size_t kMpiCallCount = 0
#define MERIDIAN_CALL_AS(type, name, group, params, args, recorded) +1
#include "trace/model/mpi_calls.def"
    ;
constexpr bool is_mpi(CallId id) noexcept {
  return id != CallId::none && static_cast<std::size_t>(id) <= kMpiCallCount;
}

/// The subject of a call; the unit in which recording is switched on and off.
enum class CallGroup : std::uint8_t {
  none,
#define MERIDIAN_GROUP(name, text) name,
#include "trace/model/call_groups.def"
  count_
};

struct CallInfo {
  std::string_view name;  ///< as printed: "MPI_Send", "pthread_join"
  CallGroup group;
};

inline constexpr std::array<CallInfo, kCallCount> kCalls{{
    {"", CallGroup::none},
#define MERIDIAN_CALL_AS(type, name, group, params, args, recorded) {"MPI_" #name, CallGroup::group},
#include "trace/model/mpi_calls.def"
#define MERIDIAN_OTHER_CALL(id, printed, group, use, waits) {printed, CallGroup::group},
#include "trace/model/other_calls.def"
}};

struct GroupInfo {
  std::string_view name;
  std::string_view text;
};
inline constexpr std::array<GroupInfo, static_cast<std::size_t>(CallGroup::count_)> kGroups{{
    {"", ""},
#define MERIDIAN_GROUP(name, text) {#name, text},
#include "trace/model/call_groups.def"
}};

constexpr const CallInfo& info(CallId id) noexcept { return kCalls[static_cast<std::size_t>(id)]; }

/// The id of a name such as "MPI_Send"; CallId::none for an unknown name.
constexpr CallId call_by_name(std::string_view name) noexcept {
  for (std::size_t i = 1; i < kCallCount; ++i)
    if (kCalls[i].name == name) return static_cast<CallId>(i);
  return CallId::none;
}

}  // namespace meridian
