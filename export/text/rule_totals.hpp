// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "export/sink_buffer.hpp"
#include "export/text/rules.hpp"
#include "merged/user_values.hpp"

namespace meridian {

inline constexpr std::size_t kNanosecondDigits = 9;  ///< of seconds

/// A sum of integers, exact until it does not fit in 64 bits, or of real numbers.
class RuleSum {
 public:
  void add(std::int64_t number) noexcept;
  void add(double number) noexcept;
  /// digits: those behind the point of integers, which are fractions then
  void put(RuleAggregate aggregate, std::size_t digits, SinkBuffer& out) const;

 private:
  void put_number(double real, std::int64_t whole, std::size_t digits, SinkBuffer& out) const;
  std::uint64_t count_ = 0;
  bool is_real_ = false;
  std::int64_t sum_ = 0, min_ = 0, max_ = 0;
  double real_sum_ = 0, real_min_ = 0, real_max_ = 0;
};

/// What the rules for totals count. Memory grows with rules and threads, not with events.
class RuleTotals {
 public:
  RuleTotals(const std::vector<TextRule>& rules, const MergedDefinitions& names);

  bool has(std::uint32_t call) const { return call < rules_of_.size() && !rules_of_[call].empty(); }
  /// An event that has ended.
  void add(const MergedEvent& event, std::int64_t duration_ns, std::span<const NamedValue> values);

  struct Line {
    std::uint32_t location = 0;  ///< of the first event of the rank or thread
    std::uint64_t count = 0;
    std::vector<RuleSum> sums{};  ///< [field of the rule]
  };
  /// The lines of a rule: one for each rank or thread with such events, or one for all of them, also if there are none.
  const std::map<std::uint32_t, Line>& lines(const TextRule& rule) const;

 private:
  const std::vector<TextRule>& rules_;
  std::vector<std::uint32_t> first_location_;         // [location]: of its rank
  std::vector<std::vector<std::size_t>> rules_of_;    // [call]: totals that count its events
  std::vector<std::map<std::uint32_t, Line>> lines_;  // [rule]: by rank's first location, location, or 0
};

}  // namespace meridian
