#include "merger/clocks/clock_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "merger/clocks/clock_trips.hpp"

namespace meridian {
namespace {

// Rows of a table at most, or a few for every domain or pair where these are many.
constexpr std::size_t kMostRows = 65536;
constexpr std::size_t kMostPairs = 8192;
constexpr std::size_t kFitPoints = 256;      // of a domain
constexpr std::size_t kMessagePoints = 64;   // of a direction of a pair
constexpr std::size_t kTripPoints = 64;      // of a pair and phase
constexpr std::size_t kLoopPoints = 8;       // of a pair that talks both ways
constexpr std::size_t kWindowsLookedAt = 4;  // of those that one point stands for
constexpr double kQuickShare = 0.1;          // of the round trips of a pair and phase: those that count in a loop
constexpr double kBinsPerOctave = 8;
constexpr double kPpm = 1e6;

std::size_t share_of(std::size_t users, std::size_t least, std::size_t most) {
  return std::clamp(kMostRows / std::max<std::size_t>(users, 1), least, most);
}

/// Of each domain: the clocks that samples were taken on, lines between start and end, and the corrected clocks.
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
  std::int64_t zero_ns_ = 0;  // of the merged file's times, on the lines
};

void add_fit(const Clocks& lines, const Corrections& corrections, const ClockSamples& samples, ClockReport& report) {
  const std::size_t points = share_of(lines.domains, 8, kFitPoints);
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
struct Spare {
  std::uint64_t sent_ticks = 0, received_ticks = 0;
  double fit_ns = std::numeric_limits<double>::infinity();  // corrected delay
};

/// That with the least time to spare, of a few windows among [begin, end).
Spare tightest(const Corrections& corrections, const PairSamples& pair, int direction, std::size_t begin,
               std::size_t end) {
  const ClockCells& side = pair.sides[direction];
  const std::uint32_t from = pair.from(direction), to = pair.to(direction);
  const std::size_t step = std::max<std::size_t>(1, (end - begin) / kWindowsLookedAt);
  Spare best;
  for (auto cell = std::ranges::lower_bound(side.cells(), begin, {}, &ClockCell::window);
       cell != side.cells().end() && cell->window < end; ++cell) {
    if ((cell->window - begin) % step != 0) continue;
    for (const ClockPoint& point : side.points(*cell)) {
      Spare one{corrections.ticks(from, point.sent_ns), corrections.ticks(to, point.sent_ns + point.delay_ns)};
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

void add_message_loop(const Corrections& corrections, const PairSamples& pair, const Spare& up, const Spare& down,
                      ClockReport& report) {
  const auto line_delay = [&](std::uint32_t from, std::uint32_t to, const Spare& one) {
    return static_cast<double>(
        wrapping_difference(corrections.line(to, one.received_ticks), corrections.line(from, one.sent_ticks)));
  };
  const double out = line_delay(pair.low, pair.high, up), back = line_delay(pair.high, pair.low, down);
  report.loops.push_back({pair.low, pair.high, 1, corrections.global(pair.low, up.sent_ticks), (out - back) / 2,
                          (up.fit_ns - down.fit_ns) / 2, (up.fit_ns + down.fit_ns) / 2});
}

void add_messages(const Corrections& corrections, const ClockSamples& samples, ClockReport& report) {
  const std::size_t pairs = std::min(samples.pairs().size(), kMostPairs);
  const std::size_t points = share_of(4 * pairs, 1, kMessagePoints), loops = share_of(pairs, 1, kLoopPoints);
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
    for_each_part(points, [&](const Spare& up, const Spare& down) {
      for (int direction = 0; direction < 2; ++direction) {
        const Spare& one = direction == 0 ? up : down;
        if (!std::isfinite(one.fit_ns)) continue;
        const std::uint32_t from = pair.from(direction), to = pair.to(direction);
        add_sample(corrections, to, from, ClockSampleKind::at_least, one.received_ticks, -one.fit_ns, report);
        add_sample(corrections, from, to, ClockSampleKind::at_most, one.sent_ticks, one.fit_ns, report);
      }
    });
    for_each_part(loops, [&](const Spare& up, const Spare& down) {
      if (std::isfinite(up.fit_ns) && std::isfinite(down.fit_ns)) add_message_loop(corrections, pair, up, down, report);
    });
  }
}

struct Trip {
  CorrectedTrip fit;
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

/// The quickest of each of some parts of the round trips, which are in order of time.
void add_trip_samples(const Corrections& corrections, const std::vector<Trip>& trips, std::size_t points,
                      ClockReport& report) {
  const std::size_t length = (trips.size() + points - 1) / points;
  for (std::size_t begin = 0; begin < trips.size(); begin += length) {
    const auto part = std::span{trips}.subspan(begin, std::min(length, trips.size() - begin));
    const CorrectedTrip& trip =
        std::ranges::min_element(part, {}, [](const Trip& one) { return one.fit.length_ns(); })->fit;
    if (trip.to != corrections.reference())
      add_sample(corrections, trip.to, trip.from, ClockSampleKind::round_trip, trip.received_ticks, -trip.ahead_ns(),
                 report);
    else
      add_sample(corrections, trip.from, trip.to, ClockSampleKind::round_trip, trip.sent_ticks, trip.ahead_ns(),
                 report);
  }
}

void add_trip_loop(std::vector<Trip> trips, ClockReport& report) {
  std::ranges::stable_sort(trips, {}, [](const Trip& one) { return one.fit.length_ns(); });
  trips.resize(std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(trips.size()) * kQuickShare)));
  ClockLoop loop;
  loop.from = trips.front().fit.from;
  loop.to = trips.front().fit.to;
  loop.time_ns = trips.front().fit.sent_ns;
  loop.doubt_ns = static_cast<double>(trips.front().fit.length_ns()) / 2;
  for (const Trip& one : trips) {
    loop.line_ns += one.line_ahead_ns / static_cast<double>(trips.size());
    loop.fit_ns += one.fit.ahead_ns() / static_cast<double>(trips.size());
  }
  report.loops.push_back(loop);
}

void add_round_trips(std::span<const RankMeta* const> metas, const Clocks& lines, const Clocks& clocks,
                     const Corrections& corrections, ClockReport& report) {
  std::vector<double> on_lines;  // in the order in which they are visited
  for_each_trip(metas, lines, [&](const CorrectedTrip& trip) { on_lines.push_back(trip.ahead_ns()); });
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<AnchorPhase, std::vector<Trip>>> pairs;
  std::map<int, std::uint64_t> bins;
  std::size_t number = 0;
  for_each_trip(metas, clocks, [&](const CorrectedTrip& trip) {
    const double ahead = on_lines[number++];
    const double length = std::max(1.0, static_cast<double>(trip.length_ns()));
    ++bins[static_cast<int>(std::floor(std::log2(length) * kBinsPerOctave))];
    const std::pair pair{trip.from, trip.to};
    if (pairs.size() < kMostPairs || pairs.contains(pair)) pairs[pair][trip.phase].push_back({trip, ahead});
  });
  for (const auto& [bin, count] : bins) report.lengths.push_back({std::exp2(bin / kBinsPerOctave), count});
  const std::size_t points = share_of(2 * pairs.size(), 1, kTripPoints);
  for (auto& [pair, phases] : pairs) {
    std::vector<double> lengths;
    for (auto& [phase, trips] : phases) {
      std::ranges::stable_sort(trips, {}, [](const Trip& one) { return one.fit.sent_ns; });
      for (const Trip& one : trips) lengths.push_back(static_cast<double>(one.fit.length_ns()));
      add_trip_samples(corrections, trips, points, report);
      add_trip_loop(std::move(trips), report);
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
