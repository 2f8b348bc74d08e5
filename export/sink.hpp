// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/model/result.hpp"

namespace meridian {

/// Told how far an export is, 0 to 1, and what is being written.
using ExportProgress = std::function<void(double fraction, std::string_view what)>;

/// Where an export goes: named files, or one of them to standard output.
class ExportSink {
 public:
  virtual ~ExportSink() = default;
  /// Text that follows belongs to this file. False: nobody wants the file, and it need not be made.
  virtual Result<bool> begin(const std::string& file) = 0;
  virtual Status write(std::string_view text) = 0;
  /// Everything is written.
  virtual Status finish() = 0;
};

/// Files in a directory, which is made when it is missing. Each is written beside its name; finish() renames all of
/// them, and without it none is left behind. Files that are there are replaced only if `is_forced`.
/// errors  io; invalid_argument: a file of the name is there.
std::unique_ptr<ExportSink> directory_sink(std::filesystem::path directory, bool is_forced);

/// The one file `wanted`, to `descriptor`, which stays open. A reader that has closed the pipe is no error.
std::unique_ptr<ExportSink> stream_sink(int descriptor, std::string wanted);

}  // namespace meridian
