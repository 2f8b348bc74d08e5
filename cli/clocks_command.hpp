#pragma once

#include "cli/commands.hpp"

namespace meridian {

/// A page, or data, about the clocks of a merged trace.
void add_clocks(CLI::App& app, Action& chosen);

}  // namespace meridian
