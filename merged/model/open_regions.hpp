// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace meridian {

struct NoData {};

/// The user regions that are open in one thread, outermost first. A region ends with its own end, or with that of a region
/// around it: a program may leave several at once, by an exception or longjmp. An end without a beginning is ignored, and so
/// is the end of a region that has ended with another one.
///
/// Data  what the user of the class knows about each open region
template <class Data = NoData>
class OpenRegions {
 public:
  struct Region {
    std::uint32_t call = 0;  ///< number of the region
    [[no_unique_address]] Data data{};
  };

  void begin(std::uint32_t call, Data data = {}) { open_.push_back({call, std::move(data)}); }

  /// Ends the innermost region of this call and those inside it, innermost first: close(region) for each of them, after it
  /// was removed. False: none is open.
  template <class Close>
  bool end(std::uint32_t call, Close&& close) {
    const auto found = std::ranges::find(open_.rbegin(), open_.rend(), call, &Region::call);
    if (found == open_.rend()) return false;
    end_to(static_cast<std::size_t>(open_.rend() - found) - 1, close);
    return true;
  }
  bool end(std::uint32_t call) {
    return end(call, [](const Region&) {});
  }
  template <class Close>
  void end_all(Close&& close) {
    end_to(0, close);
  }

  bool has(std::uint32_t call) const { return std::ranges::find(open_, call, &Region::call) != open_.end(); }
  /// From the outermost to the innermost.
  const std::vector<Region>& all() const noexcept { return open_; }
  std::size_t size() const noexcept { return open_.size(); }
  bool empty() const noexcept { return open_.empty(); }
  Region& innermost() noexcept { return open_.back(); }  ///< of a list that is not empty
  const Region& innermost() const noexcept { return open_.back(); }

 private:
  template <class Close>
  void end_to(std::size_t size, Close& close) {
    while (open_.size() > size) {
      const Region region = std::move(open_.back());
      open_.pop_back();
      close(region);
    }
  }

  std::vector<Region> open_;
};

}  // namespace meridian
