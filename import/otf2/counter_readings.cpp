// SPDX-License-Identifier: Apache-2.0
#include "import/otf2/counter_readings.hpp"

#include <algorithm>
#include <cmath>

#include "trace/model/event.hpp"

namespace meridian::imported {
namespace {

std::int64_t count_of(OTF2_Type type, OTF2_MetricValue value) {
  if (type != OTF2_TYPE_DOUBLE) return value.signed_int;  // unsigned ones wrap
  constexpr double kMost = 9e18;
  return std::isnan(value.floating_point) ? 0 : std::llround(std::clamp(value.floating_point, -kMost, kMost));
}

std::int64_t difference(std::int64_t a, std::int64_t b) {  // damaged values may have any distance
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

}  // namespace

CounterMetric CounterMetric::of(const Definitions& definitions) {
  CounterMetric chosen;
  for (const auto& [self, known] : definitions.metric_classes) {
    const auto is_sum = [&](OTF2_MetricMemberRef member) {
      const auto found = definitions.metrics.find(member);
      return found != definitions.metrics.end() &&
             (found->second.mode & OTF2_METRIC_VALUE_MASK) == OTF2_METRIC_VALUE_ACCUMULATED;
    };
    const bool is_counter = known.occurrence == OTF2_METRIC_SYNCHRONOUS_STRICT && !known.members.empty() &&
                            known.members.size() <= kMaxCounters && std::ranges::all_of(known.members, is_sum);
    if (!is_counter) continue;
    chosen.metric = self;
    for (const OTF2_MetricMemberRef member : known.members) {
      std::string name = definitions.text(definitions.metrics.at(member).name).substr(0, kCounterNameBytes - 1);
      std::ranges::replace(name, ',', ';');  // commas separate names
      chosen.names.push_back(name.empty() ? "unknown metric" : name);
    }
    break;
  }
  return chosen;
}

void CounterMetric::describe(RankMeta& meta) const {
  meta.counters_per_event = static_cast<std::uint32_t>(names.size());
  std::string all, units;
  for (const std::string& name : names) {
    all += (all.empty() ? "" : ",") + name;
    units += units.empty() ? "1" : ",1";
  }
  if (names.empty()) return;
  meta.texts.push_back({"counters", all, 0, 0});
  meta.texts.push_back({"counters.units", units, 0, 0});
}

void CounterReadings::read(std::span<const OTF2_Type> types, std::span<const OTF2_MetricValue> values) {
  now_.resize(metric_.names.size());
  for (std::size_t i = 0; i < std::min({now_.size(), types.size(), values.size()}); ++i)
    now_[i] = count_of(types[i], values[i]);
}

void CounterReadings::add(EventBatch& batch, const Values& enter) {
  if (enter.size() != metric_.names.size() || enter.empty()) return;
  batch.flags.back() |= kFlagCounters;
  for (std::size_t i = 0; i < enter.size(); ++i) {
    batch.counters.push_back(difference(now_[i], enter[i]));
    batch.counters_between.push_back(previous_.empty() ? 0 : difference(enter[i], previous_[i]));
  }
  previous_ = now_;
}

}  // namespace meridian::imported
