// meridian options: every option with its default and range, as text or as docs/OPTIONS.md.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.hpp"
#include "cli/options_text.hpp"
#include "cli/output.hpp"

namespace meridian {

void add_options(CLI::App& app, Action& chosen) {
  CLI::App* const command = app.add_subcommand("options", "List every option with its default and range");
  const auto markdown = std::make_shared<bool>(false);
  command->add_flag("--markdown", *markdown, "Print docs/OPTIONS.md");
  command->callback([markdown, &chosen] {
    chosen = [markdown] {
      return print(*markdown ? options_markdown() : options_text()) ? kExitFine : kExitCouldNotRun;
    };
  });
}

}  // namespace meridian
