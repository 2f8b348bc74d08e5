// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "trace/containers/temp_file.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Stacks of which only the tops are in memory; the rest is in a temporary file without a name. First all pushes, then all
/// pops: the room in the file is not used again.
template <class Row>
class SpilledStacks {
  static_assert(std::is_trivially_copyable_v<Row>);

 public:
  /// directory   for the file, which is made when the first stack has no room in memory
  /// chunk_rows  per stack in memory; a chunk fits in a block of the file
  SpilledStacks(std::filesystem::path directory, std::size_t stacks, std::size_t chunk_rows = 256)
      : directory_{std::move(directory)},
        stacks_(stacks),
        chunk_rows_{chunk_rows},
        chunk_(sizeof(std::int64_t) + chunk_rows * sizeof(Row)),
        chunks_of_block_{TempFile::kBlockBytes / chunk_.size()} {
    MERIDIAN_CHECK(chunks_of_block_ > 0);
  }

  Status push(std::size_t stack, const Row& row) {
    Stack& to = stacks_[stack];
    if (to.rows.size() == chunk_rows_) MERIDIAN_TRY_DO(spill(to));
    to.rows.push_back(row);
    return {};
  }
  /// nullptr: the stack is empty. Valid until the next call.
  Result<const Row*> top(std::size_t stack) {
    Stack& from = stacks_[stack];
    if (from.rows.empty() && from.below != kNothing) MERIDIAN_TRY_DO(load(from));
    return from.rows.empty() ? nullptr : &from.rows.back();
  }
  /// After top().
  void pop(std::size_t stack) { stacks_[stack].rows.pop_back(); }

 private:
  static constexpr std::int64_t kNothing = -1;
  struct Stack {
    std::vector<Row> rows;
    std::int64_t below = kNothing;  // number of the chunk under these rows
  };

  /// A chunk in the file: the number of the one below, and its rows.
  Status spill(Stack& stack) {
    if (!file_) {
      MERIDIAN_TRY(file_, TempFile::create(directory_));
    }
    if (chunks_ % chunks_of_block_ == 0) blocks_.push_back(file_->take_block());
    std::memcpy(chunk_.data(), &stack.below, sizeof stack.below);
    std::memcpy(chunk_.data() + sizeof stack.below, stack.rows.data(), chunk_rows_ * sizeof(Row));
    MERIDIAN_TRY_DO(file_->write(block_of(chunks_), chunk_, offset_of(chunks_)));
    stack.below = static_cast<std::int64_t>(chunks_++);
    stack.rows.clear();
    return {};
  }
  Status load(Stack& stack) {
    const auto chunk = static_cast<std::size_t>(stack.below);
    MERIDIAN_TRY_DO(file_->read(block_of(chunk), offset_of(chunk), chunk_));
    stack.rows.resize(chunk_rows_);
    std::memcpy(&stack.below, chunk_.data(), sizeof stack.below);
    std::memcpy(stack.rows.data(), chunk_.data() + sizeof stack.below, chunk_rows_ * sizeof(Row));
    return {};
  }
  std::uint64_t block_of(std::size_t chunk) const { return blocks_[chunk / chunks_of_block_]; }
  std::size_t offset_of(std::size_t chunk) const { return chunk % chunks_of_block_ * chunk_.size(); }

  std::filesystem::path directory_;
  std::vector<Stack> stacks_;
  std::size_t chunk_rows_;
  std::vector<std::byte> chunk_;  // as it is in the file
  std::size_t chunks_of_block_;
  std::size_t chunks_ = 0;
  std::shared_ptr<TempFile> file_;
  std::vector<std::uint64_t> blocks_;
};

}  // namespace meridian
