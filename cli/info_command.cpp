// SPDX-License-Identifier: Apache-2.0
// meridian info: describes a file or directory.

#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "cli/describe.hpp"
#include "cli/output.hpp"
#include "cli/summary_source.hpp"

namespace meridian {
namespace {

int info(const std::string& path) {
  const auto text = describe_path(path);
  if (!text) return fail(text.error());
  return print(*text) ? kExitFine : kExitCouldNotRun;
}

}  // namespace

Command info_command() {
  const auto path = std::make_shared<std::string>(kLatest);
  return {"info",
          "Describe a file or directory",
          {{"path", "PATH", "Trace directory, rank file, merged file, ring (default: latest)", path.get()}},
          [path] { return info(*path); }};
}

}  // namespace meridian
