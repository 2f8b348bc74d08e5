// meridian info: what a file or directory is.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/commands.hpp"
#include "cli/describe.hpp"
#include "cli/output.hpp"
#include "cli/summary_source.hpp"

namespace meridian {

void add_info(CLI::App& app, Action& chosen) {
  CLI::App* const command = app.add_subcommand("info", "Say what a file or directory is");
  const auto path = std::make_shared<std::string>(kLatest);
  command->add_option("path", *path, "Trace directory, rank file, merged file, ring (default: latest)")
      ->type_name("PATH");
  command->callback([path, &chosen] {
    chosen = [path] {
      const auto text = describe_path(*path);
      if (!text) return fail(text.error());
      return static_cast<int>(print(*text) ? kExitFine : kExitCouldNotRun);
    };
  });
}

}  // namespace meridian
