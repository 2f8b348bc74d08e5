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

struct InfoArguments {
  std::string path = kLatest;
  bool is_json = false;
};

int info(const InfoArguments& arguments) {
  const auto description = describe_path(arguments.path);
  if (!description) return fail(description.error());
  return print(arguments.is_json ? description->json : description->text) ? kExitFine : kExitCouldNotRun;
}

}  // namespace

Command info_command() {
  const auto arguments = std::make_shared<InfoArguments>();
  return {
      "info",
      "Describe a file or directory",
      {{"path", "PATH", "Trace directory, rank file, container, merged file, ring (default: latest)", &arguments->path},
       {"--json", "", "Print one JSON object and nothing else", &arguments->is_json}},
      [arguments] { return info(*arguments); }};
}

}  // namespace meridian
