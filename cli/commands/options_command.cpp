// SPDX-License-Identifier: Apache-2.0
// meridian options: every option with its default and range, as text, JSON or docs/OPTIONS.md.

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "cli/options_text.hpp"
#include "cli/output.hpp"

namespace meridian {

Command options_command() {
  struct Arguments {
    bool is_markdown = false;
    bool is_json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  return {"options",
          "List every option with its default and range",
          {{"--markdown", "", "Print docs/OPTIONS.md", &arguments->is_markdown},
           {.names = "--json",
            .help = "Print one JSON object and nothing else",
            .target = &arguments->is_json,
            .excludes = "--markdown"}},
          [arguments] {
            const std::string text = arguments->is_json       ? options_json()
                                     : arguments->is_markdown ? options_markdown()
                                                              : options_text();
            return print(text) ? kExitFine : kExitCouldNotRun;
          }};
}

}  // namespace meridian
