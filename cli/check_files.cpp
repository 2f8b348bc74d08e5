// SPDX-License-Identifier: Apache-2.0
#include "cli/check_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/summary/json.hpp"
#include "cli/summary/printable.hpp"
#include "cli/summary_source.hpp"
#include "cli/support/json_text.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

/// The HDF5 files of a folder, by name.
Result<std::vector<fs::path>> files_of(const fs::path& given) {
  const fs::path path = given.empty() ? fs::path{kLatest} : given;
  std::error_code problem;
  const auto type = fs::status(path, problem).type();
  if (type == fs::file_type::none) return unreadable_trace(path, problem);
  if (type == fs::file_type::not_found) return missing_trace(given);
  if (type != fs::file_type::directory) return std::vector{path};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, problem))
    if (entry.path().extension() == ".h5" && entry.is_regular_file(problem)) files.push_back(entry.path());
  if (problem) return unreadable_trace(path, problem);
  std::ranges::sort(files);
  if (files.empty())
    return Error{Errc::not_found, fmt::format("'{}' holds no trace", path.string()),
                 "name a directory made by `meridian run`"};
  return files;
}

std::string rows_text(const h5::DamagedRows& rows) {
  if (rows.count == 0) return rows.first == 0 ? std::string{} : fmt::format(", rows from {} on", rows.first);
  if (rows.count == 1) return fmt::format(", row {}", rows.first);
  return fmt::format(", rows {} to {}", rows.first, rows.first + rows.count - 1);
}

}  // namespace

Result<FilesCheck> check_files(const fs::path& path) {
  MERIDIAN_TRY(const std::vector<fs::path> files, files_of(path));
  FilesCheck check;
  ProgressBar bar{is_terminal(STDERR_FILENO)};
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string name = files[i].filename().string();
    const auto found = h5::verify_file(files[i], [&](double fraction) {
      bar.show((static_cast<double>(i) + std::min(fraction, 1.0)) / static_cast<double>(files.size()), "read files");
    });
    ++check.files;
    if (!found) {
      check.damaged.push_back({name, {"", 0, 0, found.error().what}});
      continue;
    }
    check.tables += found->tables;
    check.chunks += found->chunks;
    check.bytes += found->bytes;
    for (const h5::DamagedRows& rows : found->damaged) check.damaged.push_back({name, rows});
  }
  return check;
}

std::string files_text(const FilesCheck& check, const Paint& paint) {
  std::string text = paint.heading("FILES") + "\n";
  const std::string read = fmt::format("{} {}, {} tables, {} read", check.files, check.files == 1 ? "file" : "files",
                                       human_count(check.tables), human_bytes(check.bytes));
  text += wrapped(check.damaged.empty() ? read + ": nothing is damaged" : read, 2, output_width());
  for (const FilesCheck::Damage& damage : check.damaged)
    text += wrapped(
        printable(damage.rows.table.empty() ? damage.rows.reason
                                            : fmt::format("damaged: {}: {}{}: {}", damage.file, damage.rows.table,
                                                          rows_text(damage.rows), damage.rows.reason)),
        2, output_width());
  if (!check.damaged.empty())
    text += wrapped(
        "Damaged rank files: what remains can be merged, `meridian merge` says what is lost. A damaged merged file is "
        "made again by `meridian merge`.",
        2, output_width());
  return text;
}

std::string checked_json(const Summary& summary, const FilesCheck& check) {
  auto json = nlohmann::ordered_json::parse(findings_json(summary));
  auto& files = json["files"];
  files = {{"files", check.files}, {"tables", check.tables}, {"chunks", check.chunks}, {"bytes", check.bytes}};
  auto& damaged = files["damaged"] = nlohmann::ordered_json::array();
  for (const auto& [file, rows] : check.damaged)
    damaged.push_back(
        {{"file", file}, {"table", rows.table}, {"first", rows.first}, {"rows", rows.count}, {"reason", rows.reason}});
  return json_text(json);
}

}  // namespace meridian
