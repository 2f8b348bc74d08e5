// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rewriting rules: which lines of text an export makes of which events. docs/EXPORT.md, "Text by rules", has the syntax.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/model/result.hpp"

namespace meridian {

/// When a rule writes its line. Totals come last: one line, or one for each rank or thread that has such events.
enum class RuleMoment : std::uint8_t {
  begin,
  end,
  rank,
  thread,
  event,
  enter,
  leave,
  send,
  receive,
  total,
  rank_total,
  thread_total
};
inline constexpr std::size_t kRuleMoments = static_cast<std::size_t>(RuleMoment::thread_total) + 1;
constexpr bool is_total(RuleMoment moment) noexcept { return moment >= RuleMoment::total; }

/// How a total combines the values of a field.
enum class RuleAggregate : std::uint8_t { none, count, sum, min, max, mean };

/// The values that a line may have, in the order of kRuleFields.
enum class RuleField : std::uint8_t {
#define MERIDIAN_RULE_FIELD(name, where, text) name,
#include "export/text/rule_fields.def"
};

struct RuleFieldInfo {
  std::string_view name;
  std::string_view where;  ///< moments that have it: "all", "events", "messages", "places"
  bool is_number = false;  ///< totals can add it up
};
inline constexpr RuleFieldInfo kRuleFields[] = {
#define MERIDIAN_RULE_FIELD(name, where, text) {#name, #where},
#define MERIDIAN_RULE_NUMBER(name, where, text) {#name, #where, true},
#include "export/text/rule_fields.def"
};

/// The field that replaces an @ of the text.
struct RuleValue {
  RuleField field{};    ///< `value`: a value of the user event
  std::string value{};  ///< its name
  RuleAggregate aggregate = RuleAggregate::none;
};

struct TextRule {
  RuleMoment moment{};
  std::string pattern;             ///< of the name of the function, region or event; empty: all
  std::vector<std::string> texts;  ///< before, between and after the fields
  std::vector<RuleValue> fields;   ///< one fewer than texts
  std::size_t line = 0;            ///< in the file, from 1
};

/// A value of the user events with this name.
struct RuleEventValue {
  std::string event;
  std::string name;
};

/// values  of all user events of the trace; a rule may name the values of events that its pattern matches
/// errors  invalid_argument: with the number of the line.
Result<std::vector<TextRule>> parse_rules(std::string_view text, std::span<const RuleEventValue> values = {});
/// errors  also not_found, io, and invalid_argument for a file that is too long.
Result<std::vector<TextRule>> read_rules(const std::filesystem::path& path, std::span<const RuleEventValue> values);

}  // namespace meridian
