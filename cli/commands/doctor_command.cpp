// SPDX-License-Identifier: Apache-2.0
// meridian doctor: what this machine has, what is missing, and the remedies.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/doctor/checks.hpp"
#include "cli/output.hpp"
#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "cli/support/json_text.hpp"

namespace meridian {
namespace {

constexpr std::size_t kTextColumn = 6;

std::string doctor_text(const std::vector<Check>& checks, const Paint& paint) {
  std::string text;
  for (const Check& check : checks) {
    const std::string name = health_name(check.health);
    const std::string painted =
        check.health == Health::ok
            ? name
            : paint.severity(check.health == Health::fail ? Severity::error : Severity::data_loss, name);
    std::string lines = wrapped(printable(check.name + ": " + check.text), kTextColumn, prose_width());
    lines.replace(0, name.size(), painted);
    text += lines;
    if (!check.remedy.empty()) text += wrapped("-> " + printable(check.remedy), kTextColumn, prose_width());
  }
  return text;
}

std::string doctor_json(const std::vector<Check>& checks, bool is_possible) {
  nlohmann::ordered_json json{{"schema", "meridian-doctor"}, {"version", 1}, {"can_trace", is_possible}};
  json["checks"] = nlohmann::ordered_json::array();
  for (const Check& check : checks)
    json["checks"].push_back(
        {{"name", check.name}, {"health", health_name(check.health)}, {"text", check.text}, {"remedy", check.remedy}});
  return json_text(json);
}

int doctor(const std::string& program, bool as_json) {
  const std::vector<Check> checks = examine(program);
  const bool is_possible =
      std::none_of(checks.begin(), checks.end(), [](const Check& check) { return check.health == Health::fail; });
  std::string text =
      as_json ? doctor_json(checks, is_possible) : doctor_text(checks, Paint{wants_colour(STDOUT_FILENO)});
  if (!as_json)
    text += is_possible ? "\nPrograms can be traced: mpirun -n 4 meridian run ./program\n"
                        : "\nPrograms cannot be traced until the failed checks are resolved.\n";
  return print(text) && is_possible ? kExitFine : kExitCouldNotRun;
}

}  // namespace

Command doctor_command() {
  const auto is_json = std::make_shared<bool>(false);
  const auto program = std::make_shared<std::string>();
  return {"doctor",
          "Check whether programs can be traced here, with remedies",
          {{"program", "PROGRAM", "Program to be traced: also check its MPI, how it is linked, and its launcher",
            program.get()},
           {"--json", "", "Print one JSON object and nothing else", is_json.get()}},
          [program, is_json] { return doctor(*program, *is_json); }};
}

}  // namespace meridian
