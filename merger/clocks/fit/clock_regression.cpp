// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/fit/clock_regression.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "merger/model/clock_tuning.hpp"

namespace meridian {
namespace {

struct Weighted {
  ExchangeOffset exchange;
  long double weight = 0;  // normalised to a sum of 1
};

/// Adds the quick exchanges of a batch, which is sorted by round trip time, with their weights.
/// quickest  the shortest round trip time of all batches
void add_batch(std::span<const ExchangeOffset> batch, double share, long double quickest, std::vector<Weighted>& kept) {
  const auto dropped = static_cast<std::size_t>(static_cast<double>(batch.size()) * (1 - share) + 1e-9);
  const std::size_t count = std::max<std::size_t>(1, batch.size() - dropped);
  if (batch.size() >= ClockTuning::kFewExchanges) quickest = batch.front().rtt_ns;
  const auto doubt = [&](std::size_t i) { return (batch[i].rtt_ns - quickest) / 2; };
  // The quickest tenth show what is usual, unless hardly any were quick.
  const auto most = static_cast<long double>(ClockTuning::kQuickShare);
  const long double second = std::max(ClockTuning::kLeastStampDoubtNs, doubt(std::min<std::size_t>(1, count - 1)));
  const long double common =
      std::clamp(doubt(count / ClockTuning::kQuickShare), ClockTuning::kLeastStampDoubtNs, most * second);
  for (std::size_t i = 0; i < count; ++i) kept.push_back({batch[i], 1 / (common * common + doubt(i) * doubt(i))});
}

std::vector<Weighted> select(std::span<const ExchangeOffset> exchanges, double share) {
  std::vector<ExchangeOffset> sorted{exchanges.begin(), exchanges.end()};
  std::stable_sort(sorted.begin(), sorted.end(), [](const ExchangeOffset& a, const ExchangeOffset& b) {
    return a.batch != b.batch ? a.batch < b.batch : a.rtt_ns < b.rtt_ns;
  });
  std::vector<Weighted> kept;
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    const auto end = std::find_if(begin, sorted.end(),
                                  [&](const ExchangeOffset& exchange) { return exchange.batch != begin->batch; });
    add_batch({begin, end}, share, std::ranges::min(exchanges, {}, &ExchangeOffset::rtt_ns).rtt_ns, kept);
    begin = end;
  }
  long double sum = 0;
  for (const Weighted& one : kept) sum += one.weight;
  for (Weighted& one : kept) one.weight /= sum;
  return kept;
}

template <class Value>
long double mean(const std::vector<Weighted>& kept, Value&& value) {
  long double sum = 0;
  for (const Weighted& one : kept) sum += one.weight * value(one.exchange);
  return sum;
}

}  // namespace

double LineFit::offset_error_ns(long double at_ns) const {
  return std::hypot(centre_error_ns, drift_error * static_cast<double>(at_ns - centre_ns));
}

std::optional<LineFit> fit_line(std::span<const ExchangeOffset> exchanges, bool with_drift, double share) {
  if (exchanges.empty()) return std::nullopt;
  const std::vector<Weighted> kept = select(exchanges, share);
  LineFit fit;
  fit.used = kept.size();
  fit.dropped = exchanges.size() - kept.size();

  std::vector<long double> rtts;
  for (const ExchangeOffset& exchange : exchanges) rtts.push_back(exchange.rtt_ns);
  std::sort(rtts.begin(), rtts.end());
  fit.rtt_min_ns = static_cast<double>(rtts.front());
  fit.rtt_median_ns = static_cast<double>((rtts[(rtts.size() - 1) / 2] + rtts[rtts.size() / 2]) / 2);

  fit.centre_ns = mean(kept, [](const ExchangeOffset& exchange) { return exchange.at_ns; });
  fit.offset_ns = mean(kept, [](const ExchangeOffset& exchange) { return exchange.offset_ns; });
  const auto time = [&](const ExchangeOffset& exchange) { return exchange.at_ns - fit.centre_ns; };
  const long double spread =
      mean(kept, [&](const ExchangeOffset& exchange) { return time(exchange) * time(exchange); });
  const bool has_drift = with_drift && spread > 0;
  if (has_drift) {
    const long double slope =
        mean(kept,
             [&](const ExchangeOffset& exchange) { return time(exchange) * (exchange.offset_ns - fit.offset_ns); }) /
        spread;
    fit.drift = static_cast<double>(slope);
  }

  const std::size_t parameters = has_drift ? 2 : 1;
  if (fit.used <= parameters) return fit;
  const long double square = mean(kept, [&](const ExchangeOffset& exchange) {
    const long double residual = exchange.offset_ns - fit.offset_ns - fit.drift * time(exchange);
    return residual * residual;
  });
  const auto used = static_cast<long double>(fit.used);
  const long double residual = std::sqrt(square * used / (used - static_cast<long double>(parameters)));
  long double weights_squared = 0;
  for (const Weighted& one : kept) weights_squared += one.weight * one.weight;
  const long double worth = 1 / weights_squared;
  fit.residual_ns = static_cast<double>(residual);
  fit.centre_error_ns = static_cast<double>(residual / std::sqrt(worth));
  if (has_drift) fit.drift_error = static_cast<double>(residual / std::sqrt(worth * spread));
  return fit;
}

}  // namespace meridian
