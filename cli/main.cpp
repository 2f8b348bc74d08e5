// The `meridian` command. Exit codes: 0 fine, 1 could not run, 2 the trace has errors.

#include <hdf5.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>

#include "cli/clocks_command.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/help_formatter.hpp"
#include "cli/output.hpp"

namespace meridian {
namespace {

int dispatch(std::vector<std::string> arguments) {
  std::vector<std::string> program;
  if (!arguments.empty() && arguments.front() == "run") {
    std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
    program = take_program(rest);
    arguments.resize(1);
    arguments.insert(arguments.end(), rest.begin(), rest.end());
  }
  CLI::App app{"Traces MPI programs and says where their time went.", "meridian"};
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("--version", "meridian " MERIDIAN_VERSION);
  app.require_subcommand(1);
  Action chosen;
  add_run(app, chosen, program);
  add_merge(app, chosen);
  add_stats(app, chosen);
  add_order(app, chosen);
  add_clocks(app, chosen);
  add_info(app, chosen);
  add_check(app, chosen);
  add_where(app, chosen);
  add_doctor(app, chosen);
  add_counters(app, chosen);
  add_control(app, chosen);
  add_snapshot(app, chosen);
  add_top(app, chosen);
  add_options(app, chosen);
  const bool is_command =
      arguments.empty() || arguments.front().starts_with("-") ||
      !app.get_subcommands([&](const CLI::App* command) { return command->get_name() == arguments.front(); }).empty();
  if (!is_command) return fail(unknown_command(app, arguments.front()));
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 takes them
    app.parse(reversed);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::ParseError& error) {
    return fail(parse_error(app, error));
  }
  return chosen();
}

}  // namespace
}  // namespace meridian

int main(int argc, char** argv) {
  // After reading a damaged file HDF5 may not get to an end when it cleans up at exit, and says so for lines. Files
  // that were written are closed where they are written.
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // each failure is reported once, by whoever sees it
  try {
    return meridian::dispatch({argv + (argc > 0 ? 1 : 0), argv + argc});
  } catch (const std::bad_alloc&) {
    return meridian::fail({meridian::Errc::io, "out of memory", "close other programs, or use a larger machine"});
  } catch (const std::exception& problem) {
    return meridian::fail({meridian::Errc::io, problem.what(), ""});
  }
}
