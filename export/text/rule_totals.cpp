// SPDX-License-Identifier: Apache-2.0
#include "export/text/rule_totals.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <type_traits>
#include <variant>

#include "trace/model/level_rules.hpp"

namespace meridian {
namespace {

std::int64_t number_of(RuleField field, const MergedEvent& event, std::int64_t duration_ns) {
  switch (field) {
    case RuleField::duration:
    case RuleField::duration_ns:
      return duration_ns;
    case RuleField::calls:
      return static_cast<std::int64_t>(event.calls);
    case RuleField::bytes_sent:
      return static_cast<std::int64_t>(event.bytes_sent);
    case RuleField::bytes_received:
      return static_cast<std::int64_t>(event.bytes_received);
    default:
      return 0;
  }
}

/// A text is no number, and is not added.
void add_value(RuleSum& sum, const UserValue& value) {
  std::visit(
      [&](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, double> || std::is_same_v<Held, std::int64_t>) {
          sum.add(held);
        } else if constexpr (std::is_same_v<Held, std::uint64_t>) {
          if (held > static_cast<std::uint64_t>(INT64_MAX))
            sum.add(static_cast<double>(held));
          else
            sum.add(static_cast<std::int64_t>(held));
        }
      },
      value);
}

}  // namespace

void RuleSum::add(std::int64_t number) noexcept {
  if (count_ == 0 || number < min_) min_ = number;
  if (count_ == 0 || number > max_) max_ = number;
  is_real_ |= __builtin_add_overflow(sum_, number, &sum_);
  const bool was_real = is_real_;
  add(static_cast<double>(number));
  is_real_ = was_real;
}

void RuleSum::add(double number) noexcept {
  if (count_ == 0 || number < real_min_) real_min_ = number;
  if (count_ == 0 || number > real_max_) real_max_ = number;
  real_sum_ += number;
  is_real_ = true;
  ++count_;
}

void RuleSum::put_number(double real, std::int64_t whole, std::size_t digits, SinkBuffer& out) const {
  if (!is_real_ && digits != 0) {
    out.fixed_point(whole, digits);
  } else if (!is_real_) {
    out << whole;
  } else {
    std::array<char, 32> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), real);
    out << std::string_view{text.data(), static_cast<std::size_t>(end.ptr - text.data())};
  }
}

void RuleSum::put(RuleAggregate aggregate, std::size_t digits, SinkBuffer& out) const {
  switch (aggregate) {
    case RuleAggregate::sum:
      return put_number(real_sum_, sum_, digits, out);
    case RuleAggregate::min:
      return put_number(real_min_, min_, digits, out);
    case RuleAggregate::max:
      return put_number(real_max_, max_, digits, out);
    default: {
      RuleSum mean;
      const double value = count_ == 0 ? 0 : real_sum_ / static_cast<double>(count_);
      if (digits != 0 && !is_real_)
        mean.add(static_cast<std::int64_t>(std::llround(value)));
      else
        mean.add(value);
      return mean.put_number(mean.real_sum_, mean.sum_, digits, out);
    }
  }
}

RuleTotals::RuleTotals(const std::vector<TextRule>& rules, const MergedDefinitions& names)
    : rules_{rules}, rules_of_(names.calls.size()), lines_(rules.size()) {
  std::map<std::int32_t, std::uint32_t> first;  // [rank]
  for (std::uint32_t location = 0; location < names.locations.size(); ++location)
    first_location_.push_back(first.try_emplace(names.locations[location].rank, location).first->second);
  for (std::size_t number = 0; number < rules.size(); ++number) {
    const TextRule& rule = rules[number];
    if (!is_total(rule.moment)) continue;
    if (rule.moment == RuleMoment::total) lines_[number][0].sums.resize(rule.fields.size());
    for (std::size_t call = 0; call < names.calls.size(); ++call)
      if (rule.pattern.empty() || matches_glob(rule.pattern, names.calls[call].name)) rules_of_[call].push_back(number);
  }
}

void RuleTotals::add(const MergedEvent& event, std::int64_t duration_ns, std::span<const NamedValue> values) {
  if (!has(event.call)) return;
  for (const std::size_t number : rules_of_[event.call]) {
    const TextRule& rule = rules_[number];
    std::uint32_t place = 0;
    if (rule.moment == RuleMoment::thread_total) place = event.location;
    if (rule.moment == RuleMoment::rank_total) place = first_location_[event.location];
    Line& line = lines_[number][place];
    line.location = place;
    line.sums.resize(rule.fields.size());
    ++line.count;
    for (std::size_t i = 0; i < rule.fields.size(); ++i) {
      const RuleValue& field = rule.fields[i];
      if (field.aggregate == RuleAggregate::none || field.aggregate == RuleAggregate::count) continue;
      if (field.field != RuleField::value) {
        line.sums[i].add(number_of(field.field, event, duration_ns));
        continue;
      }
      for (const NamedValue& value : values)
        if (value.field->name == field.value) add_value(line.sums[i], value.value);
    }
  }
}

const std::map<std::uint32_t, RuleTotals::Line>& RuleTotals::lines(const TextRule& rule) const {
  return lines_[static_cast<std::size_t>(&rule - rules_.data())];
}

}  // namespace meridian
