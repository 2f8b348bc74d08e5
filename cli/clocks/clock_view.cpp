// SPDX-License-Identifier: Apache-2.0
#include "cli/clocks/clock_view.hpp"

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "merged/merged_trace.hpp"
#include "merged/model/clock_bounds_columns.hpp"
#include "merged/model/clock_report_columns.hpp"
#include "summary/clock_verdict.hpp"

namespace meridian {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kMostDomains = 1U << 24;

/// {"name": [values]} of a table's columns.
template <class Row>
Json columns_json(std::span<const AnyColumn> columns, const std::vector<Row>& rows) {
  Json object;
  for (const AnyColumn& column : columns) {
    Json& values = object[std::string{column.name}] = Json::array();
    for (const Row& row : rows) std::visit([&](const auto& value) { values.push_back(value); }, value_of(column, &row));
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
  MERIDIAN_TRY(const MergedTrace trace, MergedTrace::open(merged));
  MERIDIAN_TRY(view.summary, trace.summary());
  MERIDIAN_TRY(view.report, trace.clock_report());
  if (auto bounds = trace.clock_bounds())
    view.bounds = *std::move(bounds);
  else if (bounds.error().code != Errc::not_found)
    return std::move(bounds).error();
  for (const ClockSummary& clock : view.summary.clocks) {
    if (clock.domain >= kMostDomains)
      return Error{Errc::damaged, "the clock table of '" + merged.string() + "' names an invalid clock domain",
                   "make the merged file again with `meridian merge`"};
    if (clock.domain >= view.hosts.size()) view.hosts.resize(std::size_t{clock.domain} + 1);
    if (view.hosts[clock.domain].empty()) view.hosts[clock.domain] = clock.host;
    if (clock.model == "reference") view.reference = clock.domain;
  }
  return view;
}

std::string clock_json(const ClockPageData& view) {
  const Summary& summary = view.summary;
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
                              {"residual_s", model.residual_s},
                              {"shape", model.shape},
                              {"bends_unseen_s", model.bends_unseen_s},
                              {"lines_unseen_s", model.lines_unseen_s}});
  json["verdict"] = clock_verdict(summary);
  json["reversed_before"] = summary.reversed_before;
  json["reversed_after"] = summary.reversed_after;
  const auto add = [&](std::string_view name, std::span<const AnyColumn> columns, const auto& rows) -> Status {
    name.remove_prefix(name.find('/') + 1);  // of the group of all
    json[std::string{name}] = columns_json(columns, rows);
    return {};
  };
  (void)clock_report::for_each_table(view.report, add);
  json["bounds"] = columns_json(kClockBoundColumns, rows_of(view.bounds));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace meridian
