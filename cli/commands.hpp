#pragma once

// The subcommands. Each add_...() declares one with its options; what it does runs later, when the whole command line
// has been understood.

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace meridian {

/// What the chosen subcommand does; returns the exit code.
using Action = std::function<int()>;

/// `program` is what take_program() found.
void add_run(CLI::App& app, Action& chosen, const std::vector<std::string>& program);
/// Cuts the program and its arguments off the arguments of `run`: they are not for us to read, whatever they look like.
std::vector<std::string> take_program(std::vector<std::string>& arguments);
void add_merge(CLI::App& app, Action& chosen);
void add_stats(CLI::App& app, Action& chosen);
void add_order(CLI::App& app, Action& chosen);
void add_info(CLI::App& app, Action& chosen);
void add_check(CLI::App& app, Action& chosen);
void add_where(CLI::App& app, Action& chosen);
void add_doctor(CLI::App& app, Action& chosen);
/// What this machine counts.
void add_counters(CLI::App& app, Action& chosen);
void add_control(CLI::App& app, Action& chosen);
void add_snapshot(CLI::App& app, Action& chosen);
void add_top(CLI::App& app, Action& chosen);
void add_options(CLI::App& app, Action& chosen);

}  // namespace meridian
