// SPDX-License-Identifier: Apache-2.0
#include "report/data/page_clocks.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace meridian {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostClocks = 256;
constexpr std::size_t kMostPlottedClocks = 32;
constexpr std::size_t kMostBoundKnots = 100;  // of a clock
constexpr std::size_t kMostFitPoints = 120;   // of a clock
constexpr std::size_t kMostSamples = 4000;

std::size_t step_for(std::size_t count, std::size_t most) {
  return std::max<std::size_t>(1, (count + most - 1) / most);
}

/// JSON has no infinity: null.
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }
/// The same, to a ns.
Json whole_ns(double value) {
  constexpr double kMost = 9e15;
  return std::isfinite(value) ? Json(std::llround(std::clamp(value, -kMost, kMost))) : Json();
}

}  // namespace

Result<Json> page_bounds(const MergedTrace& trace) {
  Json list = Json::array();
  const auto bounds = trace.clock_bounds();
  if (!bounds) {
    if (bounds.error().code == Errc::not_found) return list;
    return bounds.error();
  }
  for (const std::vector<ClockBoundKnot>& knots : bounds->domains) {
    if (list.size() == kMostClocks) break;
    Json& own = list.emplace_back(Json::array());
    // A knot that is shown is the widest of its neighbours.
    const std::size_t step = step_for(knots.size(), kMostBoundKnots);
    for (std::size_t k = 0; k < knots.size(); k += step) {
      double widest[2] = {0, 0};
      for (std::size_t q = k; q < std::min(k + step, knots.size()); ++q)
        for (const std::size_t level : {0U, 1U})
          widest[level] = std::max(
              widest[level], knots[q].is_certified
                                 ? static_cast<double>(std::max(knots[q].early_ns[level], knots[q].late_ns[level]))
                                 : INFINITY);
      own.push_back({knots[k].time_ns, whole_ns(std::ceil(widest[0])), whole_ns(std::ceil(widest[1]))});
    }
  }
  return list;
}

Result<Json> page_clocks(const MergedTrace& trace) {
  Json json = Json::object();
  Json& names = json["names"] = Json::array();
  for (const MergedRank& rank : trace.definitions().ranks) {
    if (rank.clock_domain >= kMostClocks) continue;
    while (names.size() <= rank.clock_domain) names.push_back("");
    Json& name = names[rank.clock_domain];
    if (name.get_ref<const std::string&>().empty()) name = rank.host;
  }
  const auto report = trace.clock_report();
  if (!report) {
    if (report.error().code == Errc::not_found) return json;
    return report.error();
  }
  Json fit = Json::array(), samples = Json::array(), lengths = Json::array();
  for (std::size_t i = 0; i < report->fit.size();) {
    std::size_t end = i;
    while (end < report->fit.size() && report->fit[end].domain == report->fit[i].domain) ++end;
    if (report->fit[i].domain >= kMostPlottedClocks) break;
    const std::size_t step = step_for(end - i, kMostFitPoints);
    for (; i < end; i += step) {
      const ClockFitPoint& point = report->fit[i];
      fit.push_back({point.domain, point.time_ns, whole_ns(point.correction_ns), finite(point.drift_ppm)});
    }
    i = end;
  }
  const std::size_t step = step_for(report->samples.size(), kMostSamples);
  for (std::size_t i = 0; i < report->samples.size(); i += step) {
    const ClockSamplePoint& sample = report->samples[i];
    if (std::isfinite(sample.residual_ns))
      samples.push_back({sample.domain, static_cast<int>(sample.kind), sample.time_ns, whole_ns(sample.residual_ns)});
  }
  for (const RoundTripBin& bin : report->lengths)
    if (bin.count > 0) lengths.push_back({whole_ns(bin.length_ns), bin.count});
  json["fit"] = std::move(fit);
  json["samples"] = std::move(samples);
  json["lengths"] = std::move(lengths);
  return json;
}

}  // namespace meridian
