// SPDX-License-Identifier: Apache-2.0
#include "field_clocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace meridian::test {
namespace {

constexpr double kNs = 1e9;
constexpr double kTurnNs = 100;  // from a question to its answer, and from an answer to the next question

double middle(double a, double b) { return a + (b - a) / 2; }

/// A ping-pong: the client's clock twice, and what the reference answered in between. ns.
struct PingPong {
  double sent = 0, answered = 0, back = 0;
};

/// Ping-pongs of two hosts, one after the other.
class PingPongs {
 public:
  PingPongs(SimulatedRun& run, int reference, int client, const ClockLine& global, double start_s)
      : run_{run}, reference_{reference}, client_{client}, global_{global}, now_s_{start_s} {}

  PingPong next() {
    PingPong one;
    one.sent = local(client_);
    now_s_ += run_.delay(client_, reference_, now_s_) / kNs;
    one.answered = global_(local(reference_));
    now_s_ += (kTurnNs + run_.delay(reference_, client_, now_s_)) / kNs;
    one.back = local(client_);
    now_s_ += kTurnNs / kNs;
    return one;
  }
  double now_s() const { return now_s_; }

 private:
  double local(int host) const {
    return static_cast<double>(run_.clocks[static_cast<std::size_t>(host)].ticks(now_s_));
  }

  SimulatedRun& run_;
  int reference_, client_;
  ClockLine global_;  // of the reference
  double now_s_;
};

/// The difference of the reference's clock and the client's, at a time of the client.
using FitPoint = HullPoint;

FitPoint quickest_of(PingPongs& pings) {
  PingPong best;
  for (int i = 0; i < kPingPongs; ++i)
    if (const PingPong one = pings.next(); i == 0 || one.back - one.sent < best.back - best.sent) best = one;
  const double at = middle(best.sent, best.back);
  return {at, best.answered - at};
}

/// SKaMPI: what all ping-pongs together leave.
FitPoint skampi_offset(PingPongs& pings) {
  double least = -std::numeric_limits<double>::infinity(), most = -least, at = 0;
  for (int i = 0; i < kPingPongs; ++i) {
    const PingPong one = pings.next();
    least = std::max(least, one.answered - one.back);
    most = std::min(most, one.answered - one.sent);
    at = one.back;
  }
  return {at, middle(least, most)};
}

ClockLine least_squares(const std::vector<FitPoint>& points) {
  const auto n = static_cast<double>(points.size());
  double at = 0, mean = 0, squares = 0, products = 0;
  for (const FitPoint& one : points) at += (one.at_ns - points[0].at_ns) / n;
  for (const FitPoint& one : points) mean += (one.difference_ns - points[0].difference_ns) / n;
  at += points[0].at_ns;
  mean += points[0].difference_ns;
  for (const FitPoint& one : points) {
    squares += (one.at_ns - at) * (one.at_ns - at);
    products += (one.at_ns - at) * (one.difference_ns - mean);
  }
  return {at, mean, products / squares};
}

ClockLine learn(PingPongs& pings, FitPoint (*measure)(PingPongs&)) {
  std::vector<FitPoint> points;
  points.reserve(kFitPoints);
  for (int i = 0; i < kFitPoints; ++i) points.push_back(measure(pings));
  return least_squares(points);
}

}  // namespace

ClockLine ClockLine::then(const ClockLine& next) const {
  const double reached = at_ns + offset_ns;
  return {at_ns, next(reached) - at_ns, (1 + slope) * (1 + next.slope) - 1};
}

FieldClocks line_between_ends(const SimulatedRun& run) {
  const auto per_host = static_cast<std::size_t>(run.scenario.ranks_per_host);
  FieldClocks clocks{ClockLine{}};
  for (int h = 1; h < run.scenario.hosts; ++h) {
    FitPoint ends[2];
    double quickest[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    for (const ExchangeRow& row : run.metas[0].exchanges) {
      if (row.peer != h * static_cast<int>(per_host) || row.phase == AnchorPhase::epoch) continue;
      const std::size_t end = row.phase == AnchorPhase::finish ? 1 : 0;
      const auto sent = static_cast<double>(row.sent_ticks), returned = static_cast<double>(row.returned_ticks);
      const auto received = static_cast<double>(row.received_ticks), replied = static_cast<double>(row.replied_ticks);
      const double trip = (returned - sent) - (replied - received);
      if (trip >= quickest[end]) continue;
      quickest[end] = trip;
      ends[end] = {middle(received, replied), middle(sent, returned) - middle(received, replied)};
    }
    clocks.emplace_back(ClockLine{ends[0].at_ns, ends[0].difference_ns,
                                  (ends[1].difference_ns - ends[0].difference_ns) / (ends[1].at_ns - ends[0].at_ns)});
  }
  return clocks;
}

std::vector<ClockLine> jones_koenig(SimulatedRun& run, double start_s) {
  std::vector<ClockLine> lines(1);
  for (int h = 1; h < run.scenario.hosts; ++h) {
    PingPongs pings{run, 0, h, {}, start_s};
    lines.push_back(learn(pings, quickest_of));
    start_s = pings.now_s();
  }
  return lines;
}

std::vector<ClockLine> hca3(SimulatedRun& run, double start_s) {
  const auto hosts = static_cast<std::size_t>(run.scenario.hosts);
  std::vector<ClockLine> lines(hosts);
  std::size_t distance = 1;
  while (2 * distance < hosts) distance *= 2;
  for (; distance > 0; distance /= 2) {
    double end_s = start_s;
    for (std::size_t reference = 0; reference + distance < hosts; reference += 2 * distance) {
      PingPongs pings{run, static_cast<int>(reference), static_cast<int>(reference + distance), lines[reference],
                      start_s};
      ClockLine line = learn(pings, skampi_offset);
      const FitPoint anew = skampi_offset(pings);
      line.offset_ns = anew.difference_ns - line.slope * (anew.at_ns - line.at_ns);
      lines[reference + distance] = line;
      end_s = std::max(end_s, pings.now_s());
    }
    start_s = end_s;
  }
  return lines;
}

FieldClocks extrapolated(std::vector<ClockLine> before) { return {before.begin(), before.end()}; }

FieldClocks interpolated(std::vector<ClockLine> before, std::vector<ClockLine> after) {
  FieldClocks clocks{ClockLine{}};
  for (std::size_t h = 1; h < before.size(); ++h)
    clocks.emplace_back([first = before[h], last = after[h]](double local_ns) {
      const double share = std::clamp((local_ns - first.at_ns) / (last.at_ns - first.at_ns), 0.0, 1.0);
      return first(local_ns) + share * (last(local_ns) - first(local_ns));
    });
  return clocks;
}

}  // namespace meridian::test
