// SPDX-License-Identifier: Apache-2.0
#include "cli/selection_options.hpp"

namespace meridian {

void add_window_options(Command& command, SelectionArguments& arguments) {
  command.options.push_back({"--from", "TIME",
                             "Only from this time on: since the start of the trace, such as 1.5s or 200ms",
                             &arguments.from});
  command.options.push_back({"--to", "TIME", "Only until this time", &arguments.to});
}

void add_selection_options(Command& command, SelectionArguments& arguments) {
  command.options.push_back(
      {"--ranks", "LIST",
       "Only calls of these ranks, such as 0-3,7, and the other ends of their messages and collectives",
       &arguments.ranks});
  add_window_options(command, arguments);
  command.options.push_back({"--functions", "GLOBS",
                             "Only functions, regions and events of these names, such as MPI_I*,MPI_Wait*",
                             &arguments.functions});
  command.options.push_back(
      {"--regions", "GLOBS", "Only what happens while such a region is open in its thread", &arguments.regions});
}

}  // namespace meridian
