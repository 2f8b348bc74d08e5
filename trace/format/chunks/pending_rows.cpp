// SPDX-License-Identifier: Apache-2.0
#include "trace/format/chunks/pending_rows.hpp"

#include <utility>

#include "trace/format/chunks/chunk_codec.hpp"
#include "trace/format/chunks/state_archive.hpp"

namespace meridian {

void PendingRows::append(const std::uint8_t* values, std::size_t count) {
  if (is_same_ && append_same(values, count)) return;
  values_.insert(values_.end(), values, values + count * width_of(type_));
  size_ += count;
}

bool PendingRows::append_same(const std::uint8_t* values, std::size_t count) {
  if (size_ == 0 && count > 0) same_ = element(values, 0, type_);
  if (are_all(values, count, type_, same_)) {
    size_ += count;
    return true;
  }
  this->values();
  return false;
}

void PendingRows::clear() noexcept {
  values_.clear();
  size_ = 0;
  is_same_ = true;
}

const std::vector<std::uint8_t>& PendingRows::values() {
  if (std::exchange(is_same_, false)) {
    values_.resize(size_ * width_of(type_));
    fill_elements(values_.data(), size_, type_, same_);
  }
  return values_;
}

std::vector<std::uint8_t> PendingRows::take(std::vector<std::uint8_t> buffer) {
  values();
  std::vector<std::uint8_t> taken = std::exchange(values_, std::move(buffer));
  clear();
  return taken;
}

void PendingRows::save(StateWriter& archive) const {
  ValueRange range;
  std::uint64_t constant = is_same_ && size_ > 0 ? same_ : 0;
  if (!is_same_ && size_ > 0) {
    range = range_of(values_.data(), size_, type_);
    if (range.is_constant) constant = element(values_.data(), 0, type_);
  }
  std::vector<std::uint8_t> planes(range.is_constant ? 0 : size_ * range.width);
  if (!planes.empty()) split_planes(values_.data(), size_, type_, range.width, size_, planes.data());
  archive(std::uint64_t{size_}, constant, planes);
}

bool PendingRows::restore(StateReader& archive, std::size_t most) {
  std::uint64_t rows = 0;
  std::vector<std::uint8_t> planes;
  clear();
  archive(rows, same_, planes);
  if (!archive.is_good() || rows >= most) return false;
  size_ = static_cast<std::size_t>(rows);
  is_same_ = planes.empty();
  if (is_same_) return true;
  values_.resize(size_ * width_of(type_));
  return size_ > 0 && planes.size() % size_ == 0 &&
         join_planes(planes.data(), size_, planes.size() / size_, is_signed(type_), 0, size_, type_, values_.data());
}

}  // namespace meridian
