// SPDX-License-Identifier: Apache-2.0
// meridian pack: one file for the ranks of a host, where thousands of rank files burden a file system.

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/pack/pack_ranks.hpp"
#include "cli/progress.hpp"
#include "cli/summary/printable.hpp"
#include "cli/summary_source.hpp"
#include "cli/support/interruption.hpp"
#include "cli/support/output_lock.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

std::string counted_noun(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string describe(const fs::path& directory, const Packed& packed) {
  const std::string name = printable(directory.string()), containers = counted_noun(packed.containers, "container");
  if (packed.ranks != 0)
    return fmt::format("Packed {} of '{}'; {} in {} ({}, before {})\n", counted_noun(packed.ranks, "rank"), name,
                       counted_noun(packed.ranks + packed.ranks_before, "rank"), containers,
                       human_bytes(packed.bytes_after), human_bytes(packed.bytes_before));
  if (packed.files_removed != 0)
    return fmt::format("Removed {} of '{}' that were in containers: {} in {}\n",
                       counted_noun(packed.files_removed, "rank file"), name, counted_noun(packed.ranks_before, "rank"),
                       containers);
  if (packed.ranks_before == 0) return fmt::format("Packed nothing of '{}'\n", name);
  return fmt::format("'{}' is already packed: {} in {}\n", name, counted_noun(packed.ranks_before, "rank"), containers);
}

int pack(const std::string& given) {
  const fs::path directory = given.empty() ? fs::path{kLatest} : fs::path{given};
  std::error_code problem;
  const fs::file_type type = fs::status(directory, problem).type();
  if (type == fs::file_type::none) return fail(unreadable_trace(directory, problem));
  if (type == fs::file_type::not_found) return fail(missing_trace(given));

  clean_up_when_interrupted(&wipe_progress);
  std::optional<OutputLock> lock;
  const auto claim = [&]() -> Status {  // a merge would find rank files gone that it is reading
    lock = OutputLock::take(directory / kMergedName);
    if (lock) return {};
    return Error{Errc::io, fmt::format("'{}' is being merged or packed by another process", directory.string()),
                 "wait for it"};
  };
  ProgressBar bar{is_terminal(STDERR_FILENO)};
  const auto packed = pack_ranks(
      directory, [&](double fraction, std::string_view what) { bar.show(fraction, what); }, claim);
  bar.clear();
  if (!packed) return fail(packed.error());
  for (const Error& left : packed->left_as_they_are) report({left.code, left.what + "; it stays as it is", left.hint});
  if (!print(describe(directory, *packed))) return kExitCouldNotRun;
  return packed->left_as_they_are.empty() ? kExitFine : kExitTraceHasErrors;
}

}  // namespace

Command pack_command() {
  const auto directory = std::make_shared<std::string>();
  return {"pack",
          "Put the rank files of each host into one file, for file systems that many files burden",
          {{"directory", "DIR", "Directory of a finished run (default: latest)", directory.get()}},
          [directory] { return pack(*directory); }};
}

}  // namespace meridian
