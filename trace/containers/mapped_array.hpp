// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <type_traits>
#include <utility>

#include "trace/model/result.hpp"

namespace meridian {

/// Zeroed bytes in a mapped, unnamed file. The space is allocated on creation, so that a full disk gives an error there
/// and not a signal later.
class MappedFile {
 public:
  MappedFile() = default;  ///< no bytes
  /// errors  io: no room in `directory`, or it is not writable.
  static Result<MappedFile> create(const std::filesystem::path& directory, std::uint64_t bytes);
  MappedFile(MappedFile&& other) noexcept
      : data_{std::exchange(other.data_, nullptr)}, bytes_{std::exchange(other.bytes_, 0)} {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::byte* data() const noexcept { return data_; }
  /// Releases the process's pages; the contents remain in the file.
  void release_pages() const noexcept;

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// An array on disk that is read and written in place, roughly in sequence. A pass over it calls release_pages()
/// periodically, so that memory does not grow with the array.
template <class T>
class MappedArray {
  static_assert(std::is_trivially_copyable_v<T>);  // initialised with zero bytes

 public:
  MappedArray() = default;  ///< empty
  static Result<MappedArray> create(const std::filesystem::path& directory, std::uint64_t size) {
    MERIDIAN_TRY(MappedFile file, MappedFile::create(directory, size * sizeof(T)));
    return MappedArray{std::move(file), size};
  }

  std::uint64_t size() const noexcept { return size_; }
  T& operator[](std::uint64_t i) noexcept { return reinterpret_cast<T*>(file_.data())[i]; }
  const T& operator[](std::uint64_t i) const noexcept { return reinterpret_cast<const T*>(file_.data())[i]; }
  void release_pages() const noexcept { file_.release_pages(); }

 private:
  MappedArray(MappedFile file, std::uint64_t size) : file_{std::move(file)}, size_{size} {}
  MappedFile file_;
  std::uint64_t size_ = 0;
};

}  // namespace meridian
