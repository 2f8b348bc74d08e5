// SPDX-License-Identifier: Apache-2.0
#include "cli/top/top_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/support/json_text.hpp"
#include "cli/where/call_places.hpp"
#include "summary/units.hpp"
#include "trace/model/source_place.hpp"

namespace meridian {
namespace {

double rate(double amount, const RankActivity& rank) { return rank.window_s > 0 ? amount / rank.window_s : 0; }

/// Relative to the time of the threads that called MPI; a rank without such threads was outside MPI.
double mpi_share(const RankActivity& rank) {
  const double time = rank.window_s * std::max<std::uint32_t>(rank.threads, 1);
  return time > 0 ? std::min(1.0, rank.mpi_s / time) : 0;
}

std::string_view name_of(CallId call) {
  return call == CallId::none ? std::string_view{} : kCalls[static_cast<std::size_t>(call)].name;
}

std::string per_second(double value) { return human_count(static_cast<std::uint64_t>(value + 0.5)); }

/// The call in progress, or the function of the program that the rank computes in.
std::string doing(const RankActivity& rank) {
  if (!rank.is_alive) return "(ended)";
  if (rank.call != CallId::none) return std::string{name_of(rank.call)};
  const CallPlace& place = rank.function;
  if (place.function.empty()) return "";
  return printable(place_text({place.function, place.file, place.line, place.module, place.offset}));
}

std::string how_long(const RankActivity& rank) {
  if (!rank.is_alive) return {};
  if (rank.call != CallId::none) return human_duration(rank.since_s);
  return rank.function.function.empty() ? "" : human_percent(rank.function_share);
}

}  // namespace

std::string top_text(const std::vector<RankActivity>& ranks, std::size_t rows, std::size_t elsewhere) {
  double calls = 0, bytes = 0, share = 0;
  std::size_t alive = 0;
  for (const RankActivity& rank : ranks) {
    calls += rate(rank.calls, rank);
    bytes += rate(static_cast<double>(rank.bytes), rank);
    share += rank.is_alive ? mpi_share(rank) : 0;
    alive += rank.is_alive ? 1 : 0;
  }
  std::string text =
      fmt::format("{} rank{}{}: {} calls/s, {} in MPI, {}/s sent\n", alive, alive == 1 ? "" : "s",
                  elsewhere != 0 ? fmt::format(" here, {} on other hosts", elsewhere) : "", per_second(calls),
                  human_percent(alive != 0 ? share / static_cast<double>(alive) : 0), human_bytes(bytes));
  Table table{{{"rank", Align::right},
               {"host", Align::left},
               {"thr", Align::right},
               {"calls/s", Align::right},
               {"in MPI", Align::right},
               {"sent/s", Align::right},
               {"in", Align::left, Shortening::function},
               {"for", Align::right}}};
  for (std::size_t i = 0; i < std::min(rows, ranks.size()); ++i) {
    const RankActivity& rank = ranks[i];
    table.add(
        {rank.world.empty() ? fmt::format("{}", rank.rank) : printable(fmt::format("{}/{}", rank.world, rank.rank)),
         printable(rank.host), fmt::format("{}", rank.threads), per_second(rate(rank.calls, rank)),
         human_percent(mpi_share(rank)), human_bytes(rate(static_cast<double>(rank.bytes), rank)), doing(rank),
         how_long(rank)});
  }
  if (!table.empty()) text += table.text([](const std::string& title) { return title; });
  if (ranks.size() > rows) text += fmt::format("  ... and {} more ranks\n", ranks.size() - rows);
  return text;
}

std::string top_json(const std::vector<RankActivity>& ranks, std::size_t elsewhere) {
  nlohmann::ordered_json json{{"schema", "meridian-top"}, {"version", 1}, {"elsewhere", elsewhere}};
  json["ranks"] = nlohmann::ordered_json::array();
  for (const RankActivity& rank : ranks) {
    nlohmann::ordered_json row{{"world", printable(rank.world)},
                               {"rank", rank.rank},
                               {"host", printable(rank.host)},
                               {"alive", rank.is_alive},
                               {"window_s", rank.window_s},
                               {"threads", rank.threads},
                               {"calls_per_s", rate(rank.calls, rank)},
                               {"mpi_share", mpi_share(rank)},
                               {"sent_bytes_per_s", rate(static_cast<double>(rank.bytes), rank)},
                               {"call", nullptr},
                               {"since_s", rank.since_s},
                               {"function", nullptr},
                               {"place", nullptr},
                               {"function_share", rank.function_share}};
    if (!rank.function.function.empty()) {
      row["function"] = printable(rank.function.function);
      row["place"] = printable(
          short_place({{}, rank.function.file, rank.function.line, rank.function.module, rank.function.offset}));
    }
    if (rank.call != CallId::none) row["call"] = name_of(rank.call);
    json["ranks"].push_back(std::move(row));
  }
  return json_text(json, -1);
}

}  // namespace meridian
