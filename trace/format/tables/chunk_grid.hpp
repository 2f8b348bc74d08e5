// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <limits>

namespace meridian::h5 {

/// The chunks of a dataset one after the other, by the position of their first element.
class ChunkGrid {
 public:
  /// False if the dataset has no valid chunks, or more than a file can have.
  bool open(hid_t space, hid_t creation) {
    dimensions_ = H5Sget_simple_extent_ndims(space);
    if (dimensions_ < 1 || dimensions_ > kMostDimensions) return false;
    if (H5Sget_simple_extent_dims(space, extent_, nullptr) != dimensions_) return false;
    if (H5Pget_chunk(creation, dimensions_, chunk_) != dimensions_) return false;
    for (int i = 0; i < dimensions_; ++i) {
      if (chunk_[i] == 0 || elements_ > std::numeric_limits<std::uint64_t>::max() / chunk_[i]) return false;
      elements_ *= chunk_[i];
      const hsize_t along = extent_[i] / chunk_[i] + (extent_[i] % chunk_[i] != 0 ? 1 : 0);
      if (along != 0 && count_ > kMost / along) return false;
      count_ *= along;
    }
    return true;
  }
  std::uint64_t count() const noexcept { return count_; }
  /// Elements of a whole chunk.
  std::uint64_t elements() const noexcept { return elements_; }
  int dimensions() const noexcept { return dimensions_; }
  const hsize_t* first() const noexcept { return first_; }
  /// Rows of the dataset in the present chunk, along this dimension.
  hsize_t rows(int dimension) const noexcept {
    const hsize_t left = extent_[dimension] - first_[dimension];
    return left < chunk_[dimension] ? left : chunk_[dimension];
  }
  void next() noexcept {
    for (int i = dimensions_ - 1; i >= 0; --i) {
      first_[i] += chunk_[i];
      if (first_[i] < extent_[i]) return;
      first_[i] = 0;
    }
  }

 private:
  static constexpr int kMostDimensions = H5S_MAX_RANK;
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  int dimensions_ = 0;
  hsize_t extent_[kMostDimensions] = {}, chunk_[kMostDimensions] = {}, first_[kMostDimensions] = {};
  std::uint64_t count_ = 1, elements_ = 1;
};

}  // namespace meridian::h5
