// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parts of the definitions of user events. Cold.

#include <cstdint>
#include <string_view>

#include "include/meridian/user_abi.h"
#include "pmpi/user/events.hpp"
#include "trace/model/level_rules.hpp"

namespace meridian {

/// The parts of "NAME, i64(thief), text(why)".
struct UserFields {
  static constexpr std::size_t kMostBytes = 512;
  std::string_view name;
  std::uint8_t words = 0;
  std::uint8_t texts = 0;
  bool is_valid = true;        ///< false: too many fields, too long, or an unknown type
  char text[kMostBytes] = {};  ///< "thief:i64 why:text"
  std::size_t bytes = 0;
};

/// `kind` is MERIDIAN_KIND_EVENT, or MERIDIAN_KIND_NUMBERS, whose fields are expressions.
void parse_user_fields(int kind, std::string_view text, UserFields& fields) noexcept;

/// True for i64, u64, f64, text.
bool is_user_type(std::string_view type) noexcept;

/// Reads MERIDIAN_EVENTS. False: it has errors, reported on standard error if `report`.
bool read_user_file(bool report) noexcept;

/// The number of a level in the file; -1: none.
std::int64_t level_number(std::string_view level) noexcept;

/// Sets the names of the fields, and for numbers also the types, to those that the file declares for the event.
void take_declared_fields(int kind, std::string_view level, UserFields& fields) noexcept;

/// Opens and closes the gates of user events: all are closed unless `recording`; otherwise those that is_chosen()
/// selects are open, except for switches by the program. Applies to later definitions, too.
void apply_user_levels(bool recording, bool (*is_chosen)(const Choosable&) noexcept) noexcept;

/// Most names that the program may switch.
inline constexpr std::size_t kMostUserSwitches = 64;

/// meridian_user_api::define
const meridian_gate* define_for_program(int kind, const char* level, const char* name);

/// Switches some user events on behalf of the program. False: the switch cannot be stored.
bool switch_user_events(const char* what, bool is_on) noexcept;

/// Whether the session has started. Without MPI it is tried again now and then: MPI may be loaded later.
bool is_ready_for_events() noexcept;

}  // namespace meridian
