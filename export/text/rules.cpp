// SPDX-License-Identifier: Apache-2.0
#include "export/text/rules.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "trace/model/level_rules.hpp"
#include "trace/model/nearest_name.hpp"
#include "trace/model/option_text.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // of a file of rules
constexpr std::size_t kMostRules = 1000;

constexpr std::string_view kMoments[kRuleMoments] = {"begin",   "end",   "rank",       "thread",
                                                     "event",   "enter", "leave",      "send",
                                                     "receive", "total", "rank_total", "thread_total"};
/// [RuleAggregate]
constexpr std::string_view kAggregates[] = {"", "count", "sum", "min", "max", "mean"};
/// Before the name of a value that is named like a field.
constexpr std::string_view kValuePrefix = "value.";

/// 'word'
std::string in_quotes(std::string_view word) {
  std::string text{"'"};
  return text.append(word).append("'");
}

/// Takes apart one line; errors name it.
class RuleParser {
 public:
  RuleParser(std::string_view text, std::size_t line, std::span<const RuleEventValue> values)
      : rest_{trim(text)}, line_{line}, values_{values} {}

  Result<TextRule> parse() {
    TextRule rule;
    rule.line = line_;
    MERIDIAN_TRY(const std::string word,
                 word_of("a moment: event, enter, leave, send, receive, rank, thread, begin, end, total, rank_total or "
                         "thread_total"));
    const auto moment = std::ranges::find(kMoments, std::string_view{word});
    rule.moment = RuleMoment::event;
    if (moment != std::end(kMoments) && !was_quoted_) {
      rule.moment = static_cast<RuleMoment>(moment - std::begin(kMoments));
      if (!rest_.starts_with("->")) {
        MERIDIAN_TRY(rule.pattern, word_of("a name"));
      }
    } else {
      rule.pattern = word;
    }
    const bool is_named = rule.moment >= RuleMoment::event;
    if (!rule.pattern.empty() && !is_named) return refuse(in_quotes(*moment) + " takes no name");
    if (!take("->")) return refuse("there is no -> behind the name");
    MERIDIAN_TRY_DO(parse_text(rule));
    while (take(",")) MERIDIAN_TRY_DO(parse_field(rule));
    if (!rest_.empty() && rest_.front() != '#') return refuse(in_quotes(rest_.substr(0, 20)) + " is not expected here");
    if (rule.fields.size() + 1 != rule.texts.size())
      return refuse("the text has " + std::to_string(rule.texts.size() - 1) + " @, and " +
                    std::to_string(rule.fields.size()) + " fields follow it");
    return rule;
  }

 private:
  Error refuse(std::string what) const {
    return {Errc::invalid_argument, "line " + std::to_string(line_) + ": " + std::move(what),
            "a rule is like: MPI_* -> \"@ @\", time, rank"};
  }
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_ = trim(rest_.substr(word.size()));
    return true;
  }

  /// A text in quotes, or everything up to a blank, a comma or an arrow.
  Result<std::string> word_of(std::string_view what) {
    was_quoted_ = rest_.starts_with('"');
    if (was_quoted_) return quoted(nullptr);
    const std::size_t end = std::min({rest_.find_first_of(" \t,"), rest_.find("->"), rest_.size()});
    if (end == 0) return refuse("here should be " + std::string{what});
    std::string word{rest_.substr(0, end)};
    rest_ = trim(rest_.substr(end));
    return word;
  }

  /// The text in quotes that comes next; `parts` receives what is before each @, and the rest is returned.
  Result<std::string> quoted(std::vector<std::string>* parts) {
    std::string text;
    std::size_t at = 1;
    for (;; ++at) {
      if (at >= rest_.size()) return refuse("the text in quotes does not end");
      const char c = rest_[at];
      if (c == '"') break;
      if (c == '@' && parts != nullptr) {
        if (at + 1 < rest_.size() && rest_[at + 1] == '@') {
          text += '@';
          ++at;
        } else {
          parts->push_back(std::exchange(text, {}));
        }
      } else if (c == '\\') {
        if (++at >= rest_.size()) return refuse("the text in quotes does not end");
        constexpr std::string_view kLetters = "nt\\\"", kMeanings = "\n\t\\\"";
        const std::size_t letter = kLetters.find(rest_[at]);
        if (letter == std::string_view::npos)
          return refuse(in_quotes(rest_.substr(at - 1, 2)) + " means nothing; there are \\n, \\t, \\\\ and \\\"");
        text += kMeanings[letter];
      } else {
        text += c;
      }
    }
    rest_ = trim(rest_.substr(at + 1));
    return text;
  }

  Status parse_text(TextRule& rule) {
    if (!rest_.starts_with('"')) return refuse("behind -> there should be a text in quotes");
    MERIDIAN_TRY(std::string last, quoted(&rule.texts));
    rule.texts.push_back(std::move(last));
    return {};
  }

  Status parse_field(TextRule& rule) {
    MERIDIAN_TRY(std::string name, word_of("a field"));
    RuleValue value;
    if (is_total(rule.moment)) {
      MERIDIAN_TRY(value.aggregate, take_aggregate(name));
    }
    const bool is_counted = value.aggregate == RuleAggregate::count;
    const auto found = std::ranges::find(kRuleFields, std::string_view{name}, &RuleFieldInfo::name);
    if (!is_counted && (found == std::end(kRuleFields) || found->where == "nowhere")) {
      MERIDIAN_TRY_DO(find_value(rule, name));
      if (is_total(rule.moment) && value.aggregate == RuleAggregate::none)
        return refuse("a total of " + in_quotes(name) + " is one of sum, min, max and mean, such as sum(" + name + ")");
      value.field = RuleField::value;
      value.value = name.starts_with(kValuePrefix) ? name.substr(kValuePrefix.size()) : name;
    } else if (!is_counted) {
      if (!has_field(rule.moment, *found, value.aggregate))
        return refuse(in_quotes(kMoments[static_cast<std::size_t>(rule.moment)]) + " has no field " + in_quotes(name));
      value.field = static_cast<RuleField>(found - std::begin(kRuleFields));
    }
    rule.fields.push_back(std::move(value));
    return {};
  }

  /// Makes NAME of "sum(NAME)".
  Result<RuleAggregate> take_aggregate(std::string& name) const {
    if (name == "count") return RuleAggregate::count;
    const std::size_t open = name.find('(');
    if (open == std::string::npos || !name.ends_with(')')) return RuleAggregate::none;
    const std::string function = name.substr(0, open);
    const auto found = std::ranges::find(kAggregates, std::string_view{function});
    if (found == std::end(kAggregates) || found - std::begin(kAggregates) < 2)
      return refuse("there is no " + in_quotes(function) + " of events; there are count, sum, min, max and mean");
    name = name.substr(open + 1, name.size() - open - 2);
    return static_cast<RuleAggregate>(found - std::begin(kAggregates));
  }

  static bool has_field(RuleMoment moment, const RuleFieldInfo& field, RuleAggregate aggregate) {
    if (aggregate != RuleAggregate::none) return field.is_number;
    if (moment == RuleMoment::total) return false;
    const bool is_event = moment >= RuleMoment::event && !is_total(moment);
    const bool is_message = moment == RuleMoment::send || moment == RuleMoment::receive;
    const bool is_line_of_a_place = moment == RuleMoment::rank || moment == RuleMoment::thread || is_total(moment);
    return field.where == "all" ? is_event || is_line_of_a_place : field.where == "events" ? is_event : is_message;
  }

  /// Whether an event that the rule is for has a value of this name.
  Status find_value(const TextRule& rule, std::string_view name) const {
    const bool is_sure = name.starts_with(kValuePrefix);
    const std::string_view wanted = is_sure ? name.substr(kValuePrefix.size()) : name;
    const bool is_event = rule.moment >= RuleMoment::event;
    std::vector<std::string_view> names;
    for (const RuleFieldInfo& field : kRuleFields) names.push_back(field.name);
    for (const RuleEventValue& value : values_) {
      if (!rule.pattern.empty() && !matches_glob(rule.pattern, value.event)) continue;
      if (is_event && value.name == wanted) return {};
      names.push_back(value.name);
    }
    const std::string_view near = nearest_name(wanted, names);
    Error error =
        refuse("there is no field " + in_quotes(name) +
               (is_sure && is_event ? ": no user event of the trace that the rule is for has such a value" : ""));
    error.hint = near.empty() ? "docs/EXPORT.md lists the fields" : "did you mean " + in_quotes(near) + "?";
    return error;
  }

  std::string_view rest_;
  std::size_t line_;
  std::span<const RuleEventValue> values_;
  bool was_quoted_ = false;
};

}  // namespace

Result<std::vector<TextRule>> parse_rules(std::string_view text, std::span<const RuleEventValue> values) {
  std::vector<TextRule> rules;
  if (text.find('\0') != std::string_view::npos)
    return Error{Errc::invalid_argument, "it holds a zero byte, so it is no text", "name a file of rules"};
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view now = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (now.empty() || now.starts_with('#')) continue;
    if (rules.size() == kMostRules)
      return Error{Errc::invalid_argument,
                   "line " + std::to_string(line) + ": there are more than " + std::to_string(kMostRules) + " rules",
                   "use patterns: MPI_I*"};
    MERIDIAN_TRY(TextRule rule, RuleParser(now, line, values).parse());
    rules.push_back(std::move(rule));
  }
  if (rules.empty())
    return Error{Errc::invalid_argument, "it has no rule", "write one, such as: MPI_* -> \"@ @ @\", time, rank, name"};
  return rules;
}

Result<std::vector<TextRule>> read_rules(const std::filesystem::path& path, std::span<const RuleEventValue> values) {
  const auto refuse = [&](Error error) {
    error.what = "rules '" + path.string() + "': " + error.what;
    return error;
  };
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem))
    return refuse({Errc::invalid_argument, "it is a directory", "name a file of rules"});
  std::ifstream file{path, std::ios::binary};
  if (!file) return refuse({Errc::not_found, std::strerror(errno), "name a file of rules"});
  std::string text(kMostBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return refuse({Errc::io, "it cannot be read", ""});
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMostBytes)
    return refuse({Errc::invalid_argument, "it is longer than a megabyte", "name a file of rules"});
  auto rules = parse_rules(text, values);
  if (!rules) return refuse(std::move(rules).error());
  return rules;
}

}  // namespace meridian
