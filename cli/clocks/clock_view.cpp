// SPDX-License-Identifier: Apache-2.0
#include "cli/clocks/clock_view.hpp"

#include <nlohmann/json.hpp>
#include <tuple>

#include "merger/clocks/bounds/merged_bounds.hpp"
#include "merger/clocks/report/read_clock_report.hpp"
#include "summary/summary_file.hpp"

namespace meridian {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kMostDomains = 1U << 24;

/// {"name": [values]} of a table's columns.
template <class Row, class... Columns>
Json columns_json(const std::vector<Row>& rows, const Columns&... columns) {
  Json object;
  const auto add = [&](const char* name, auto member) {
    Json& values = object[name] = Json::array();
    for (const Row& row : rows) values.push_back(row.*member);
  };
  (std::apply(add, columns), ...);
  return object;
}

Json bounds_json(const ClockBounds& bounds) {
  Json object;
  const char* const names[] = {"domain",      "time_ns",    "t1_early_ns", "t1_late_ns",
                               "t2_early_ns", "t2_late_ns", "rate",        "is_certified"};
  for (const char* const name : names) object[name] = Json::array();
  for (std::size_t domain = 0; domain < bounds.domains.size(); ++domain)
    for (const ClockBoundKnot& knot : bounds.domains[domain]) {
      object["domain"].push_back(domain);
      object["time_ns"].push_back(knot.time_ns);
      object["t1_early_ns"].push_back(knot.early_ns[0]);
      object["t1_late_ns"].push_back(knot.late_ns[0]);
      object["t2_early_ns"].push_back(knot.early_ns[1]);
      object["t2_late_ns"].push_back(knot.late_ns[1]);
      object["rate"].push_back(knot.rate);
      object["is_certified"].push_back(knot.is_certified);
    }
  return object;
}

Json table_json(const std::vector<ClockSummary>& clocks) {
  Json rows = Json::array();
  for (const ClockSummary& clock : clocks)
    rows.push_back({{"domain", clock.domain},
                    {"host", clock.host},
                    {"ranks", clock.ranks},
                    {"clock", clock.clock},
                    {"model", clock.model},
                    {"offset_s", clock.offset_s},
                    {"drift_ppm", clock.drift_ppm},
                    {"residual_s", clock.residual_s},
                    {"offset_error_s", clock.offset_error_s},
                    {"drift_error_ppm", clock.drift_error_ppm},
                    {"rtt_min_s", clock.rtt_min_s},
                    {"exchanges", clock.exchanges},
                    {"exchanges_dropped", clock.exchanges_dropped},
                    {"t1_s", clock.t1_s < 0 ? Json(nullptr) : Json(clock.t1_s)},
                    {"t2_s", clock.t2_s < 0 ? Json(nullptr) : Json(clock.t2_s)}});
  return rows;
}

}  // namespace

Result<ClockPageData> read_clock_view(const std::filesystem::path& merged) {
  ClockPageData view;
  MERIDIAN_TRY(view.summary, read_summary(merged));
  MERIDIAN_TRY(view.report, read_clock_report(merged));
  if (auto bounds = MergedBounds::read(merged))
    view.bounds = bounds->bounds();
  else if (bounds.error().code != Errc::not_found)
    return std::move(bounds).error();
  for (const ClockSummary& clock : view.summary.clocks) {
    if (clock.domain >= kMostDomains)
      return Error{Errc::damaged, "the clock table of '" + merged.string() + "' names a clock domain beyond all bounds",
                   "make the merged file again with `meridian merge`"};
    if (clock.domain >= view.hosts.size()) view.hosts.resize(std::size_t{clock.domain} + 1);
    if (view.hosts[clock.domain].empty()) view.hosts[clock.domain] = clock.host;
    if (clock.model == "reference") view.reference = clock.domain;
  }
  return view;
}

std::string clock_json(const ClockPageData& view) {
  const Summary& summary = view.summary;
  const ClockReport& report = view.report;
  Json json;
  json["schema"] = "meridian-clocks";
  json["version"] = 1;
  json["domains"] = view.domains();
  json["reference"] = view.reference;
  json["clocks"] = table_json(summary.clocks);
  json["models"] = Json::array();
  for (const ClockModelSummary& model : summary.clock_models)
    json["models"].push_back({{"name", model.name},
                              {"is_chosen", model.is_chosen},
                              {"messages", model.messages},
                              {"reversed", model.reversed},
                              {"worst_s", model.worst_s},
                              {"residual_s", model.residual_s}});
  json["reversed_before"] = summary.reversed_before;
  json["reversed_after"] = summary.reversed_after;
  json["fit"] = columns_json(
      report.fit, std::tuple{"domain", &ClockFitPoint::domain}, std::tuple{"time_ns", &ClockFitPoint::time_ns},
      std::tuple{"correction_ns", &ClockFitPoint::correction_ns}, std::tuple{"drift_ppm", &ClockFitPoint::drift_ppm});
  json["samples"] = columns_json(
      report.samples, std::tuple{"domain", &ClockSamplePoint::domain}, std::tuple{"other", &ClockSamplePoint::other},
      std::tuple{"kind", &ClockSamplePoint::kind}, std::tuple{"time_ns", &ClockSamplePoint::time_ns},
      std::tuple{"correction_ns", &ClockSamplePoint::correction_ns},
      std::tuple{"residual_ns", &ClockSamplePoint::residual_ns});
  json["round_trips"] =
      columns_json(report.round_trips, std::tuple{"from", &RoundTripRow::from}, std::tuple{"to", &RoundTripRow::to},
                   std::tuple{"count", &RoundTripRow::count}, std::tuple{"min_ns", &RoundTripRow::min_ns},
                   std::tuple{"p25_ns", &RoundTripRow::p25_ns}, std::tuple{"median_ns", &RoundTripRow::median_ns},
                   std::tuple{"p75_ns", &RoundTripRow::p75_ns}, std::tuple{"p99_ns", &RoundTripRow::p99_ns},
                   std::tuple{"max_ns", &RoundTripRow::max_ns});
  json["round_trip_lengths"] = columns_json(report.lengths, std::tuple{"length_ns", &RoundTripBin::length_ns},
                                            std::tuple{"count", &RoundTripBin::count});
  json["loops"] = columns_json(report.loops, std::tuple{"from", &ClockLoop::from}, std::tuple{"to", &ClockLoop::to},
                               std::tuple{"is_messages", &ClockLoop::is_messages},
                               std::tuple{"time_ns", &ClockLoop::time_ns}, std::tuple{"line_ns", &ClockLoop::line_ns},
                               std::tuple{"fit_ns", &ClockLoop::fit_ns}, std::tuple{"doubt_ns", &ClockLoop::doubt_ns});
  json["bounds"] = bounds_json(view.bounds);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace meridian
