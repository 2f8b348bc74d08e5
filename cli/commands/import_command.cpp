// SPDX-License-Identifier: Apache-2.0
// meridian import: an OTF2 archive as rank files, which `meridian merge` takes.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/support/empty_directory.hpp"
#include "cli/support/interruption.hpp"
#include "import/import.hpp"
#include "trace/format/rank/rank_container.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/import_keys.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

struct ImportArguments {
  std::string archive, output;
  bool is_forced = false;
};

Error refuse(const char* action, const fs::path& path, const std::error_code& problem) {
  return {Errc::io, fmt::format("cannot {} '{}': {}", action, path.string(), problem.message()),
          "choose a directory that can be written with --output"};
}

bool is_imported(const Result<RankFile>& file) {
  return file && std::ranges::find(file->meta().texts, kImportedKey, &TextRow::key) != file->meta().texts.end();
}

/// Whether all ranks in a rank file or container are of an import.
bool is_imported(const fs::path& path) {
  if (!is_container_name(path)) return is_imported(RankFile::open(path));
  const auto container = RankContainer::open(path);
  return container && std::ranges::all_of(container->groups(), [&](const std::string& group) {
           return is_imported(container->rank(group));
         });
}

/// Files of an earlier import, and what was made of them.
Result<std::vector<fs::path>> replaceable_files(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code problem;
  for (fs::directory_iterator entry{directory, problem}, end; !problem && entry != end; entry.increment(problem)) {
    const fs::path& path = entry->path();
    const std::string name = path.filename().string();
    if (name == "merged.h5") files.push_back(path);
    if (!is_of_ranks(path)) continue;
    if (!is_imported(path))
      return Error{Errc::invalid_argument, fmt::format("'{}' was not made by `meridian import`", path.string()),
                   "choose another directory with --output: --force replaces imported rank files only"};
    files.push_back(path);
  }
  if (problem) return refuse("list", directory, problem);
  return files;
}

/// Everything is written in `.part` in the directory, and moved when it is complete.
Result<Imported> import_archive(const ImportArguments& arguments, ProgressBar& bar) {
  const fs::path directory{arguments.output}, part = directory / ".part";
  std::error_code problem;
  fs::remove_all(part, problem);  // of an import that was killed
  std::vector<fs::path> replaced;
  const bool made_directory = !fs::exists(fs::symlink_status(directory, problem));
  if (arguments.is_forced && fs::is_directory(directory, problem)) {
    MERIDIAN_TRY(replaced, replaceable_files(directory));
  } else {
    MERIDIAN_TRY_DO(make_empty_directory(
        directory, "choose a new directory with --output, or replace an earlier import with --force"));
  }
  const auto write_files = [&]() -> Result<Imported> {
    std::error_code refused;
    if (fs::create_directory(part, refused); refused) return refuse("make", part, refused);
    MERIDIAN_TRY(Imported imported, import_otf2(arguments.archive, part, [&](double fraction, std::string_view what) {
                   bar.show(fraction, what);
                 }));
    for (const fs::path& old : replaced)
      if (fs::remove(old, refused); refused) return refuse("replace", old, refused);
    for (std::int32_t rank = 0; rank < imported.ranks; ++rank)
      if (fs::rename(part / rank_file_name(rank), directory / rank_file_name(rank), refused); refused)
        return refuse("write", directory / rank_file_name(rank), refused);
    return imported;
  };
  Result<Imported> imported = write_files();
  fs::remove_all(part, problem);
  if (!imported && made_directory) fs::remove(directory, problem);
  return imported;
}

int run_import(const ImportArguments& arguments) {
  clean_up_when_interrupted(&wipe_progress);
  ProgressBar bar{is_terminal(2)};
  const auto imported = import_archive(arguments, bar);
  bar.clear();
  if (!imported) return fail(imported.error());
  std::string text = fmt::format("{} calls of {} rank{} in {}\n", imported->calls, imported->ranks,
                                 imported->ranks == 1 ? "" : "s", arguments.output);
  if (imported->one_sided_messages != 0)
    text += fmt::format("Left out: {} sends and receives of messages whose other side {} did not record\n",
                        imported->one_sided_messages, imported->creator.empty() ? "the tool" : imported->creator);
  for (const auto& [what, count] : imported->left_out.counts()) text += fmt::format("Left out: {} {}\n", count, what);
  return print(text + fmt::format("meridian merge {}\n", arguments.output)) ? kExitFine : kExitCouldNotRun;
}

}  // namespace

Command import_command() {
  const auto arguments = std::make_shared<ImportArguments>();
  return {"import",
          "Write an OTF2 archive of Score-P, EZTrace or another tool as rank files, for `meridian merge`",
          {{.names = "archive",
            .value = "ARCHIVE",
            .help = "The anchor file of the archive, such as traces.otf2",
            .target = &arguments->archive,
            .is_required = true},
           {.names = "-o,--output",
            .value = "DIR",
            .help = "Directory for the rank files: a new or an empty one",
            .target = &arguments->output,
            .is_required = true},
           {"--force", "", "Replace the rank files of an earlier import", &arguments->is_forced}},
          [arguments] { return run_import(*arguments); }};
}

}  // namespace meridian
