// SPDX-License-Identifier: Apache-2.0
// meridian manual: manual pages and completions as files, for an installation.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "cli/manual/command_pages.hpp"
#include "cli/manual/completions.hpp"
#include "cli/manual/roff.hpp"
#include "cli/manual/topics.hpp"
#include "cli/output.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

/// Writes beside and renames, so that no reader finds half a file.
Status write_file(const fs::path& path, const std::string& text) {
  const Error error{Errc::io, fmt::format("cannot write '{}'", path.string()), "name a directory that can be written"};
  std::error_code problem;
  fs::create_directories(path.parent_path(), problem);
  if (problem) return error;
  fs::path part = path;
  part += ".part";
  {
    std::ofstream file{part, std::ios::binary};
    file << text;
    file.close();
    if (!file) return error;
  }
  fs::rename(part, path, problem);
  return problem ? Status{error} : Status{};
}

Status write_page(const fs::path& folder, const PageName& page, const std::string& text) {
  return write_file(folder / fmt::format("man/man{0}/{1}.{0}", page.section, page.name), text);
}

Status write_manual(const std::vector<Command>& all, const fs::path& folder) {
  MERIDIAN_TRY_DO(write_page(folder, {"meridian", 1}, roff({"meridian", 1}, program_page(all))));
  for (const Command& command : all) {
    const PageName page{"meridian-" + command.name, 1};
    MERIDIAN_TRY_DO(write_page(folder, page, roff(page, command_page(command))));
  }
  for (const Topic& topic : topics())
    MERIDIAN_TRY_DO(write_page(folder, page_of(topic), roff(page_of(topic), manual_document(topic))));
  const PageName formats{"meridian-formats", 7};
  MERIDIAN_TRY_DO(write_page(folder, formats, roff(formats, formats_manual())));
  const PageName file{"meridian.conf", 5};
  MERIDIAN_TRY_DO(write_page(folder, file, roff(file, configuration_page())));
  for (const Shell& shell : kShells) MERIDIAN_TRY_DO(write_file(folder / shell.path, shell.script(all)));
  return {};
}

}  // namespace

Command manual_command(const std::vector<Command>& all) {
  struct Arguments {
    std::string folder;
    bool is_markdown = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  return {
      "manual",
      "Write manual pages and completions into a directory, for an installation",
      {{.names = "folder",
        .value = "DIR",
        .help = "Directory such as PREFIX/share; the files go to its man/man1, bash-completion/completions and others",
        .target = &arguments->folder,
        .is_required = true},
       {.names = "--markdown",
        .help = "Instead: one Markdown file about all commands, COMMANDS.md",
        .target = &arguments->is_markdown}},
      [arguments, &all]() -> int {
        const fs::path folder = arguments->folder;
        const Status status = arguments->is_markdown ? write_file(folder / "COMMANDS.md", commands_markdown(all))
                                                     : write_manual(all, folder);
        return status ? kExitFine : fail(status.error());
      }};
}

}  // namespace meridian
