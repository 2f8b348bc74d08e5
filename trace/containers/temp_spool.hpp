// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "trace/containers/temp_file.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Rows that a pass produces and a later pass reads: an array on disk to which rows are appended, with random reads and
/// overwrites. Takes one block of memory while rows are appended, and 8 bytes per 64 KiB of rows. Many spools share one
/// TempFile; a destroyed spool returns its blocks.
///
/// append() never reports an error: the next seal(), read() or write() does.
/// Movable; not thread-safe.
template <class T>
class TempSpool {
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(sizeof(T) <= TempFile::kBlockBytes);

 public:
  static constexpr std::size_t kRowsPerBlock = TempFile::kBlockBytes / sizeof(T);

  TempSpool() = default;  ///< empty, without a file
  explicit TempSpool(std::shared_ptr<TempFile> file) : file_{std::move(file)} {}
  TempSpool(TempSpool&& other) noexcept { swap(other); }
  TempSpool& operator=(TempSpool&& other) noexcept {
    TempSpool taken{std::move(other)};
    swap(taken);
    return *this;
  }
  ~TempSpool() {
    for (const std::uint64_t block : blocks_) file_->give_back(block);
  }

  std::uint64_t size() const noexcept { return blocks_.size() * kRowsPerBlock + tail_.size(); }

  void append(const T& row) {
    tail_.push_back(row);
    if (tail_.size() == kRowsPerBlock) [[unlikely]]
      store_tail();
  }

  /// Ok if all appended rows are stored.
  Status seal() { return std::exchange(status_, Status{}); }

  /// Returns memory that only further rows would need.
  void shrink() { tail_.shrink_to_fit(); }

  /// Reads rows [first, first + out.size()). errors: io; invalid_argument if there are fewer.
  Status read(std::uint64_t first, std::span<T> out) {
    return visit<T>(first, out, [this](std::uint64_t block, std::size_t offset, std::span<T> rows) {
      return file_->read(block, offset * sizeof(T), std::as_writable_bytes(rows));
    });
  }

  /// Overwrites rows [first, first + rows.size()), which must exist.
  Status write(std::uint64_t first, std::span<const T> rows) {
    return visit<const T>(first, rows, [this](std::uint64_t block, std::size_t offset, std::span<const T> part) {
      return rewrite(block, offset, part);
    });
  }

 private:
  void swap(TempSpool& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(blocks_, other.blocks_);
    std::swap(tail_, other.tail_);
    std::swap(status_, other.status_);
  }

  void store_tail() {
    const std::uint64_t block = file_->take_block();
    if (auto stored = file_->write(block, std::as_bytes(std::span<const T>{tail_})); !stored && status_)
      status_ = std::move(stored);
    blocks_.push_back(block);
    tail_.clear();
  }

  Status rewrite(std::uint64_t block, std::size_t offset, std::span<const T> part) {
    if (part.size() == kRowsPerBlock) return file_->write(block, std::as_bytes(part));
    std::vector<T> whole(kRowsPerBlock);
    MERIDIAN_TRY_DO(file_->read(block, 0, std::as_writable_bytes(std::span<T>{whole})));
    std::copy(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(offset));
    return file_->write(block, std::as_bytes(std::span<const T>{whole}));
  }

  /// Splits [first, first + rows.size()) at block boundaries; rows that are still in memory are copied in or out.
  template <class Row, class OnBlock>
  Status visit(std::uint64_t first, std::span<Row> rows, OnBlock&& on_block) {
    if (!status_) return seal();
    if (first > size() || rows.size() > size() - first)
      return Error{Errc::invalid_argument, "cannot reach rows behind the end of a temporary table", ""};
    while (!rows.empty()) {
      const std::uint64_t block = first / kRowsPerBlock;
      const auto offset = static_cast<std::size_t>(first % kRowsPerBlock);
      const auto part = rows.first(std::min(rows.size(), kRowsPerBlock - offset));
      if (block < blocks_.size()) {
        MERIDIAN_TRY_DO(on_block(blocks_[static_cast<std::size_t>(block)], offset, part));
      } else {
        const auto at = tail_.begin() + static_cast<std::ptrdiff_t>(offset);
        if constexpr (std::is_const_v<Row>)
          std::copy(part.begin(), part.end(), at);
        else
          std::copy(at, at + static_cast<std::ptrdiff_t>(part.size()), part.begin());
      }
      first += part.size();
      rows = rows.subspan(part.size());
    }
    return {};
  }

  std::shared_ptr<TempFile> file_;
  std::vector<std::uint64_t> blocks_;  // full blocks, in order
  std::vector<T> tail_;                // the block being filled
  Status status_;
};

/// Reads a spool from its start, one block at a time.
///   for (const T* row = reader.next(); row != nullptr; row = reader.next()) ...
///   MERIDIAN_TRY_DO(reader.status());
template <class T>
class TempSpoolReader {
 public:
  explicit TempSpoolReader(TempSpool<T>& spool) : spool_{&spool} {}

  /// The next row, valid until the next call; nullptr at the end, or after an error.
  const T* next() {
    if (at_ == rows_.size()) [[unlikely]]
      if (!refill()) return nullptr;
    return &rows_[at_++];
  }

  Status status() const { return status_; }

 private:
  bool refill() {
    const std::uint64_t left = spool_->size() - first_;
    rows_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(left, TempSpool<T>::kRowsPerBlock)));
    at_ = 0;
    if (rows_.empty() || !status_) return false;
    status_ = spool_->read(first_, rows_);
    if (!status_) rows_.clear();
    first_ += rows_.size();
    return !rows_.empty();
  }

  TempSpool<T>* spool_;
  std::uint64_t first_ = 0;
  std::vector<T> rows_;
  std::size_t at_ = 0;
  Status status_;
};

}  // namespace meridian
