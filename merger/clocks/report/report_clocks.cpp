// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/report/report_clocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "merger/clocks/samples/exchanges.hpp"
#include "merger/model/clock_tuning.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

std::size_t share_of(std::size_t users, std::size_t least, std::size_t most) {
  return std::clamp(ClockTuning::kMostReportRows / std::max<std::size_t>(users, 1), least, most);
}

/// For each domain: the clocks that samples were taken on, the lines between start and end, and the corrected clocks.
class Corrections {
 public:
  Corrections(const Clocks& sampled, const Clocks& lines, const Clocks& clocks) : reference_{clocks.reference} {
    std::vector<std::size_t> rank_of(clocks.domains, 0);
    for (std::size_t i = clocks.maps.size(); i-- > 0;) rank_of[clocks.domain_of[i]] = i;
    for (const std::size_t rank : rank_of) {
      sampled_.push_back(sampled.maps[rank]);
      lines_.push_back(lines.maps[rank]);
      maps_.push_back(clocks.maps[rank]);
    }
    const std::uint64_t ticks = clocks.first_ticks[reference_];
    zero_ns_ = wrapping_difference(lines_[reference_].to_global(ticks), maps_[reference_].to_global(ticks));
  }
  std::uint32_t reference() const { return reference_; }
  std::uint64_t ticks(std::uint32_t domain, std::int64_t sampled_ns) const {
    return sampled_[domain].to_ticks(sampled_ns);
  }
  std::int64_t global(std::uint32_t domain, std::uint64_t ticks) const { return maps_[domain].to_global(ticks); }
  std::int64_t line(std::uint32_t domain, std::uint64_t ticks) const { return lines_[domain].to_global(ticks); }
  double correction(std::uint32_t domain, std::uint64_t ticks) const {
    return static_cast<double>(wrapping_difference(global(domain, ticks), line(domain, ticks))) +
           static_cast<double>(zero_ns_);
  }

 private:
  std::uint32_t reference_;
  std::vector<ClockMap> sampled_, lines_, maps_;
  std::int64_t zero_ns_ = 0;  // zero of the merged file's times, on the lines
};

void add_fit(const Clocks& lines, const Corrections& corrections, const ClockSamples& samples, ClockReport& report) {
  const std::size_t points = share_of(lines.domains, 8, ClockTuning::kFitPoints);
  const auto span = static_cast<double>(std::max<std::int64_t>(samples.end_ns() - samples.begin_ns(), 1));
  std::vector<double> line_drift(lines.domains, 0);
  for (const ClockSummary& row : lines.table) line_drift[row.domain] = row.drift_ppm;
  for (std::uint32_t h = 0; h < lines.domains; ++h) {
    if (h == corrections.reference()) continue;
    const std::size_t begin = report.fit.size();
    for (std::size_t i = 0; i < points; ++i) {
      const double at = span * static_cast<double>(i) / static_cast<double>(points - 1);
      const std::uint64_t ticks = corrections.ticks(h, samples.begin_ns() + std::llround(at));
      report.fit.push_back({h, corrections.global(h, ticks), corrections.correction(h, ticks), 0});
    }
    for (std::size_t i = begin; i + 1 < report.fit.size(); ++i) {
      ClockFitPoint &here = report.fit[i], &next = report.fit[i + 1];
      const auto way = static_cast<double>(wrapping_difference(next.time_ns, here.time_ns));
      here.drift_ppm = line_drift[h] + (way > 0 ? (next.correction_ns - here.correction_ns) / way * kPpm : 0);
      next.drift_ppm = here.drift_ppm;
    }
  }
}

/// A message of the samples.
struct TightMessage {
  std::uint64_t sent_ticks = 0, received_ticks = 0;
  double fit_ns = std::numeric_limits<double>::infinity();  // corrected delay
};

/// The message with the least slack, from a few of the windows [begin, end).
TightMessage tightest(const Corrections& corrections, const PairSamples& pair, int direction, std::size_t begin,
                      std::size_t end) {
  const ClockCells& side = pair.sides[direction];
  const std::uint32_t from = pair.from(direction), to = pair.to(direction);
  const std::size_t step = std::max<std::size_t>(1, (end - begin) / ClockTuning::kWindowsLookedAt);
  TightMessage best;
  for (auto cell = std::ranges::lower_bound(side.cells(), begin, {}, &ClockCell::window);
       cell != side.cells().end() && cell->window < end; ++cell) {
    if ((cell->window - begin) % step != 0) continue;
    for (const ClockPoint& point : side.points(*cell)) {
      TightMessage one{corrections.ticks(from, point.sent_ns), corrections.ticks(to, point.sent_ns + point.delay_ns)};
      one.fit_ns = static_cast<double>(
          wrapping_difference(corrections.global(to, one.received_ticks), corrections.global(from, one.sent_ticks)));
      if (one.fit_ns < best.fit_ns) best = one;
    }
  }
  return best;
}

void add_sample(const Corrections& corrections, std::uint32_t domain, std::uint32_t other, ClockSampleKind kind,
                std::uint64_t ticks, double residual_ns, ClockReport& report) {
  if (domain == corrections.reference()) return;
  report.samples.push_back({domain, other, kind, corrections.global(domain, ticks),
                            corrections.correction(domain, ticks) + residual_ns, residual_ns});
}

void add_message_loop(const Corrections& corrections, const PairSamples& pair, const TightMessage& up,
                      const TightMessage& down, ClockReport& report) {
  const auto line_delay = [&](std::uint32_t from, std::uint32_t to, const TightMessage& one) {
    return static_cast<double>(
        wrapping_difference(corrections.line(to, one.received_ticks), corrections.line(from, one.sent_ticks)));
  };
  const double out = line_delay(pair.low, pair.high, up), back = line_delay(pair.high, pair.low, down);
  report.loops.push_back({pair.low, pair.high, 1, corrections.global(pair.low, up.sent_ticks), (out - back) / 2,
                          (up.fit_ns - down.fit_ns) / 2, (up.fit_ns + down.fit_ns) / 2});
}

void add_messages(const Corrections& corrections, const ClockSamples& samples, ClockReport& report) {
  const std::size_t pairs = std::min(samples.pairs().size(), ClockTuning::kMostReportPairs);
  const std::size_t points = share_of(4 * pairs, 1, ClockTuning::kMessagePoints),
                    loops = share_of(pairs, 1, ClockTuning::kLoopPoints);
  for (const PairSamples& pair : samples.pairs().first(pairs)) {
    std::size_t windows = 0;
    for (const ClockCells& side : pair.sides)
      if (side.size() != 0) windows = std::max<std::size_t>(windows, side.cells().back().window + 1);
    const auto for_each_part = [&](std::size_t parts, auto&& visit) {
      const std::size_t length = std::max<std::size_t>(1, (windows + parts - 1) / parts);
      for (std::size_t begin = 0; begin < windows; begin += length)
        visit(tightest(corrections, pair, 0, begin, begin + length),
              tightest(corrections, pair, 1, begin, begin + length));
    };
    for_each_part(points, [&](const TightMessage& up, const TightMessage& down) {
      for (int direction = 0; direction < 2; ++direction) {
        const TightMessage& one = direction == 0 ? up : down;
        if (!std::isfinite(one.fit_ns)) continue;
        const std::uint32_t from = pair.from(direction), to = pair.to(direction);
        add_sample(corrections, to, from, ClockSampleKind::at_least, one.received_ticks, -one.fit_ns, report);
        add_sample(corrections, from, to, ClockSampleKind::at_most, one.sent_ticks, one.fit_ns, report);
      }
    });
    for_each_part(loops, [&](const TightMessage& up, const TightMessage& down) {
      if (std::isfinite(up.fit_ns) && std::isfinite(down.fit_ns)) add_message_loop(corrections, pair, up, down, report);
    });
  }
}

struct ExchangeOnLine {
  CorrectedExchange fit;
  double line_ahead_ns = 0;
};

double quantile(const std::vector<double>& sorted, double q) {
  return sorted[std::min(sorted.size() - 1, static_cast<std::size_t>(q * static_cast<double>(sorted.size())))];
}

void add_lengths(std::uint32_t from, std::uint32_t to, std::vector<double> lengths, ClockReport& report) {
  std::ranges::sort(lengths);
  report.round_trips.push_back({from, to, lengths.size(), lengths.front(), quantile(lengths, .25),
                                quantile(lengths, .5), quantile(lengths, .75), quantile(lengths, .99), lengths.back()});
}

/// Adds the quickest exchange of each part of the exchanges, which are in order of time.
void add_exchange_samples(const Corrections& corrections, const std::vector<ExchangeOnLine>& exchanges,
                          std::size_t points, ClockReport& report) {
  const std::size_t length = (exchanges.size() + points - 1) / points;
  for (std::size_t begin = 0; begin < exchanges.size(); begin += length) {
    const auto part = std::span{exchanges}.subspan(begin, std::min(length, exchanges.size() - begin));
    const CorrectedExchange& exchange =
        std::ranges::min_element(part, {}, [](const ExchangeOnLine& one) { return one.fit.length_ns(); })->fit;
    if (exchange.to != corrections.reference())
      add_sample(corrections, exchange.to, exchange.from, ClockSampleKind::round_trip, exchange.received_ticks,
                 -exchange.ahead_ns(), report);
    else
      add_sample(corrections, exchange.from, exchange.to, ClockSampleKind::round_trip, exchange.sent_ticks,
                 exchange.ahead_ns(), report);
  }
}

void add_exchange_loop(std::vector<ExchangeOnLine> exchanges, ClockReport& report) {
  std::ranges::stable_sort(exchanges, {}, [](const ExchangeOnLine& one) { return one.fit.length_ns(); });
  exchanges.resize(std::max<std::size_t>(
      1, static_cast<std::size_t>(static_cast<double>(exchanges.size()) * ClockTuning::kQuickLoopShare)));
  ClockLoop loop;
  loop.from = exchanges.front().fit.from;
  loop.to = exchanges.front().fit.to;
  loop.time_ns = exchanges.front().fit.sent_ns;
  loop.doubt_ns = static_cast<double>(exchanges.front().fit.length_ns()) / 2;
  for (const ExchangeOnLine& one : exchanges) {
    loop.line_ns += one.line_ahead_ns / static_cast<double>(exchanges.size());
    loop.fit_ns += one.fit.ahead_ns() / static_cast<double>(exchanges.size());
  }
  report.loops.push_back(loop);
}

void add_round_trips(std::span<const RankMeta* const> metas, const Clocks& lines, const Clocks& clocks,
                     const Corrections& corrections, ClockReport& report) {
  std::vector<double> on_lines;  // in order of visit
  for_each_corrected_exchange(metas, lines,
                              [&](const CorrectedExchange& exchange) { on_lines.push_back(exchange.ahead_ns()); });
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<AnchorPhase, std::vector<ExchangeOnLine>>> pairs;
  std::map<int, std::uint64_t> bins;
  std::size_t number = 0;
  for_each_corrected_exchange(metas, clocks, [&](const CorrectedExchange& exchange) {
    const double ahead = on_lines[number++];
    const double length = std::max(1.0, static_cast<double>(exchange.length_ns()));
    ++bins[static_cast<int>(std::floor(std::log2(length) * ClockTuning::kBinsPerOctave))];
    const std::pair pair{exchange.from, exchange.to};
    if (pairs.size() < ClockTuning::kMostReportPairs || pairs.contains(pair))
      pairs[pair][exchange.phase].push_back({exchange, ahead});
  });
  for (const auto& [bin, count] : bins) report.lengths.push_back({std::exp2(bin / ClockTuning::kBinsPerOctave), count});
  const std::size_t points = share_of(2 * pairs.size(), 1, ClockTuning::kExchangePoints);
  for (auto& [pair, phases] : pairs) {
    std::vector<double> lengths;
    for (auto& [phase, exchanges] : phases) {
      std::ranges::stable_sort(exchanges, {}, [](const ExchangeOnLine& one) { return one.fit.sent_ns; });
      for (const ExchangeOnLine& one : exchanges) lengths.push_back(static_cast<double>(one.fit.length_ns()));
      add_exchange_samples(corrections, exchanges, points, report);
      add_exchange_loop(std::move(exchanges), report);
    }
    add_lengths(pair.first, pair.second, std::move(lengths), report);
  }
}

}  // namespace

ClockReport report_clocks(std::span<const RankMeta* const> metas, const Clocks& sampled, const Clocks& lines,
                          const Clocks& clocks, const ClockSamples& samples) {
  ClockReport report;
  if (clocks.domains < 2) return report;
  const Corrections corrections{sampled, lines, clocks};
  add_fit(lines, corrections, samples, report);
  add_messages(corrections, samples, report);
  add_round_trips(metas, lines, clocks, corrections, report);
  std::ranges::stable_sort(report.samples, {}, [](const ClockSamplePoint& one) {
    return std::tuple{one.domain, one.time_ns, one.kind, one.other};
  });
  std::ranges::stable_sort(report.loops, {}, [](const ClockLoop& one) {
    return std::tuple{one.from, one.to, one.is_messages, one.time_ns};
  });
  return report;
}

}  // namespace meridian
