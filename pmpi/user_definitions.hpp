#pragma once

// What the definitions of user events are made of. Cold.

#include <cstdint>
#include <string_view>

#include "pmpi/user_events.hpp"

namespace meridian {

/// "NAME, i64(thief), text(why)" taken apart.
struct UserFields {
  static constexpr std::size_t kMostBytes = 512;
  std::string_view name;
  std::uint8_t words = 0;
  std::uint8_t texts = 0;
  bool is_valid = true;        ///< false: more fields than an event has, too long, or a type that there is not
  char text[kMostBytes] = {};  ///< "thief:i64 why:text"
  std::size_t bytes = 0;
};

/// `kind` is MERIDIAN_KIND_EVENT, or MERIDIAN_KIND_NUMBERS, whose fields are expressions.
void parse_user_fields(int kind, std::string_view text, UserFields& fields) noexcept;

/// True for i64, u64, f64, text.
bool is_user_type(std::string_view type) noexcept;

/// Reads MERIDIAN_EVENTS. False: there are mistakes, said on standard error if `report`.
bool read_user_file(bool report) noexcept;

/// The number that the file gives to a level; -1: none.
std::int64_t level_number(std::string_view level) noexcept;

/// Gives the fields the names, and for numbers also the types, that the file declares for the event.
void take_declared_fields(int kind, std::string_view level, UserFields& fields) noexcept;

/// Copies a text to memory that is never given back; empty when there is none.
std::string_view keep_text(std::string_view text) noexcept;
/// `bytes` of zeroed memory, aligned to 16; null when there is none.
void* keep_bytes(std::size_t bytes) noexcept;

}  // namespace meridian
