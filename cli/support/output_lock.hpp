// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "trace/ring/ring_file.hpp"

namespace meridian {

/// Keeps other processes from writing the same output at the same time, by a lock on the file "<output>.lock", which is
/// removed with this object. File systems without locks keep nobody out.
class OutputLock {
 public:
  /// nullopt: another process has it.
  static std::optional<OutputLock> take(const std::filesystem::path& output);
  OutputLock(OutputLock&& other) noexcept = default;
  OutputLock& operator=(OutputLock&& other) noexcept = default;
  ~OutputLock();

 private:
  OutputLock(std::filesystem::path path, Descriptor file) : path_{std::move(path)}, file_{std::move(file)} {}
  std::filesystem::path path_;
  Descriptor file_;
};

}  // namespace meridian
