// SPDX-License-Identifier: Apache-2.0
// The `meridian` command. Exit codes: 0 success, 1 could not run, 2 the trace has errors, or a condition
// of --fail-if is true.

#include <hdf5.h>

#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "trace/format/tables/h5.hpp"
#include "trace/model/private_files.hpp"

namespace meridian {
namespace {

int dispatch(std::vector<std::string> arguments) {
  std::vector<std::string> program;
  const bool is_run = !arguments.empty() && arguments.front() == "run";
  if (!is_run) {  // a program that it starts would inherit both
    keep_files_private();
    std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is an error when writing
  }
  if (is_run) {
    std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
    program = take_program(rest);
    arguments.resize(1);
    arguments.insert(arguments.end(), rest.begin(), rest.end());
  }
  std::vector<Command> all{
      run_command(program), merge_command(),   stats_command(),    compare_command(), order_command(),
      clocks_command(),     report_command(),  view_command(),     query_command(),   events_command(),
      export_command(),     cut_command(),     filter_command(),   sort_command(),    aggregate_command(),
      info_command(),       check_command(),   where_command(),    watch_command(),   doctor_command(),
      counters_command(),   control_command(), snapshot_command(), import_command(),  generate_command(),
      top_command(),        clean_command(),   pack_command(),     options_command()};
  for (const auto describe : {&help_command, &completion_command, &manual_command}) all.push_back(describe(all));
  return run_command_line(all, MERIDIAN_VERSION, arguments);
}

}  // namespace
}  // namespace meridian

int main(int argc, char** argv) {
  // After reading a damaged file, HDF5's cleanup at exit may not terminate, and prints many lines. Files are closed
  // explicitly after they are written.
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // callers report each failure once
  meridian::h5::refuse_plugins();
  try {
    return meridian::dispatch({argv + (argc > 0 ? 1 : 0), argv + argc});
  } catch (const std::bad_alloc&) {
    return meridian::fail({meridian::Errc::io, "out of memory", "close other programs, or use a larger machine"});
  } catch (const std::exception& problem) {
    return meridian::fail({meridian::Errc::io, problem.what(), ""});
  }
}
