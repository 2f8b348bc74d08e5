// SPDX-License-Identifier: Apache-2.0
#include "query/sql/plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace meridian {
namespace {

// Bits of the plan's number.
constexpr int kSecondEnd = 1;
constexpr int kBackwards = 2;

/// What a condition does to the window: the letters of a plan's text, one for each value that xFilter receives. The plan
/// of a table that has only some of its parts read ends with "/" and QueryColumn::needs.
enum Step : char {
  kNumberIs = 'n',
  kRowFrom = 'r',
  kRowTo = 'R',
  kTimeFrom = 't',
  kTimeIs = 'e',
  kTimeTo = 'T',
  kRankIs = 'k',
  kRankIn = 'i',
  kRankFrom = 'l',
  kRankTo = 'L',
};

bool is_equal(unsigned char op) { return op == SQLITE_INDEX_CONSTRAINT_EQ; }
bool is_least(unsigned char op) { return op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_GE; }
bool is_most(unsigned char op) { return op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE; }

/// The step of a condition; none: it does not narrow the window.
std::optional<Step> step_of(ColumnRole role, unsigned char op) {
  switch (role) {
    case ColumnRole::number:
      if (is_equal(op)) return kNumberIs;
      break;
    case ColumnRole::row:
      if (is_equal(op)) return kNumberIs;
      if (is_least(op)) return kRowFrom;
      if (is_most(op)) return kRowTo;
      break;
    case ColumnRole::time:
      if (is_equal(op)) return kTimeIs;
      if (is_least(op)) return kTimeFrom;
      if (is_most(op)) return kTimeTo;
      break;
    case ColumnRole::latest_time:
      if (is_most(op) || is_equal(op)) return kTimeTo;
      break;
    case ColumnRole::rank:
      if (is_equal(op)) return kRankIs;
      if (is_least(op)) return kRankFrom;
      if (is_most(op)) return kRankTo;
      break;
    case ColumnRole::none:
      break;
  }
  return std::nullopt;
}

/// By how much a step is expected to reduce the rows.
double share_of(Step step, const QueryTrace& trace) {
  if (step == kRankIs)
    return 1.0 / static_cast<double>(std::max<std::size_t>(trace.trace().definitions().ranks.size(), 1));
  return 0.25;
}

const QueryColumn* column_at(const QueryTable& table, int number) {
  return number >= 0 && static_cast<std::size_t>(number) < table.columns.size()
             ? &table.columns[static_cast<std::size_t>(number)]
             : nullptr;
}

std::uint32_t needs_of(const QueryTable& table, sqlite3_uint64 used) {
  constexpr std::size_t kLastBit = 63;  // stands for all later columns, too
  std::uint32_t needs = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if ((used >> std::min(i, kLastBit) & 1U) != 0) needs |= table.columns[i].needs;
  return needs;
}

/// Conditions on one end of the table's rows.
struct Choice {
  std::string steps;
  std::vector<int> conditions;
  double share = 1;
};

Choice choose_end(const QueryTable& table, const QueryTrace& trace, const sqlite3_index_info& info, std::uint8_t end) {
  Choice choice;
  for (int i = 0; i < info.nConstraint; ++i) {
    const auto& condition = info.aConstraint[i];
    const QueryColumn* const column = column_at(table, condition.iColumn);
    if (condition.usable == 0 || column == nullptr) continue;
    const auto step = step_of(column->role, condition.op);
    if (!step) continue;
    if (*step == kNumberIs) return {std::string(1, kNumberIs), {i}, 0};
    if (column->end != end) continue;
    choice.steps += static_cast<char>(*step);
    choice.conditions.push_back(i);
    choice.share *= share_of(*step, trace);
  }
  return choice;
}

/// A time of a query in ns, rounded so that no row is lost.
std::int64_t bound_ns(double seconds, bool is_upper) {
  constexpr double kFarthest = 1e18;
  const double ns = seconds * 1e9;
  const double margin = 2 + std::abs(ns) * 0x1p-50;
  const double bound = is_upper ? ns + margin : ns - margin;
  if (bound >= kFarthest) return std::numeric_limits<std::int64_t>::max();
  if (bound <= -kFarthest) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(is_upper ? std::ceil(bound) : std::floor(bound));
}

std::optional<double> number_in(sqlite3_value* value) {
  const int type = sqlite3_value_numeric_type(value);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return std::nullopt;
  return sqlite3_value_double(value);
}

/// Narrows a window step by step.
class Narrowing {
 public:
  explicit Narrowing(const QueryTrace& trace) : trace_{trace} {}

  Status apply(char step, sqlite3_value* value) {
    if (step == kRankIn) return only_ranks_in(value);
    if (sqlite3_value_type(value) == SQLITE_NULL) {  // no comparison with NULL is true
      window.to_ns = window.from_ns;
      return {};
    }
    const auto number = number_in(value);
    if (!number) return {};  // a text: SQLite decides
    switch (step) {
      case kNumberIs:
        if (*number >= 0 && *number < 0x1p63 && *number == std::floor(*number))
          window.number = static_cast<std::uint64_t>(sqlite3_value_int64(value));
        else
          window.to_ns = window.from_ns;
        return {};
      case kRowFrom:
      case kRowTo:
        return row_bound(*number, step == kRowTo);
      case kTimeFrom:
        window.from_ns = std::max(window.from_ns, bound_ns(*number, false));
        return {};
      case kTimeIs:
        window.from_ns = std::max(window.from_ns, bound_ns(*number, false));
        [[fallthrough]];
      case kTimeTo:
        window.to_ns = std::min(window.to_ns, bound_ns(*number, true));
        return {};
      case kRankIs:
        only_ranks([&](std::int32_t rank) { return rank == *number; });
        return {};
      case kRankFrom:
        only_ranks([&](std::int32_t rank) { return rank >= *number; });
        return {};
      case kRankTo:
        only_ranks([&](std::int32_t rank) { return rank <= *number; });
        return {};
      default:
        return {};
    }
  }

  RowWindow window;

 private:
  /// Rows are in the order of time.
  Status row_bound(double number, bool is_upper) {
    const std::uint64_t events = trace_.trace().events();
    const double row = is_upper ? std::floor(number) : std::ceil(number);
    if (events == 0) return {};
    if (is_upper ? row < 0 : row >= static_cast<double>(events)) {
      window.to_ns = window.from_ns;
      return {};
    }
    if (is_upper ? row >= static_cast<double>(events) : row <= 0) return {};
    MERIDIAN_TRY(const MergedEvent event, trace_.trace().event(static_cast<std::uint64_t>(row)));
    if (is_upper)
      window.to_ns = std::min(window.to_ns, event.enter_ns + 1);
    else
      window.from_ns = std::max(window.from_ns, event.enter_ns);
    return {};
  }

  void only_ranks(auto&& is_wanted) {
    std::vector<std::int32_t> ranks;
    for (const MergedRank& rank : trace_.trace().definitions().ranks)
      if (is_wanted(rank.rank) && (!window.ranks || std::ranges::find(*window.ranks, rank.rank) != window.ranks->end()))
        ranks.push_back(rank.rank);
    window.ranks = std::move(ranks);
  }

  Status only_ranks_in(sqlite3_value* list) {
    std::vector<double> wanted;
    sqlite3_value* value = nullptr;
    int code = sqlite3_vtab_in_first(list, &value);
    for (; code == SQLITE_OK && value != nullptr; code = sqlite3_vtab_in_next(list, &value)) {
      const auto number = number_in(value);
      if (!number && sqlite3_value_type(value) != SQLITE_NULL) return {};  // SQLite decides
      if (number) wanted.push_back(*number);
    }
    if (code != SQLITE_DONE && code != SQLITE_OK) return {};
    only_ranks([&](std::int32_t rank) { return std::ranges::find(wanted, rank) != wanted.end(); });
    return {};
  }

  const QueryTrace& trace_;
};

}  // namespace

int choose_plan(const QueryTable& table, const QueryTrace& trace, sqlite3_index_info& info) {
  Choice choice = choose_end(table, trace, info, 0);
  const Choice other = choose_end(table, trace, info, 1);
  const bool is_other = other.share < choice.share;
  if (is_other) choice = other;
  int values = 0;
  std::string steps;
  for (std::size_t i = 0; i < choice.conditions.size(); ++i) {
    const int condition = choice.conditions[i];
    char step = choice.steps[i];
    if (step == kRankIs && sqlite3_vtab_in(&info, condition, -1) != 0) {
      sqlite3_vtab_in(&info, condition, 1);
      step = kRankIn;
    }
    steps += step;
    info.aConstraintUsage[condition].argvIndex = ++values;
    info.aConstraintUsage[condition].omit = 0;
  }
  int number = is_other ? kSecondEnd : 0;
  const bool is_one = steps == std::string(1, kNumberIs);
  if (info.nOrderBy == 1 && !is_one) {
    const QueryColumn* const column = column_at(table, info.aOrderBy[0].iColumn);
    if (column != nullptr && column->has_order && (column->end == 1) == is_other) {
      info.orderByConsumed = 1;
      if (info.aOrderBy[0].desc != 0) number |= kBackwards;
    }
  }
  const double rows = static_cast<double>(table.count(trace)) + 1;
  info.estimatedRows = is_one ? 1 : static_cast<sqlite3_int64>(rows * choice.share) + 1;
  info.estimatedCost = is_one ? 50 : 100 + rows * choice.share;  // finding one takes longer than reading the next
  info.idxNum = number;
  info.idxStr = sqlite3_mprintf("%s/%u", steps.c_str(), needs_of(table, info.colUsed));
  info.needToFreeIdxStr = 1;
  return info.idxStr == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

Result<RowWindow> window_of_plan(const QueryTrace& trace, int number, std::string_view text, int count,
                                 sqlite3_value** values) {
  Narrowing narrowing{trace};
  const std::size_t end = std::min(text.find('/'), text.size());
  for (std::size_t i = 0; i < end && i < static_cast<std::size_t>(count); ++i)
    MERIDIAN_TRY_DO(narrowing.apply(text[i], values[i]));
  RowWindow window = std::move(narrowing.window);
  window.end = (number & kSecondEnd) != 0 ? 1 : 0;
  window.is_backwards = (number & kBackwards) != 0;
  if (end < text.size()) window.needs = static_cast<std::uint32_t>(std::stoul(std::string{text.substr(end + 1)}));
  return window;
}

}  // namespace meridian
