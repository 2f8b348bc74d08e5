// SPDX-License-Identifier: Apache-2.0
#include "report/data/page_user_counters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <variant>

#include "trace/model/event.hpp"
#include "trace/model/user_fields.hpp"

namespace meridian {
namespace {

constexpr std::size_t kUserCounterBins = 256;
constexpr std::size_t kMostUserCounters = 32;  // with a curve: a page holds no more than people look at

/// Four digits are more than a curve shows.
nlohmann::ordered_json rounded(const std::vector<double>& values) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const double value : values) {
    if (!std::isfinite(value) || value == 0) {
      list.push_back(value == 0 ? nlohmann::ordered_json(0) : nlohmann::ordered_json());
      continue;
    }
    const double scale = std::pow(10.0, 3 - std::floor(std::log10(std::abs(value))));
    const double shown = std::round(value * scale) / scale;
    list.push_back(std::isfinite(shown) ? shown : value);
  }
  return list;
}

}  // namespace

PageUserCounters::PageUserCounters(const MergedTrace& trace, std::int64_t begin_ns, std::int64_t end_ns)
    : trace_{trace},
      values_{trace},
      begin_ns_{begin_ns},
      bin_ns_{std::max<std::int64_t>(end_ns - begin_ns - 1, 0) / static_cast<std::int64_t>(kUserCounterBins) + 1},
      is_counter_(trace.definitions().calls.size()) {
  for (const MergedUserEvent& event : trace.definitions().user)
    if (event.kind == kUserKindNames[static_cast<std::size_t>(UserKind::counter)] && event.call < is_counter_.size())
      is_counter_[event.call] = true;
}

Status PageUserCounters::look_at(std::span<const WalkedEvent> events) {
  for (const WalkedEvent& walked : events)
    if (walked.event.call < is_counter_.size() && is_counter_[walked.event.call]) MERIDIAN_TRY_DO(add(walked.event));
  return {};
}

Status PageUserCounters::add(const MergedEvent& event) {
  const auto known = curve_of_.find(event.call);
  if (known == curve_of_.end() && curve_of_.size() == kMostUserCounters) return {};
  MERIDIAN_TRY(const std::span<const NamedValue> values, values_.of(event));
  if (values.empty()) return {};
  const double* const value = std::get_if<double>(&values[0].value);
  if (value == nullptr || !std::isfinite(*value)) return {};
  Curve& curve = known != curve_of_.end() ? known->second : curve_of_[event.call];
  const std::int64_t bin = (event.enter_ns - begin_ns_) / bin_ns_;
  fill(curve, static_cast<std::size_t>(std::clamp<std::int64_t>(bin, 0, kUserCounterBins)));
  curve.last[event.location] = *value;
  return {};
}

void PageUserCounters::fill(Curve& curve, std::size_t until_bin) const {
  if (curve.bin >= until_bin) return;
  double sum = 0, largest = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [location, value] : curve.last) {
    sum += value;
    largest = std::fmax(largest, value);
  }
  for (; curve.bin < until_bin; ++curve.bin) {
    curve.mean.push_back(sum / static_cast<double>(curve.last.size()));
    curve.largest.push_back(largest);
  }
}

nlohmann::ordered_json PageUserCounters::finish() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (auto& [call, curve] : curve_of_) {
    fill(curve, kUserCounterBins);
    list.push_back({{"name", std::string{trace_.definitions().call_name(call)}},
                    {"threads", curve.last.size()},
                    {"bin_ns", bin_ns_},
                    {"mean", rounded(curve.mean)},
                    {"largest", rounded(curve.largest)}});
  }
  return list;
}

}  // namespace meridian
