// SPDX-License-Identifier: Apache-2.0
// meridian control: switches recording in running programs, through the ring files of their ranks on this host.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/run/settings.hpp"
#include "cli/summary_source.hpp"
#include "live/rings.hpp"
#include "trace/ring/ring_file.hpp"

namespace meridian {
namespace {

struct ControlArguments {
  std::string directory;
  std::string what;
  std::string levels;
};

const std::vector<std::string> kChoices{"on", "off", "level"};

bool is_choice(const std::string& word) { return std::ranges::find(kChoices, word) != kChoices.end(); }

/// Without a directory the words are one place too far to the left.
ControlArguments with_directory(ControlArguments arguments) {
  if (!is_choice(arguments.directory) || is_choice(arguments.what)) return arguments;
  return {kLatest, arguments.directory, arguments.what};
}

Status ask(const FoundRing& found, const ControlArguments& arguments) {
  MERIDIAN_TRY(RingFile ring, open_ring(found, RingFile::Access::drain));
  if (!ring.is_process_alive()) return Error{Errc::not_found, "the program has ended", ""};
  RingFileHeader& header = ring.shared_header();
  if (arguments.what == "level") {
    std::memset(header.control_levels, 0, sizeof header.control_levels);
    std::memcpy(header.control_levels, arguments.levels.data(), arguments.levels.size());
  } else {
    header.control_state.store(
        static_cast<std::uint32_t>(arguments.what == "on" ? ControlState::on : ControlState::off));
  }
  header.control_sequence.fetch_add(1, std::memory_order_release);
  ring.ask_all_threads();
  return {};
}

int control(const ControlArguments& given) {
  const ControlArguments arguments = with_directory(given);
  if (arguments.what.empty())
    return fail({Errc::invalid_argument, "no action given", "give on, off or level: `meridian control latest off`"});
  if (!is_choice(arguments.what)) return fail(unknown_choice(arguments.what, arguments.what, kChoices));
  if ((arguments.what == "level") == arguments.levels.empty())
    return fail({Errc::invalid_argument, "a list of levels belongs to `level` only",
                 "meridian control latest level all,-MPI_Test*"});
  if (arguments.what == "level") {
    const Error wrong = check_value(OptionId::levels, arguments.levels, "level " + arguments.levels);
    if (!wrong.what.empty()) return fail(wrong);
    if (arguments.levels.size() >= kControlBytes)
      return fail({Errc::invalid_argument, "the list of levels is too long", "use groups, presets and globs"});
  }
  const FoundRings found = find_rings(arguments.directory);
  std::size_t asked = 0;
  for (const FoundRing& ring : found.rings) {
    const Status done = ask(ring, arguments);
    if (done)
      ++asked;
    else if (done.error().code != Errc::not_found)
      return fail(done.error());
  }
  if (asked == 0) return fail(nothing_runs(arguments.directory, found));
  fmt::print("sent to {} rank{}{}; each thread switches at its next call\n", asked, asked == 1 ? "" : "s",
             say_elsewhere(found));
  return kExitFine;
}

}  // namespace

Command control_command() {
  const auto arguments = std::make_shared<ControlArguments>();
  return {"control",
          "Switch recording in a running program",
          {{.names = "trace",
            .value = "DIR",
            .help = "Output directory of the program (default: latest)",
            .target = &arguments->directory},
           {.names = "what", .value = "on|off|level", .help = "on, off, or level", .target = &arguments->what},
           {"list", "LIST", "With level: as MERIDIAN_LEVELS, such as all,-MPI_Test* or -coll", &arguments->levels}},
          [arguments] { return control(*arguments); },
          "",
          true};
}

}  // namespace meridian
