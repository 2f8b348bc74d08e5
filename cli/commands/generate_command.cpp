// SPDX-License-Identifier: Apache-2.0
// meridian generate: rank files that no program made, of any size, to test storage and machines for merging.

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "cli/generate/generated_halo.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/support/empty_directory.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

constexpr double kMostRanks = 1e6, kMostCalls = 1e12, kMostSeed = 1e15;

struct GenerateArguments {
  std::string directory;
  std::uint64_t ranks = 4, hosts = 1, calls = 1000, seed = 1;
};

int generate(const GenerateArguments& arguments) {
  const fs::path directory{arguments.directory};
  if (arguments.hosts > arguments.ranks)
    return fail({Errc::invalid_argument,
                 fmt::format("{} ranks cannot run on {} hosts", arguments.ranks, arguments.hosts),
                 "give at least as many ranks as hosts"});
  const Status made = make_empty_directory(directory, "give a new directory, which `generate` makes");
  if (!made) return fail(made.error());
  const GeneratedSize size{.ranks = static_cast<std::int32_t>(arguments.ranks),
                           .hosts = static_cast<std::int32_t>(arguments.hosts),
                           .calls = arguments.calls,
                           .seed = arguments.seed};
  ProgressBar bar{is_terminal(2)};
  const double all = static_cast<double>(arguments.ranks) * static_cast<double>(arguments.calls);
  const auto calls = generate_halo(
      directory, size, [&](std::uint64_t done) { bar.show(static_cast<double>(done) / all, "writing rank files"); });
  bar.clear();
  if (!calls) return fail(calls.error());
  return print(fmt::format("{} calls of {} rank{} in {}\nmeridian merge {}\n", *calls, size.ranks,
                           size.ranks == 1 ? "" : "s", directory.string(), directory.string()))
             ? kExitFine
             : kExitCouldNotRun;
}

}  // namespace

Command generate_command() {
  const auto arguments = std::make_shared<GenerateArguments>();
  return {"generate",
          "Write rank files of a made-up halo exchange, of any size, to try out storage and merging",
          {{.names = "directory",
            .value = "DIR",
            .help = "A new directory, or an empty one",
            .target = &arguments->directory,
            .is_required = true},
           {.names = "--ranks",
            .value = "N",
            .help = "Number of ranks (default: 4)",
            .target = &arguments->ranks,
            .limit = AllowedRange{1, kMostRanks}},
           {.names = "--hosts",
            .value = "N",
            .help = "Number of hosts, with a clock each (default: 1)",
            .target = &arguments->hosts,
            .limit = AllowedRange{1, kMostRanks}},
           {.names = "--calls",
            .value = "N",
            .help = "Calls of each rank, at least (default: 1000)",
            .target = &arguments->calls,
            .limit = AllowedRange{0, kMostCalls}},
           {.names = "--seed",
            .value = "N",
            .help = "Number from which the noise of the times follows: equal ones give equal files (default: 1)",
            .target = &arguments->seed,
            .limit = AllowedRange{0, kMostSeed}}},
          [arguments] { return generate(*arguments); }};
}

}  // namespace meridian
