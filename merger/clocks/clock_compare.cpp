// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/clock_compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "merger/clocks/clock_refine.hpp"
#include "merger/clocks/fit/fit_clocks.hpp"
#include "merger/clocks/samples/exchanges.hpp"
#include "merger/model/clock_tuning.hpp"
#include "merger/model/clocks.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/result.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

/// The correction from the first lines to these lines, which is a line as well.
ClockCorrection difference_of(const Clocks& lines, const Clocks& first, const ClockSamples& samples) {
  const std::int64_t begin = samples.origin_ns(), end = std::max(samples.end_ns(), begin + 1);
  ClockCorrection correction{static_cast<double>(begin),
                             static_cast<double>(end - begin),
                             first.domains,
                             2,
                             std::vector<double>(first.domains * std::size_t{2}),
                             {}};
  correction.steps.resize(first.domains);
  for (std::size_t i = 0; i < first.maps.size(); ++i)
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
      const std::uint64_t ticks = first.maps[i].to_ticks(k == 0 ? begin : end);
      correction.knot(first.domain_of[i], k) =
          static_cast<double>(lines.maps[i].to_global(ticks) - first.maps[i].to_global(ticks));
    }
  return correction;
}

Status count_reversed(TempSpool<DomainMessage>& messages, const std::vector<ClockCorrection>& models,
                      std::vector<ClockModelSummary>& rows) {
  TempSpoolReader<DomainMessage> reader{messages};
  std::vector<double> worst(models.size(), 0);
  while (const DomainMessage* message = reader.next())
    for (std::size_t m = 0; m < models.size(); ++m) {
      const double sent = models[m].corrected(message->from, static_cast<double>(message->sent_ns));
      const double received = models[m].corrected(message->to, static_cast<double>(message->received_ns));
      rows[m].reversed += received <= sent;
      worst[m] = std::max(worst[m], sent - received);
    }
  for (std::size_t m = 0; m < models.size(); ++m) rows[m].worst_s = worst[m] * kSecondsPerNs;
  return reader.status();
}

void set_verdict(const ClockVerdict& verdict, ClockModelSummary& row) {
  const auto seconds = [](double ns) { return ns < 0 ? -1 : ns * kSecondsPerNs; };
  row.shape = verdict.shape;
  row.bends_unseen_s = seconds(verdict.bends_ns);
  row.lines_unseen_s = seconds(verdict.straight_ns);
}

}  // namespace

double round_trip_residual(std::span<const RankMeta* const> metas, const Clocks& clocks) {
  struct TimedOffset {
    std::int64_t length_ns;
    double offset_ns;
  };
  std::map<std::tuple<std::uint32_t, std::uint32_t, AnchorPhase>, std::vector<TimedOffset>> exchanges;
  for_each_corrected_exchange(metas, clocks, [&](const CorrectedExchange& exchange) {
    exchanges[{exchange.from, exchange.to, exchange.phase}].push_back({exchange.length_ns(), exchange.ahead_ns()});
  });
  double squares = 0;
  std::size_t count = 0;
  for (auto& [key, list] : exchanges) {
    std::ranges::stable_sort(list, {}, &TimedOffset::length_ns);
    list.resize(std::max<std::size_t>(
        1, static_cast<std::size_t>(static_cast<double>(list.size()) * ClockTuning::kQuickestKept)));
    for (const TimedOffset& exchange : list) squares += exchange.offset_ns * exchange.offset_ns;
    count += list.size();
  }
  return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count));
}

Result<std::vector<ClockModelSummary>> compare_models(std::span<const RankMeta* const> metas, const Clocks& first,
                                                      const ClockSamples& samples, TempSpool<DomainMessage>& messages,
                                                      const ClockOptions& options, const Clocks& chosen,
                                                      const ClockCorrection& correction) {
  std::vector<ClockModelSummary> rows;
  std::vector<ClockCorrection> models;
  for (std::size_t m = 0; m < kClockModelNames.size(); ++m) {
    ClockOptions own = options;
    own.model = static_cast<ClockModel>(m);
    ClockModelSummary& row = rows.emplace_back();
    row.name = kClockModelNames[m];
    row.messages = messages.size();
    row.is_chosen = own.model == options.model;
    if (row.is_chosen && bends(own.model)) {
      models.push_back(correction);
      row.residual_s = round_trip_residual(metas, chosen) * kSecondsPerNs;
      set_verdict(chosen.verdict, row);
    } else if (bends(own.model)) {
      const Clocks clocks = refine_clocks(metas, first, samples, own, &models.emplace_back());
      set_verdict(clocks.verdict, row);
      row.residual_s = round_trip_residual(metas, clocks) * kSecondsPerNs;
    } else {
      MERIDIAN_TRY(const Clocks clocks, fit_clocks(metas, own));
      models.push_back(difference_of(clocks, first, samples));
      row.residual_s = round_trip_residual(metas, clocks) * kSecondsPerNs;
    }
  }
  MERIDIAN_TRY_DO(count_reversed(messages, models, rows));
  return rows;
}

}  // namespace meridian
