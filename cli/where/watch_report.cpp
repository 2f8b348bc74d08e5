// SPDX-License-Identifier: Apache-2.0
#include "cli/where/watch_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cli/support/json_text.hpp"
#include "cli/where/where_text.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr int kWatchVersion = 1;

std::string ranks_in_words(const std::vector<std::int32_t>& ranks) {
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(ranks, ", "));
}

}  // namespace

std::string stall_text(const Stall& stall, WhereReport& report) {
  std::string text = fmt::format("No call of any rank has begun or ended for {}.\n", human_duration(stall.length_s));
  if (!stall.computing.empty())
    text += fmt::format("Computing, so this may be no deadlock: {}.\n", ranks_in_words(stall.computing));
  else if (report.deadlock.threads.empty())
    text += "No rank is computing.\n";
  if (!stall.idle.empty())
    text += fmt::format("Outside MPI without using the processor: {}.\n", ranks_in_words(stall.idle));
  if (stall.elsewhere != 0) text += fmt::format("Not watched, on other hosts: {} ranks.\n", stall.elsewhere);
  return text + where_text(report);
}

std::string stall_json(const Stall& stall, WhereReport& report) {
  const nlohmann::json whole{{"schema", "meridian-watch"},
                             {"version", kWatchVersion},
                             {"event", "stall"},
                             {"stalled_s", stall.length_s},
                             {"computing", stall.computing},
                             {"idle", stall.idle},
                             {"elsewhere", stall.elsewhere},
                             {"where", nlohmann::json::parse(where_json(report))}};
  return json_text(whole, -1);
}

std::string end_json(std::size_t ended) {
  const nlohmann::json whole{
      {"schema", "meridian-watch"}, {"version", kWatchVersion}, {"event", "end"}, {"ended", ended}};
  return json_text(whole, -1);
}

}  // namespace meridian
