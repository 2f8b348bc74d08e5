// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/summary/text/text.hpp"
#include "summary/summary.hpp"
#include "trace/format/tables/verify_file.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// What `meridian check --all` finds in the files of a trace.
struct FilesCheck {
  struct Damage {
    std::string file;  ///< name in the folder
    h5::DamagedRows rows;
  };
  std::uint64_t files = 0, tables = 0, chunks = 0, bytes = 0;
  std::vector<Damage> damaged;
};

/// Reads all that is in the rank files, containers and merged files of a folder, or in one file. Shows its progress on a terminal.
/// errors  not_found, io: there is no such folder or file.
Result<FilesCheck> check_files(const std::filesystem::path& path);

/// Section FILES: what was read, and a line for each damaged place.
std::string files_text(const FilesCheck& check, const Paint& paint);

/// One JSON object: the findings of the summary, and "files" with what was read and "damaged".
std::string checked_json(const Summary& summary, const FilesCheck& check);

}  // namespace meridian
