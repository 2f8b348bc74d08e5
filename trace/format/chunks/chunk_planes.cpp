// SPDX-License-Identifier: Apache-2.0
#include "trace/format/chunks/chunk_planes.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "trace/format/chunks/chunk_codec.hpp"

namespace meridian {
namespace {

/// Memory of this thread for a chunk that is on its way to a store, and for the parts of one that come back.
std::vector<std::uint8_t>& shared_bytes() {
  thread_local std::vector<std::uint8_t> bytes;
  return bytes;
}

bool is_constant(std::span<const std::uint8_t> plane) {
  return plane.size() < 2 || std::memcmp(plane.data(), plane.data() + 1, plane.size() - 1) == 0;
}

}  // namespace

void ChunkPlanes::keep_in(std::shared_ptr<PlaneStore> store) {
  if (is_split_) clear();
  store_ = std::move(store);
}

void ChunkPlanes::clear() {
  if (is_split_)
    for (std::size_t i = 0; i < width_; ++i)
      if (planes_[i].place == Place::store) store_->give_back(planes_[i].at);
  is_split_ = false;
  rows_ = width_ = 0;
}

std::span<std::uint8_t> ChunkPlanes::prepare(std::size_t rows, std::size_t width) {
  clear();
  rows_ = rows;
  width_ = width;
  if (store_ == nullptr || width > kMostWidth) {
    bytes_.resize(rows * width);
    return bytes_;
  }
  std::vector<std::uint8_t>& bytes = shared_bytes();
  if (bytes.size() < rows * width) bytes.resize(rows * width);
  return std::span{bytes}.first(rows * width);
}

Status ChunkPlanes::keep() {
  if (store_ == nullptr || width_ > kMostWidth) return {};
  const std::span<const std::uint8_t> all = std::span{shared_bytes()}.first(rows_ * width_);
  bytes_.clear();
  planes_ = {};
  is_split_ = true;
  for (std::size_t i = 0; i < width_; ++i) {
    const auto plane = all.subspan(i * rows_, rows_);
    if (is_constant(plane)) {
      planes_[i].at = plane.empty() ? 0 : plane.front();
    } else if (rows_ <= kShort || rows_ > PlaneStore::kBlockBytes) {
      planes_[i] = {Place::memory, bytes_.size()};
      bytes_.insert(bytes_.end(), plane.begin(), plane.end());
    } else {
      planes_[i] = {Place::store, store_->take()};
      MERIDIAN_TRY_DO(store_->write(planes_[i].at, plane));
    }
  }
  bytes_.shrink_to_fit();
  return {};
}

Status ChunkPlanes::join(std::size_t first, std::size_t count, bool is_signed_source, ColumnType type, void* values,
                         bool& is_held) {
  if (!is_split_) {
    is_held = join_planes(bytes_.data(), rows_, width_, is_signed_source, first, count, type, values);
    return {};
  }
  std::vector<std::uint8_t>& part = shared_bytes();
  if (part.size() < count * width_) part.resize(count * width_);
  for (std::size_t i = 0; i < width_; ++i) {
    const std::span<std::uint8_t> plane = std::span{part}.subspan(i * count, count);
    const Plane& from = planes_[i];
    if (from.place == Place::constant)
      std::ranges::fill(plane, static_cast<std::uint8_t>(from.at));
    else if (from.place == Place::memory)
      std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(from.at + first), count, plane.begin());
    else
      MERIDIAN_TRY_DO(store_->read(from.at, first, plane));
  }
  is_held = join_planes(part.data(), count, width_, is_signed_source, 0, count, type, values);
  return {};
}

}  // namespace meridian
