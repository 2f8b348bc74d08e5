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
#include "live/rings.hpp"
#include "trace/ring/ring_file.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

struct ControlArguments {
  std::string directory;
  std::string what;
  std::string levels;
};

Status ask(const fs::path& path, const ControlArguments& arguments) {
  MERIDIAN_TRY(RingFile ring, RingFile::open(path, RingFile::Access::drain));
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

int control(const ControlArguments& arguments) {
  const std::vector<std::string> choices{"on", "off", "level"};
  if (std::find(choices.begin(), choices.end(), arguments.what) == choices.end())
    return fail(unknown_choice(arguments.what, arguments.what, choices));
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
    const Status done = ask(ring.path, arguments);
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
            .help = "Output directory of the program",
            .target = &arguments->directory,
            .is_required = true},
           {.names = "what",
            .value = "on|off|level",
            .help = "on, off, or level",
            .target = &arguments->what,
            .is_required = true},
           {"list", "LIST", "With level: as MERIDIAN_LEVELS", &arguments->levels}},
          [arguments] { return control(*arguments); }};
}

}  // namespace meridian
