// SPDX-License-Identifier: Apache-2.0
#include "export/text/rules.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "trace/model/nearest_name.hpp"
#include "trace/model/option_text.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // of a file of rules
constexpr std::size_t kMostRules = 1000;

constexpr std::string_view kMoments[] = {"begin", "end",   "rank", "thread", "event",
                                         "enter", "leave", "send", "receive"};

/// 'word'
std::string in_quotes(std::string_view word) {
  std::string text{"'"};
  return text.append(word).append("'");
}

/// Takes apart one line; errors name it.
class RuleParser {
 public:
  RuleParser(std::string_view text, std::size_t line) : rest_{trim(text)}, line_{line} {}

  Result<TextRule> parse() {
    TextRule rule;
    rule.line = line_;
    MERIDIAN_TRY(const std::string word,
                 word_of("a moment: event, enter, leave, send, receive, rank, thread, begin or end"));
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
    MERIDIAN_TRY(const std::string name, word_of("a field"));
    const auto found = std::ranges::find(kRuleFields, std::string_view{name}, &RuleFieldInfo::name);
    if (found == std::end(kRuleFields)) {
      std::array<std::string_view, std::size(kRuleFields)> names;
      std::ranges::transform(kRuleFields, names.begin(), &RuleFieldInfo::name);
      const std::string_view near = nearest_name(name, names);
      Error error = refuse("there is no field " + in_quotes(name));
      error.hint = near.empty() ? "docs/EXPORT.md lists the fields" : "did you mean " + in_quotes(near) + "?";
      return error;
    }
    const bool is_event = rule.moment >= RuleMoment::event;
    const bool is_message = rule.moment >= RuleMoment::send;
    const bool is_line_of_a_place = rule.moment == RuleMoment::rank || rule.moment == RuleMoment::thread;
    const bool has_it = found->where == "all"      ? is_event || is_line_of_a_place
                        : found->where == "events" ? is_event
                                                   : is_message;
    if (!has_it)
      return refuse(in_quotes(kMoments[static_cast<std::size_t>(rule.moment)]) + " has no field " + in_quotes(name));
    rule.fields.push_back(static_cast<RuleField>(found - std::begin(kRuleFields)));
    return {};
  }

  std::string_view rest_;
  std::size_t line_;
  bool was_quoted_ = false;
};

}  // namespace

Result<std::vector<TextRule>> parse_rules(std::string_view text) {
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
    MERIDIAN_TRY(TextRule rule, RuleParser(now, line).parse());
    rules.push_back(std::move(rule));
  }
  if (rules.empty())
    return Error{Errc::invalid_argument, "it has no rule", "write one, such as: MPI_* -> \"@ @ @\", time, rank, name"};
  return rules;
}

Result<std::vector<TextRule>> read_rules(const std::filesystem::path& path) {
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
  auto rules = parse_rules(text);
  if (!rules) return refuse(std::move(rules).error());
  return rules;
}

}  // namespace meridian
