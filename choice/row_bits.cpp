// SPDX-License-Identifier: Apache-2.0
#include "choice/row_bits.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

namespace meridian {

Result<RowBits> RowBits::create(std::uint64_t rows) {
  const std::uint64_t words = rows / 64 + 1;
  const std::size_t bytes = static_cast<std::size_t>(words) * sizeof(std::uint64_t);
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(ignored);
  std::string name = (folder.empty() ? "/tmp" : folder.string()) + "/meridian-rows-XXXXXX";
  const auto refuse = [&](int code) {
    return Error{Errc::io, "cannot use a temporary file in '" + folder.string() + "': " + std::strerror(code),
                 "set TMPDIR to a directory with " + std::to_string(bytes / 1'000'000 + 1) + " MB of space"};
  };
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) return refuse(errno);
  ::unlink(name.c_str());
  const int full = ::posix_fallocate(file, 0, static_cast<off_t>(bytes));  // a hole could not be filled later
  void* const memory = full != 0 ? MAP_FAILED : ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int code = full != 0 ? full : errno;
  ::close(file);
  if (memory == MAP_FAILED) return refuse(code);
  return RowBits{std::span{static_cast<std::uint64_t*>(memory), static_cast<std::size_t>(words)}};
}

RowBits::RowBits(RowBits&& other) noexcept : words_{std::exchange(other.words_, {})} {}
RowBits& RowBits::operator=(RowBits&& other) noexcept {
  std::swap(words_, other.words_);
  return *this;
}
RowBits::~RowBits() {
  if (!words_.empty()) ::munmap(words_.data(), words_.size_bytes());
}

std::uint64_t RowBits::count() const noexcept {
  std::uint64_t total = 0;
  for (const std::uint64_t word : words_) total += static_cast<std::uint64_t>(std::popcount(word));
  return total;
}

}  // namespace meridian
