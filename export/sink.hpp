// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/model/result.hpp"

namespace meridian {

/// The destination of an export: named files, or one of them on standard output.
class ExportSink {
 public:
  virtual ~ExportSink() = default;
  /// Starts a file, to which the following text belongs. False: the file is not wanted and need not be produced.
  virtual Result<bool> begin(const std::string& file) = 0;
  virtual Status write(std::string_view text) = 0;
  /// An empty folder for a library that writes its files by itself: `names`, files or folders, which become visible in
  /// this order. errors  also unsupported: the destination is not a directory.
  virtual Result<std::filesystem::path> begin_folder(const std::vector<std::string>& names) = 0;
  /// Completes the export.
  virtual Status finish() = 0;
};

/// Files in a directory, which is created if it is missing. Each file is written under a temporary name; finish()
/// renames all of them, and without it none remains. Existing files are replaced only if `is_forced`.
/// errors  io; invalid_argument: a file of that name exists.
std::unique_ptr<ExportSink> directory_sink(std::filesystem::path directory, bool is_forced);

/// The one file `wanted`, to `descriptor`, which stays open. A closed pipe is not an error.
std::unique_ptr<ExportSink> stream_sink(int descriptor, std::string wanted);

}  // namespace meridian
