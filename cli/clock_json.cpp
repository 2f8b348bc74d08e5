// SPDX-License-Identifier: Apache-2.0
#include "cli/clock_json.hpp"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
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

Result<std::string> clock_json(const MergedTrace& trace, const Summary& summary) {
  MERIDIAN_TRY(const ClockReport report, trace.clock_report());
  auto bounds = trace.clock_bounds();  // not every model has any
  if (!bounds && bounds.error().code != Errc::not_found) return std::move(bounds).error();
  std::set<std::uint32_t> domains;
  for (const ClockSummary& clock : summary.clocks) domains.insert(clock.domain);
  const auto reference = std::ranges::find(summary.clocks, "reference", &ClockSummary::model);
  Json json;
  json["schema"] = "meridian-clocks";
  json["version"] = 1;
  json["domains"] = domains.size();
  json["reference"] = reference != summary.clocks.end() ? reference->domain : 0;
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
  (void)clock_report::for_each_table(report, add);
  json["bounds"] = columns_json(kClockBoundColumns, rows_of(bounds ? *bounds : ClockBounds{}));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace meridian
