// SPDX-License-Identifier: Apache-2.0
#include "choice/selection.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "trace/model/level_rules.hpp"
#include "trace/model/option_text.hpp"

namespace meridian {
namespace {

struct MomentUnit {
  std::string_view name;
  double ns;
};
constexpr MomentUnit kMomentUnits[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"min", 60e9}};
constexpr double kLatestNs = 9e18;

std::string quoted(std::string_view text) { return std::string{"'"}.append(text).append("'"); }

/// The number at the beginning of `text`, which is removed.
template <class Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

bool TraceSelection::has_rank(std::int32_t rank) const noexcept {
  return ranks.empty() ||
         std::ranges::any_of(ranks, [&](const auto& range) { return range.first <= rank && rank <= range.second; });
}

bool matches_name(std::string_view list, std::string_view name) noexcept {
  if (matches_glob(list, name)) return true;
  for (std::size_t comma = 0; comma != std::string_view::npos && !list.empty();) {
    comma = list.find(',');
    if (matches_glob(list.substr(0, comma), name)) return true;
    if (comma != std::string_view::npos) list.remove_prefix(comma + 1);
  }
  return false;
}

Result<std::vector<std::pair<std::int32_t, std::int32_t>>> parse_ranks(std::string_view text) {
  std::vector<std::pair<std::int32_t, std::int32_t>> ranges;
  std::string_view rest = text;
  do {
    std::string_view item = take_item(rest, ',');
    std::int32_t first = 0;
    bool is_valid = take_number(item, first) && first >= 0;
    std::int32_t last = first;
    if (is_valid && item.starts_with('-')) {
      item.remove_prefix(1);
      is_valid = take_number(item, last);
    }
    if (!is_valid || !item.empty() || last < first)
      return Error{Errc::invalid_argument, quoted(text).append(" is not a list of ranks"),
                   "write ranks and ranges, such as 0-3,7"};
    ranges.emplace_back(first, last);
  } while (!rest.empty());
  return ranges;
}

Result<std::int64_t> parse_moment(std::string_view text) {
  std::string_view rest = trim(text);
  double value = 0;
  const bool has_number = !rest.empty() && rest.front() != '-' && take_number(rest, value) && std::isfinite(value);
  const auto unit = std::ranges::find(kMomentUnits, trim(rest), &MomentUnit::name);
  if (!has_number || unit == std::end(kMomentUnits) || value * unit->ns > kLatestNs)
    return Error{Errc::invalid_argument, quoted(text).append(" is not a time"),
                 "write a number and ns, us, ms, s or min, such as 1.5s"};
  return static_cast<std::int64_t>(std::llround(value * unit->ns));
}

}  // namespace meridian
