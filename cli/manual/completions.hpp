// SPDX-License-Identifier: Apache-2.0
#pragma once

// Completion of the command line in shells, made from the descriptions of the commands.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace meridian {

std::string bash_completion(const std::vector<Command>& commands);
std::string zsh_completion(const std::vector<Command>& commands);
std::string fish_completion(const std::vector<Command>& commands);

struct Shell {
  std::string_view name;
  std::string_view path;  ///< where the shell looks for it, below PREFIX/share
  std::string (*script)(const std::vector<Command>&);
};
inline constexpr std::array<Shell, 3> kShells{{
    {"bash", "bash-completion/completions/meridian", &bash_completion},
    {"zsh", "zsh/site-functions/_meridian", &zsh_completion},
    {"fish", "fish/vendor_completions.d/meridian.fish", &fish_completion},
}};

}  // namespace meridian
