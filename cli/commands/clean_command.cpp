// SPDX-License-Identifier: Apache-2.0
// meridian clean: removes the rings that ended programs have left in the scratch directories of this host.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/run/settings.hpp"
#include "cli/summary/printable.hpp"
#include "summary/units.hpp"
#include "writer/left_rings.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

struct CleanArguments {
  bool has_all = false;
  bool is_rehearsal = false;
};

/// The directories in which the tracer makes rings, in its order.
std::vector<fs::path> ring_directories() {
  Settings settings;
  read_settings(settings);
  std::vector<fs::path> scratch;
  if (const auto chosen = settings.values.path(OptionId::scratch); !chosen.empty()) scratch.emplace_back(chosen);
  scratch.emplace_back("/dev/shm");
  if (const char* const temporary = std::getenv("TMPDIR"); temporary != nullptr && *temporary != '\0')
    scratch.emplace_back(temporary);
  scratch.emplace_back("/tmp");
  std::vector<fs::path> directories;
  std::error_code ignored;
  for (const fs::path& place : scratch) {
    fs::path directory = fs::weakly_canonical(place, ignored) / fmt::format("meridian-{}", ::getuid());
    if (std::ranges::find(directories, directory) == directories.end()) directories.push_back(std::move(directory));
  }
  return directories;
}

std::string rings_text(std::size_t count, std::uint64_t bytes) {
  return fmt::format("{} ring{} ({})", count, count == 1 ? "" : "s", human_bytes(bytes));
}

int clean(const CleanArguments& arguments) {
  std::size_t removed = 0, running = 0;
  std::uint64_t bytes = 0, running_bytes = 0;
  std::string kept;
  std::set<std::string> traces;
  int code = kExitFine;
  for (const fs::path& directory : ring_directories())
    for (const LeftRing& ring : find_left_rings(directory)) {
      if (ring.fate == RingFate::in_use) {
        ++running;
        running_bytes += ring.bytes;
      }
      if (ring.fate == RingFate::mergeable) traces.insert(ring.output_dir.string());
      const bool is_lost = ring.fate == RingFate::unreachable;
      if (is_lost && !arguments.has_all)
        kept += fmt::format(
            "kept {}: it has calls of '{}', but {} is gone\n", printable(ring.path.string()),
            printable(ring.executable),
            ring.output_dir.empty() ? "its header" : "its trace '" + printable(ring.output_dir.string()) + "'");
      if (ring.fate != RingFate::empty && !(is_lost && arguments.has_all)) continue;
      if (!arguments.is_rehearsal)
        if (const Status gone = remove_left_ring(ring); !gone) {
          report(gone.error());
          code = kExitCouldNotRun;
          continue;
        }
      ++removed;
      bytes += ring.bytes;
    }
  std::string text = fmt::format("{} {} that ended programs left\n",
                                 arguments.is_rehearsal ? "would remove" : "removed", rings_text(removed, bytes));
  if (running != 0) text += fmt::format("kept: {} in use\n", rings_text(running, running_bytes));
  for (const std::string& trace : traces)
    text += fmt::format("kept: ranks of '{0}' have no rank file yet: meridian merge '{0}'\n", printable(trace));
  text += kept;
  if (!kept.empty()) text += "No rank file can be made from these; remove them with --all.\n";
  return print(text) ? code : kExitCouldNotRun;
}

}  // namespace

Command clean_command() {
  const auto arguments = std::make_shared<CleanArguments>();
  return {"clean",
          "Remove what killed programs have left in the scratch directories of this host",
          {{"--all", "", "Also rings with calls from which no rank file can be made", &arguments->has_all},
           {"--dry-run", "", "Remove nothing, only say what would be removed", &arguments->is_rehearsal}},
          [arguments] { return clean(*arguments); }};
}

}  // namespace meridian
