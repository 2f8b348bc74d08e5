// SPDX-License-Identifier: Apache-2.0
// meridian counters: lists the counters of this machine, or tries some together.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "cli/support/json_text.hpp"
#include "papi/counter_plan.hpp"
#include "papi/papi_library.hpp"
#include "papi/reading_cost.hpp"

namespace meridian {
namespace {

using Json = nlohmann::ordered_json;

struct KnownEvent {
  std::string name;
  std::string kind;  ///< "rusage", "preset", "native"
  bool is_available = false;
  std::string text;
};

/// PAPI's description of an event, from a field that all its versions have; empty if this version has none.
std::string describe_event(const PapiApi& papi, int code, const std::string& name) {
  if (papi.get_event_info == nullptr) return {};
  constexpr std::size_t kRoom = 64 << 10, kSymbol = 4, kLong = kSymbol + 1024 + 64, kLongBytes = 1024;
  const auto info = std::make_unique<char[]>(kRoom);
  if (papi.get_event_info(code, info.get()) != kPapiOk) return {};
  if (name != std::string{info.get() + kSymbol, ::strnlen(info.get() + kSymbol, kLongBytes)}) return {};
  return {info.get() + kLong, ::strnlen(info.get() + kLong, kLongBytes)};
}

struct Listing {
  const PapiApi* papi;
  std::vector<KnownEvent> events;
};

void add_event(const char* name, int code, void* context) noexcept {
  auto& listing = *static_cast<Listing*>(context);
  const bool is_preset = code < 0;
  CounterPlan plan;
  plan_counters(name, false, plan);  // a trial run: tables of events are not reliable
  listing.events.push_back({name, is_preset ? "preset" : "native", plan.count == 1,
                            is_preset ? describe_event(*listing.papi, code, name) : std::string{}});
}

std::vector<KnownEvent> list_events(std::string& problem) {
  Listing listing{nullptr, {}};
  for (std::size_t i = 0; i < kRusageFields; ++i)
    listing.events.push_back({std::string{kRusageNames[i]}, "rusage", true, std::string{kRusageTexts[i]}});
  const char* why = "";
  listing.papi = load_papi(why);
  if (listing.papi != nullptr)
    visit_events(*listing.papi, &add_event, &listing);
  else
    problem = fmt::format("PAPI cannot be used: {}", why);
  return std::move(listing.events);
}

const char* status_name(CounterStatus status) {
  switch (status) {
    case CounterStatus::counted:
      return "counted";
    case CounterStatus::unknown:
      return "unknown";
    case CounterStatus::unavailable:
      return "unavailable";
    case CounterStatus::conflict:
      return "conflict";
    case CounterStatus::too_many:
      return "too_many";
    case CounterStatus::no_papi:
      break;
  }
  return "no_papi";
}

/// The reason why hardware events cannot be counted here, with the remedy; empty if they can.
std::string pmu_problem() {
  const Status pmu = probe_pmu();
  return pmu ? std::string{} : pmu.error().what + ": " + pmu.error().hint;
}

/// The cost of a reading in words; empty if it could not be measured.
std::string cost_text(const CounterPlan& plan) {
  const auto ns = reading_cost_ns(plan);
  if (!ns) return {};
  return fmt::format(
      "A reading takes {:.0f} ns here, and a call takes two; MERIDIAN_COUNTERS_EVERY=N reads in one of N calls, 0 only "
      "at the "
      "program's own regions and events.",
      *ns);
}

int list(bool all, bool as_json) {
  std::string problem;
  const std::vector<KnownEvent> events = list_events(problem);
  const std::string pmu = pmu_problem();
  if (as_json) {
    Json json{{"schema", "meridian-counters"}, {"version", 1}, {"papi_problem", problem}, {"pmu_problem", pmu}};
    json["events"] = Json::array();
    for (const KnownEvent& event : events)
      json["events"].push_back(
          {{"name", event.name}, {"kind", event.kind}, {"available", event.is_available}, {"text", event.text}});
    return print(json_text(json)) ? kExitFine : kExitCouldNotRun;
  }
  const Paint paint{wants_colour(STDOUT_FILENO)};
  Table table{
      {{"counter", Align::left}, {"kind", Align::left}, {"here", Align::left}, {"what it counts", Align::left}}};
  std::size_t hidden = 0;
  for (const KnownEvent& event : events) {
    if (!event.is_available && !all) {
      ++hidden;
      continue;
    }
    table.add({printable(event.name), event.kind, event.is_available ? "yes" : "no", printable(event.text)});
  }
  std::string text = table.text([&](const std::string& line) { return paint.title(line); });
  if (hidden != 0)
    text += wrapped(fmt::format("{} events that PAPI knows cannot be counted here; --all lists them.", hidden), 2,
                    prose_width());
  if (!problem.empty()) text += wrapped(problem + " (Debian: libpapi-dev)", 2, prose_width());
  if (!pmu.empty()) text += wrapped("Hardware events: " + pmu + ".", 2, prose_width());
  const auto rusage = std::make_unique<CounterPlan>();
  plan_counters("rusage", false, *rusage);
  if (const auto ns = reading_cost_ns(*rusage))
    text += wrapped(
        fmt::format("A reading of all of rusage takes {:.0f} ns here, and a call takes two; --try measures others.",
                    *ns),
        2, prose_width());
  text += wrapped(
      "Software-defined events of a program or its libraries are named sde:::LIBRARY::EVENT; only the program "
      "itself knows them. MERIDIAN_COUNTERS takes up to 16 names, separated by commas.",
      2, prose_width());
  return print(text) ? kExitFine : kExitCouldNotRun;
}

int try_together(const std::string& names, bool as_json, bool by_turns) {
  const auto plan = std::make_unique<CounterPlan>();
  plan_counters(names, false, *plan, by_turns);
  const bool is_fine = !plan->has_problems() && plan->count > 0;
  if (as_json) {
    Json json{{"schema", "meridian-counters"}, {"version", 1}, {"together", is_fine}};
    json["tried"] = Json::array();
    for (int i = 0; i < plan->requested; ++i) {
      const CounterRequest& request = plan->requests[i];
      json["tried"].push_back({{"name", request.name},
                               {"status", status_name(request.status)},
                               {"why", request.why},
                               {"nearest", request.nearest}});
    }
    if (const auto ns = is_fine ? reading_cost_ns(*plan) : std::nullopt) json["reading_ns"] = *ns;
    return print(json_text(json)) && is_fine ? kExitFine : kExitCouldNotRun;
  }
  const std::string cost = is_fine ? wrapped(cost_text(*plan), 0, prose_width()) : std::string{};
  if (is_fine && plan->has_estimates()) {
    std::vector<char> estimates(4096);
    list_estimates(*plan, estimates.data(), estimates.size());
    return print(fmt::format("These can be counted together: {}\nmultiplexed, so that they are estimates: {}\n{}",
                             names, estimates.data(), cost))
               ? kExitFine
               : kExitCouldNotRun;
  }
  if (is_fine)
    return print(fmt::format("These can be counted together: {}\n{}", names, cost)) ? kExitFine : kExitCouldNotRun;
  std::vector<char> text(4096);
  describe_problems(*plan, text.data(), text.size());
  const std::string pmu = pmu_problem();
  return fail({Errc::unsupported, plan->requested == 0 ? "no counter is named" : text.data(),
               pmu.empty() ? "`meridian counters` lists the counters of this machine" : pmu});
}

}  // namespace

Command counters_command() {
  struct Arguments {
    std::optional<std::string> names;
    bool is_json = false;
    bool lists_all = false;
    bool is_by_turns = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  return {
      "counters",
      "List the counters of this machine, or try some together",
      {{"--try", "NAMES", "Counters to try together: A,B,C", &arguments->names},
       {"--multiplex", "", "Try them multiplexed, as with MERIDIAN_COUNTERS_MULTIPLEX=yes", &arguments->is_by_turns},
       {"--all", "", "Also list events that PAPI knows but this machine cannot count", &arguments->lists_all},
       {"--json", "", "Print one JSON object and nothing else", &arguments->is_json}},
      [arguments] {
        return arguments->names ? try_together(*arguments->names, arguments->is_json, arguments->is_by_turns)
                                : list(arguments->lists_all, arguments->is_json);
      }};
}

}  // namespace meridian
