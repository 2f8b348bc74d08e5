#include "cli/summary/json.hpp"

#include <nlohmann/json.hpp>

#include "cli/json_text.hpp"
#include "cli/summary/measures.hpp"
#include "cli/summary/units.hpp"
#include "trace/format/summary_columns.hpp"

namespace meridian {
namespace {

using Json = nlohmann::ordered_json;

template <class Row, class Convert>
Json list(const std::vector<Row>& rows, Convert convert) {
  Json result = Json::array();
  for (const Row& row : rows) result.push_back(convert(row));
  return result;
}

Json run_json(const Summary& summary) {
  const RunSummary& run = summary.run;
  const std::string begin = human_time(run.begin_realtime_ns);
  return {{"executable", run.executable},
          {"mpi_library", run.mpi_library},
          {"ranks_expected", run.ranks_expected},
          {"ranks_present", run.ranks_present},
          {"threads", run.threads},
          {"hosts", run.hosts},
          {"begin_realtime_ns", run.begin_realtime_ns},
          {"begin", begin == "-" ? Json(nullptr) : Json(begin)},
          {"time_s", run.time_s},
          {"calls", run.calls},
          {"trace_bytes", run.trace_bytes},
          {"mpi_s", mpi_seconds(summary)},
          {"mpi_share", measure_load(summary).mpi_share}};
}

Json rank_json(const RankLoad& load) {
  const RankSummary& rank = *load.rank;
  return {{"rank", rank.rank},
          {"host", rank.host},
          {"threads", rank.threads},
          {"calls", rank.calls},
          {"time_s", rank.time_s},
          {"mpi_s", rank.mpi_s},
          {"mpi_share", load.mpi_share},
          {"messages_sent", rank.messages_sent},
          {"bytes_sent", rank.bytes_sent},
          {"messages_received", rank.messages_received},
          {"bytes_received", rank.bytes_received}};
}

Json function_json(const FunctionSummary& function) {
  return {{"name", function.name},
          {"group", function.group},
          {"count", function.count},
          {"total_s", function.total_s},
          {"mean_s", function.mean_s},
          {"min_s", function.min_s},
          {"max_s", function.max_s},
          {"sd_s", function.sd_s},
          {"bytes_sent", function.bytes_sent},
          {"bytes_received", function.bytes_received}};
}

Json site_json(const SiteSummary& site) {
  return {{"function", site.function},
          {"caller", site.caller},
          {"outer", site.outer},
          {"file", site.file},
          {"line", site.line},
          {"column", site.column},
          {"module", site.module},
          {"offset", site.offset},
          {"count", site.count},
          {"ranks", site.ranks},
          {"total_s", site.total_s},
          {"mean_s", site.mean_s},
          {"min_s", site.min_s},
          {"max_s", site.max_s},
          {"sd_s", site.sd_s},
          {"share", site.share},
          {"bytes_sent", site.bytes_sent},
          {"bytes_received", site.bytes_received}};
}

Json clock_json(const ClockSummary& clock) {
  return {{"host", clock.host},
          {"domain", clock.domain},
          {"leader", clock.leader},
          {"ranks", clock.ranks},
          {"clock", clock.clock},
          {"model", clock.model},
          {"frequency_hz", clock.frequency_hz},
          {"offset_s", clock.offset_s},
          {"drift_ppm", clock.drift_ppm},
          {"residual_s", clock.residual_s},
          {"offset_error_s", clock.offset_error_s},
          {"drift_error_ppm", clock.drift_error_ppm},
          {"rtt_min_s", clock.rtt_min_s},
          {"rtt_median_s", clock.rtt_median_s},
          {"exchanges", clock.exchanges},
          {"exchanges_dropped", clock.exchanges_dropped},
          {"t1_s", clock.t1_s},
          {"t2_s", clock.t2_s}};
}

Json region_json(const RegionSummary& region) {
  return {{"name", region.name},       {"count", region.count},
          {"total_s", region.total_s}, {"exclusive_s", region.exclusive_s},
          {"mpi_s", region.mpi_s},     {"min_s", region.min_s},
          {"max_s", region.max_s}};
}

Json user_event_json(const UserEventSummary& event) {
  return {{"kind", event.kind}, {"level", event.level}, {"name", event.name}, {"count", event.count},
          {"min", event.min},   {"mean", event.mean},   {"max", event.max},   {"last", event.last}};
}

Json lock_json(const LockSummary& lock) {
  return {{"rank", lock.rank},
          {"kind", lock.kind},
          {"object", lock.object},
          {"lives", lock.lives},
          {"acquisitions", lock.acquisitions},
          {"contended", lock.contended},
          {"wait_s", lock.wait_s},
          {"longest_s", lock.longest_s},
          {"most_waiters", lock.most_waiters},
          {"holder", lock.holder},
          {"held", lock.held},
          {"waiter", lock.waiter},
          {"waited", lock.waited}};
}

Json thread_json(const ThreadSummary& thread) {
  return {{"rank", thread.rank},
          {"thread", thread.thread},
          {"name", thread.name},
          {"routine", thread.routine},
          {"routine_name", thread.routine_name},
          {"creator", thread.creator},
          {"kernel_tid", thread.kernel_tid},
          {"begin_s", thread.begin_s},
          {"life_s", thread.life_s},
          {"calls", thread.calls}};
}

}  // namespace

std::string summary_json(const Summary& summary) {
  const MessageSummary& messages = summary.messages;
  Json json;
  json["schema"] = "meridian-summary";
  json["version"] = kSummaryJsonVersion;
  json["run"] = run_json(summary);
  json["ranks"] = list(measure_load(summary).ranks, rank_json);
  json["functions"] = list(summary.functions, function_json);
  json["sites"] = list(summary.sites, site_json);
  json["messages"] = {{"matched", messages.matched},
                      {"bytes", messages.bytes},
                      {"unmatched_sends", messages.unmatched_sends},
                      {"unmatched_receives", messages.unmatched_receives}};
  json["collectives"] = {{"count", messages.collectives},
                         {"calls", messages.collective_calls},
                         {"bytes_sent", messages.collective_bytes_sent},
                         {"bytes_received", messages.collective_bytes_received}};
  json["pairs"] = list(summary.pairs, [](const PairSummary& pair) {
    return Json{{"source", pair.source}, {"dest", pair.dest}, {"messages", pair.messages}, {"bytes", pair.bytes}};
  });
  json["clocks"] = list(summary.clocks, clock_json);
  json["clock_models"] = list(summary.clock_models, [](const ClockModelSummary& model) {
    return Json{{"name", model.name},         {"is_chosen", model.is_chosen}, {"messages", model.messages},
                {"reversed", model.reversed}, {"worst_s", model.worst_s},     {"residual_s", model.residual_s}};
  });
  json["reversed_before"] = summary.reversed_before;
  json["reversed_after"] = summary.reversed_after;
  json["regions"] = list(summary.regions, region_json);
  json["user_events"] = list(summary.user_events, user_event_json);
  json["user_messages"] = {{"matched", summary.user_messages}, {"bytes", summary.user_message_bytes}};
  json["passed"] = list(summary.passed, [](const PassedSummary& row) {
    return Json{{"rank", row.rank}, {"name", row.name}, {"group", row.group}, {"count", row.count}};
  });
  json["overhead"] = list(summary.overhead, [](const OverheadSummary& row) {
    return Json{{"name", row.name}, {"count", row.count}, {"total_s", row.total_s}, {"share", row.share}};
  });
  summary_columns::for_each_table(summary, [&](const char* name, const auto& rows, const auto& columns) {
    json[name] = list(rows, [&](const auto& row) {
      Json object;
      std::apply([&](const auto&... column) { ((object[column.name] = row.*column.member), ...); }, columns);
      return object;
    });
  });
  if (!summary.locks.empty()) json["locks"] = list(summary.locks, lock_json);
  if (!summary.threads.empty()) json["threads"] = list(summary.threads, thread_json);
  json["findings"] = list(summary.findings, [](const Finding& finding) {
    return Json{{"name", finding.name},
                {"severity", severity_name(finding.severity)},
                {"count", finding.count},
                {"text", finding.text},
                {"detail", finding.detail}};
  });
  return json_text(json);
}

}  // namespace meridian
