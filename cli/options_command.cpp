// SPDX-License-Identifier: Apache-2.0
// meridian options: every option with its default and range, as text or as docs/OPTIONS.md.

#include <fmt/format.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/options_text.hpp"
#include "cli/output.hpp"

namespace meridian {

Command options_command() {
  const auto is_markdown = std::make_shared<bool>(false);
  return {"options",
          "List every option with its default and range",
          {{"--markdown", "", "Print docs/OPTIONS.md", is_markdown.get()}},
          [is_markdown] {
            return print(*is_markdown ? options_markdown() : options_text()) ? kExitFine : kExitCouldNotRun;
          }};
}

}  // namespace meridian
