// SPDX-License-Identifier: Apache-2.0
// meridian completion: the script that completes command lines in a shell.

#include <algorithm>
#include <memory>
#include <string>

#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/manual/completions.hpp"
#include "cli/output.hpp"

namespace meridian {

Command completion_command(const std::vector<Command>& all) {
  const auto shell = std::make_shared<std::string>();
  std::vector<std::string> shells;
  shells.reserve(kShells.size());
  for (const Shell& known : kShells) shells.emplace_back(known.name);
  return {"completion",
          "Print the completion of command lines for a shell",
          {{.names = "shell",
            .value = "SHELL",
            .help = "bash, zsh or fish",
            .target = shell.get(),
            .is_required = true,
            .choices = shells}},
          [shell, shells, &all]() -> int {
            const auto known = std::ranges::find(kShells, *shell, &Shell::name);
            if (known == kShells.end()) return fail(unknown_choice(*shell, *shell, shells));
            return print(known->script(all)) ? kExitFine : kExitCouldNotRun;
          },
          "Packages install it. By hand:\n"
          "  bash: source <(meridian completion bash)\n"
          "  zsh:  meridian completion zsh > DIR/_meridian, where DIR is a folder of $fpath\n"
          "  fish: meridian completion fish > ~/.config/fish/completions/meridian.fish"};
}

}  // namespace meridian
