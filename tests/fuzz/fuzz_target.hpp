// SPDX-License-Identifier: Apache-2.0
#pragma once

// Common parts of the targets. A target is LLVMFuzzerTestOneInput in a file of its own: clang's libFuzzer drives it, or
// replay.cpp, which any compiler can build, with the inputs of the corpus.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace meridian::fuzz {

/// A directory in memory, as long as the process lives.
struct ScratchDirectory {
  std::filesystem::path path;
  ScratchDirectory() {
    const std::filesystem::path memory = "/dev/shm";
    const auto where = std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
    std::string name = where / "meridian-fuzz-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path = name;
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
};

/// The input as a file, which some readers want to be no link.
class InputFile {
 public:
  InputFile(const std::uint8_t* data, std::size_t size) {
    std::ofstream out{path(), std::ios::binary | std::ios::trunc};
    if (!out.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size)).flush()) std::abort();
  }
  static std::filesystem::path path() {
    static const ScratchDirectory directory;
    return directory.path / "input";
  }
};

/// A directory for what a target writes, empty again for each input.
inline const std::filesystem::path& work_directory() {
  static const ScratchDirectory directory;
  for (const auto& entry : std::filesystem::directory_iterator{directory.path}) std::filesystem::remove_all(entry);
  return directory.path;
}

/// Takes values off the input, zeros when it is used up.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_{data}, left_{size} {}
  bool is_over() const { return left_ == 0; }
  template <class T>
  T take() {
    T value{};
    const std::size_t count = left_ < sizeof value ? left_ : sizeof value;
    std::memcpy(&value, data_, count);
    data_ += count;
    left_ -= count;
    return value;
  }
  /// Most values that a trace has are small; some are not.
  std::int64_t number() {
    const auto kind = take<std::uint8_t>();
    if (kind < 200) return kind % 16 - 4;
    if (kind < 230) return take<std::int16_t>();
    return take<std::int64_t>();
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

/// A reader that says what is wrong says it in words.
inline void require_words(std::string_view what) {
  if (what.empty()) std::abort();
}

}  // namespace meridian::fuzz
