// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/command.hpp"
#include "cli/support/selection.hpp"

namespace meridian {

/// Adds --from and --to to a command.
void add_window_options(Command& command, SelectionArguments& arguments);
/// Adds all options that select events.
void add_selection_options(Command& command, SelectionArguments& arguments);

}  // namespace meridian
