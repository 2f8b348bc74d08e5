// meridian snapshot: rank files of a program that runs, as they would be if it ended now.

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>

#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/rings.hpp"
#include "trace/model/private_files.hpp"
#include "writer/snapshot.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

struct SnapshotArguments {
  std::string directory;
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
  keep_files_private();
  const fs::path output = choose_output(arguments);
  std::error_code problem;
  fs::create_directories(output, problem);
  if (problem)
    return fail({Errc::io, fmt::format("cannot create the directory '{}': {}", output.string(), problem.message()),
                 "choose another one with -o"});
  std::size_t made = 0;
  std::uint64_t events = 0;
  for (const FoundRing& each : found.rings) {
    auto ring = RingFile::open(each.path, RingFile::Access::drain);
    if (!ring) return fail(ring.error());
    const fs::path world = each.world == "." ? output : output / each.world;
    fs::create_directories(world, problem);
    const auto done = snapshot_rank(*ring, world, kSnapshotPatience);
    if (!done && done.error().code == Errc::not_found) continue;
    if (!done) return fail(done.error());
    ++made;
    events += done->events;
  }
  if (made == 0) {
    fs::remove(output, problem);  // nothing is in it
    return fail(nothing_runs(arguments.directory, found));
  }
  fmt::print("{} calls of {} rank{}{} in {}\nmeridian merge {}\n", events, made, made == 1 ? "" : "s",
             say_elsewhere(found), output.string(), output.string());
  return kExitFine;
}

}  // namespace

void add_snapshot(CLI::App& app, Action& chosen) {
  CLI::App* const command =
      app.add_subcommand("snapshot", "Make rank files of a program that runs, up to now; it goes on");
  const auto arguments = std::make_shared<SnapshotArguments>();
  command->add_option("trace", arguments->directory, "Directory that it records into")->type_name("DIR")->required();
  command
      ->add_option("-o,--output", arguments->output,
                   "Directory for the rank files, to be given on each host of the program. Default: one in DIR, named "
                   "after the time")
      ->type_name("PATH");
  command->callback([arguments, &chosen] { chosen = [arguments] { return snapshot(*arguments); }; });
}

}  // namespace meridian
