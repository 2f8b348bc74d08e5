// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rewriting rules: which lines of text an export makes of which events. docs/EXPORT.md, "Text by rules", has the syntax.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "trace/model/result.hpp"

namespace meridian {

/// When a rule writes its line.
enum class RuleMoment : std::uint8_t { begin, end, rank, thread, event, enter, leave, send, receive };

/// The values that a line may have, in the order of kRuleFields.
enum class RuleField : std::uint8_t {
#define MERIDIAN_RULE_FIELD(name, where, text) name,
#include "export/text/rule_fields.def"
};

struct RuleFieldInfo {
  std::string_view name;
  std::string_view where;  ///< moments that have it: "all", "events", "messages", "places"
};
inline constexpr RuleFieldInfo kRuleFields[] = {
#define MERIDIAN_RULE_FIELD(name, where, text) {#name, #where},
#include "export/text/rule_fields.def"
};

struct TextRule {
  RuleMoment moment{};
  std::string pattern;             ///< of the name of the function, region or event; empty: all
  std::vector<std::string> texts;  ///< before, between and after the fields
  std::vector<RuleField> fields;   ///< one fewer than texts
  std::size_t line = 0;            ///< in the file, from 1
};

/// errors  invalid_argument: with the number of the line.
Result<std::vector<TextRule>> parse_rules(std::string_view text);
/// errors  also not_found, io, and invalid_argument for a file that is too long.
Result<std::vector<TextRule>> read_rules(const std::filesystem::path& path);

}  // namespace meridian
