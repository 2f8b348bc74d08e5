// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bytes of a checkpoint: one description of its parts, `archive(a, b, ...)`, serves writing and reading. Numbers are
// stored as in memory, because writer and reader are the same build, which a version checks.

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace meridian {

class StateWriter {
 public:
  static constexpr bool is_reading = false;

  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  const std::vector<std::uint8_t>& bytes() const noexcept { return bytes_; }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
    append(&value, sizeof value);
  }
  template <class T>
  void put(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
    put(std::uint64_t{values.size()});
    append(values.data(), values.size() * sizeof(T));
  }
  void put(const std::string& text) {
    put(std::uint64_t{text.size()});
    append(text.data(), text.size());
  }
  void append(const void* from, std::size_t count) {
    const auto* const first = static_cast<const std::uint8_t*>(from);
    bytes_.insert(bytes_.end(), first, first + count);
  }

  std::vector<std::uint8_t> bytes_;
};

/// Trusts only types: after a length that the bytes cannot hold, all further values are zero or empty.
class StateReader {
 public:
  static constexpr bool is_reading = true;

  explicit StateReader(std::span<const std::uint8_t> bytes) : bytes_{bytes} {}

  template <class... T>
  void operator()(T&... values) {
    (take(values), ...);
  }
  bool is_good() const noexcept { return is_good_; }
  bool is_at_end() const noexcept { return bytes_.empty(); }

  /// Number of the following items, each of at least `least_bytes`; 0 if the bytes cannot hold them.
  std::size_t count_of(std::size_t least_bytes) {
    std::uint64_t count = 0;
    take(count);
    if (count > bytes_.size() / least_bytes) is_good_ = false;
    return is_good_ ? static_cast<std::size_t>(count) : 0;
  }

 private:
  template <class T>
  void take(T& value) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
    copy(&value, sizeof value);
  }
  template <class T>
  void take(std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
    values.resize(count_of(sizeof(T)));
    copy(values.data(), values.size() * sizeof(T));
  }
  void take(std::string& text) {
    text.resize(count_of(1));
    copy(text.data(), text.size());
  }
  void copy(void* to, std::size_t count) {
    if (count == 0) return;
    if (!is_good_ || count > bytes_.size()) {
      is_good_ = false;
      std::memset(to, 0, count);
      return;
    }
    std::memcpy(to, bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
  }

  std::span<const std::uint8_t> bytes_;
  bool is_good_ = true;
};

/// Types without their own form in an archive.
template <class Archive>
void archive_flag(Archive& archive, bool& flag) {
  auto byte = std::uint8_t{flag};
  archive(byte);
  flag = byte != 0;
}
/// The place of a row in a table; SIZE_MAX: none.
template <class Archive>
void archive_row(Archive& archive, std::size_t& row) {
  auto number = std::uint64_t{row};
  archive(number);
  row = static_cast<std::size_t>(number);
}

/// A list whose items are no plain numbers: `item(archive, row)` for each. `least_bytes`: of an item.
template <class Archive, class Row, class Item>
void archive_rows(Archive& archive, std::vector<Row>& rows, std::size_t least_bytes, Item&& item) {
  if constexpr (Archive::is_reading) {
    rows.resize(archive.count_of(least_bytes));
  } else {
    archive(std::uint64_t{rows.size()});
  }
  for (Row& row : rows) item(archive, row);
}

}  // namespace meridian
