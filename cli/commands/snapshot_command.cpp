// SPDX-License-Identifier: Apache-2.0
// meridian snapshot: writes rank files of a running program, as if it ended now.

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>

#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/summary_source.hpp"
#include "live/rings.hpp"
#include "live/snapshot.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

struct SnapshotArguments {
  std::string directory = kLatest;
  std::string output;
};

fs::path choose_output(const SnapshotArguments& arguments) {
  if (!arguments.output.empty()) return arguments.output;
  const std::tm now = fmt::localtime(std::time(nullptr));
  return fs::path{arguments.directory} / fmt::format("snapshot-{:%Y%m%d-%H%M%S}", now);
}

int snapshot(const SnapshotArguments& arguments) {
  const FoundRings found = find_rings(arguments.directory);
  if (found.rings.empty()) return fail(nothing_runs(arguments.directory, found));
  const fs::path output = choose_output(arguments);
  const auto made = take_snapshot(found, output);
  if (!made) return fail(made.error());
  if (made->ranks == 0) return fail(nothing_runs(arguments.directory, found));
  fmt::print("{} events of {} rank{}{} in {}\nmeridian merge {}\n", made->events, made->ranks,
             made->ranks == 1 ? "" : "s", say_elsewhere(found), output.string(), output.string());
  return kExitFine;
}

}  // namespace

Command snapshot_command() {
  const auto arguments = std::make_shared<SnapshotArguments>();
  return {"snapshot",
          "Write rank files of a running program, up to now; it continues",
          {{.names = "trace",
            .value = "DIR",
            .help = "Output directory of the program (default: latest)",
            .target = &arguments->directory},
           {"-o,--output", "PATH",
            "Directory for the rank files, to be given on each host of the program. Default: one in DIR, named after "
            "the time",
            &arguments->output}},
          [arguments] { return snapshot(*arguments); }};
}

}  // namespace meridian
