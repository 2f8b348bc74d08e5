// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/ring/ring_file.hpp"
#include "trace/unwind/unwind_rule.hpp"

namespace meridian {

/// Unwind rules of the code that another process has loaded, from copies of the files' unwind information: no memory of that
/// process is read, and a file that becomes shorter does no harm. Not thread-safe.
class LoadedFiles {
 public:
  explicit LoadedFiles(std::int32_t pid) : pid_{pid} {}

  /// Which files are loaded is read again at the next address that is unknown. Call now and then.
  void refresh() { may_read_ = true; }
  /// A sample is at this address: its file becomes one of take_new_files(), once.
  void note(std::uint64_t address);
  /// Values of texts with the key kModuleKey.
  std::vector<std::string> take_new_files() { return std::exchange(new_files_, {}); }
  /// The rule for the instruction before `return_address`; unknown: no file is there, or it has no rule.
  UnwindRule rule(std::uint64_t return_address);
  /// Whether code is loaded there.
  bool has_code(std::uint64_t address) const;
  /// Whether code of the same file is loaded at both.
  bool is_same_file(std::uint64_t address, std::uint64_t other) const;

 private:
  /// Code of a file in the process.
  struct Code {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t offset = 0;  // in the file
    std::string path;          // "[vdso]": of the kernel
    bool operator==(const Code&) const = default;
  };
  struct Image {
    std::vector<unsigned char> bytes;
    UnwindImage unwind;
    std::uint64_t shift = 0;  // from an address in the process to the one beside the copy
  };

  void read_list();
  const Code* find(std::uint64_t address) const;
  Descriptor open(const Code& code) const;
  std::string text_of(const Code& code) const;
  const Image* image_of(const Code& code);
  std::optional<Image> read(const Code& code) const;

  std::int32_t pid_;
  bool may_read_ = true;
  std::vector<Code> codes_;  // by address
  std::vector<Code> known_;  // noted
  std::vector<std::string> new_files_;
  std::unordered_map<std::uint64_t, Image> images_;      // by begin of the code; without a table: it has no rules
  std::unordered_map<std::uint64_t, UnwindRule> rules_;  // by return address
};

}  // namespace meridian
