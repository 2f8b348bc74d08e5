// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "trace/model/result.hpp"

namespace meridian {

/// Stacks of which only the tops are in memory; the rest is in a temporary file without a name. First all pushes, then all
/// pops: the room in the file is not used again.
template <class Row>
class SpilledStacks {
  static_assert(std::is_trivially_copyable_v<Row>);

 public:
  /// chunk_rows  per stack in memory
  explicit SpilledStacks(std::size_t stacks, std::size_t chunk_rows = 256) : stacks_(stacks), chunk_rows_{chunk_rows} {}

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
    std::int64_t below = kNothing;  // offset of the chunk under these rows
  };
  struct Close {
    void operator()(std::FILE* file) const noexcept { (void)std::fclose(file); }
  };

  static Error failure(const char* what) {
    return Error{Errc::io, std::string{what} + " a temporary file: " + std::strerror(errno),
                 "the directory for temporary files needs room"};
  }
  /// A chunk in the file: the offset of the one below, and its rows.
  Status spill(Stack& stack) {
    if (!file_) file_.reset(std::tmpfile());
    if (!file_) return failure("cannot make");
    if (fseeko(file_.get(), end_, SEEK_SET) != 0 ||
        std::fwrite(&stack.below, sizeof stack.below, 1, file_.get()) != 1 ||
        std::fwrite(stack.rows.data(), sizeof(Row), chunk_rows_, file_.get()) != chunk_rows_)
      return failure("cannot write");
    stack.below = end_;
    end_ += static_cast<std::int64_t>(sizeof stack.below + chunk_rows_ * sizeof(Row));
    stack.rows.clear();
    return {};
  }
  Status load(Stack& stack) {
    stack.rows.resize(chunk_rows_);
    if (fseeko(file_.get(), stack.below, SEEK_SET) != 0 ||
        std::fread(&stack.below, sizeof stack.below, 1, file_.get()) != 1 ||
        std::fread(stack.rows.data(), sizeof(Row), chunk_rows_, file_.get()) != chunk_rows_)
      return failure("cannot read");
    return {};
  }

  std::vector<Stack> stacks_;
  std::size_t chunk_rows_;
  std::unique_ptr<std::FILE, Close> file_;
  std::int64_t end_ = 0;
};

}  // namespace meridian
