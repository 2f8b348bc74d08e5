// SPDX-License-Identifier: Apache-2.0
#pragma once

// The options: table, names, values. Used inside the traced program, so nothing here allocates, throws or needs more
// than the language and header-only types.
//
// The value in force comes from the environment, otherwise from the configuration file, otherwise from the table:
//
//   OptionValues values = default_options();
//   for each line of the file:      parse_setting(line)  -> assign(values, key, value, OptionSource::file)
//   for each entry of the environment: parse_variable(entry) -> assign(values, key, value, OptionSource::environment)

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "trace/model/nearest_name.hpp"
#include "trace/model/option_range.hpp"
#include "trace/model/option_text.hpp"
#include "trace/model/rank_list.hpp"

namespace meridian {

enum class OptionId : std::uint8_t {
#define MERIDIAN_OPTION(name, NAME, type, fallback, minimum, maximum, unit, sentence) name,
#include "trace/model/options.def"
  count_
};
inline constexpr std::size_t kOptionCount = static_cast<std::size_t>(OptionId::count_);

struct OptionInfo {
  std::string_view key;       ///< "BUFFER"
  std::string_view variable;  ///< "MERIDIAN_BUFFER"
  OptionType type{};
  std::string_view fallback;  ///< the default in the user's notation; for a path it may be a description
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  std::string_view unit;  ///< of a number or range; the choices of a choice
  std::string_view text;  ///< one sentence
};

inline constexpr std::array<OptionInfo, kOptionCount> kOptions{{
#define MERIDIAN_OPTION(name, NAME, type, fallback, minimum, maximum, unit, sentence) \
  {#NAME, "MERIDIAN_" #NAME, OptionType::type, fallback, minimum, maximum, unit, sentence},
#include "trace/model/options.def"
}};

inline constexpr std::array<std::string_view, kOptionCount> kOptionKeys{{
#define MERIDIAN_OPTION(name, NAME, type, fallback, minimum, maximum, unit, sentence) #NAME,
#include "trace/model/options.def"
}};

inline constexpr std::string_view kVariablePrefix = "MERIDIAN_";

/// Set by `meridian run`, not by users: LD_PRELOAD before the run, possibly empty. If it is set, the command has
/// already reported unknown variables and invalid values.
inline constexpr std::string_view kRunVariable = "MERIDIAN_RUN_PRELOAD";
inline constexpr std::string_view kRunKey = "RUN_PRELOAD";

/// Set by `meridian run` without --quiet: "PID DEVICE INODE", the process that it becomes and the standard error of that
/// process; zeros for a launcher, whose processes have others. Not a MERIDIAN_ variable: it differs from rank to rank and must not be stored in the trace.
inline constexpr const char* kRunProcess = "_MERIDIAN_RUN";

/// Set by the tracer for processes that MPI_Comm_spawn starts: "TOKEN:DIRECTORY". TOKEN is in the parents' trace;
/// DIRECTORY is for the children's trace and is below the parents' directory.
inline constexpr std::string_view kSpawnedVariable = "MERIDIAN_SPAWNED";
inline constexpr std::string_view kSpawnedKey = "SPAWNED";
/// The settings of the parents, beside the children's directory.
inline constexpr std::string_view kSpawnedConfig = "spawned.conf";

constexpr const OptionInfo& info(OptionId id) noexcept { return kOptions[static_cast<std::size_t>(id)]; }

/// The option with this key ("BUFFER", any case); OptionId::count_ if there is none.
constexpr OptionId option_by_key(std::string_view key) noexcept {
  for (std::size_t i = 0; i < kOptionCount; ++i)
    if (same_name(kOptionKeys[i], key)) return static_cast<OptionId>(i);
  return OptionId::count_;
}

/// The key that the user most likely meant; empty if none is near.
constexpr std::string_view nearest_option_key(std::string_view key) noexcept {
  return nearest_name(key, std::span<const std::string_view>(kOptionKeys));
}

enum class OptionSource : std::uint8_t { fallback, file, environment };

struct OptionValue {
  std::string_view text;    ///< in the user's notation; owned by the caller of assign()
  std::int64_t number = 0;  ///< bytes, seconds, count, 0/1, index of the choice, bit mask of CallGroup values
  OptionSource source{};
};

struct OptionValues {
  std::array<OptionValue, kOptionCount> values{};

  constexpr const OptionValue& operator[](OptionId id) const noexcept { return values[static_cast<std::size_t>(id)]; }
  constexpr std::int64_t number(OptionId id) const noexcept { return (*this)[id].number; }
  constexpr bool is_on(OptionId id) const noexcept { return (*this)[id].number != 0; }
  /// The value of an option of type range.
  constexpr Range range(OptionId id) const noexcept {
    Range result;
    static_cast<void>(parse_range((*this)[id].text, info(id).unit, result));
    return result;
  }
  /// The path that the user gave; empty if none was given.
  constexpr std::string_view path(OptionId id) const noexcept {
    return (*this)[id].source == OptionSource::fallback ? std::string_view{} : (*this)[id].text;
  }
};

/// The value of `text` for this option, checked against type and range.
constexpr ParsedOption parse_option(OptionId id, std::string_view text) noexcept {
  const OptionInfo& option = info(id);
  if (option.type == OptionType::range) {
    Range range;
    return {0, parse_range(text, option.unit, range), text};
  }
  if (option.type == OptionType::ranks) {
    std::string_view problem;
    return {0, is_rank_list(text, problem) ? TextProblem::none : TextProblem::malformed, problem};
  }
  return parse_option_text(option.type, text, option.minimum, option.maximum, option.unit);
}

constexpr OptionValues default_options() noexcept {
  OptionValues result;
  for (std::size_t i = 0; i < kOptionCount; ++i)
    result.values[i] = {kOptions[i].fallback, parse_option(static_cast<OptionId>(i), kOptions[i].fallback).number,
                        OptionSource::fallback};
  return result;
}

/// The problem that assign() found; the value then remains unchanged.
enum class OptionProblem : std::uint8_t { none, unknown_key, bad_value, out_of_range };

/// Sets the option named `key` from `text`, unless a source with precedence has set it before. An empty text means the
/// default and is not a problem. `text` must live as long as `values`.
constexpr OptionProblem assign(OptionValues& values, std::string_view key, std::string_view text,
                               OptionSource source) noexcept {
  const OptionId id = option_by_key(key);
  if (id == OptionId::count_) return OptionProblem::unknown_key;
  if (text.empty()) return OptionProblem::none;
  const ParsedOption parsed = parse_option(id, text);
  if (parsed.problem == TextProblem::malformed) return OptionProblem::bad_value;
  if (parsed.problem == TextProblem::out_of_range) return OptionProblem::out_of_range;
  OptionValue& value = values.values[static_cast<std::size_t>(id)];
  if (source >= value.source) value = {text, parsed.number, source};
  return OptionProblem::none;
}

/// One "NAME=value". `is_ours` is false if it is not a setting of Meridian.
struct Setting {
  bool is_ours = false;
  bool is_malformed = false;  ///< a line of a configuration file that is neither a setting, nor a comment, nor empty
  std::string_view key;       ///< without the prefix
  std::string_view value;     ///< without surrounding blanks
};

/// Splits an entry of the environment. Not ours: other prefixes, kRunVariable, kSpawnedVariable.
constexpr Setting parse_variable(std::string_view entry) noexcept {
  if (!starts_with(entry, kVariablePrefix)) return {};
  const std::string_view rest{entry.data() + kVariablePrefix.size(), entry.size() - kVariablePrefix.size()};
  const std::size_t equals = find_char(rest, '=');
  if (equals == rest.size()) return {};
  const std::string_view key{rest.data(), equals};
  if (key == kRunKey || key == kSpawnedKey) return {};
  return {true, false, key, {rest.data() + equals + 1, rest.size() - equals - 1}};
}

/// Splits a line of a configuration file, given without its end of line: `BUFFER = 4M`, `MERIDIAN_BUFFER=4M`, `# ...`.
constexpr Setting parse_setting(std::string_view line) noexcept {
  const std::string_view text = trim({line.data(), find_char(line, '#')});
  if (text.empty()) return {};
  const std::size_t equals = find_char(text, '=');
  if (equals == text.size()) return {false, true, text, {}};
  std::string_view key = trim({text.data(), equals});
  if (starts_with(key, kVariablePrefix)) key.remove_prefix(kVariablePrefix.size());
  if (key.empty()) return {false, true, text, {}};
  return {true, false, key, trim({text.data() + equals + 1, text.size() - equals - 1})};
}

/// Calls of MPI from one place that are recorded before short ones become sums, for each call that MERIDIAN_THROTTLE allows a function
/// of the program.
inline constexpr std::uint64_t kShortCallsAThrottle = 100;

}  // namespace meridian
