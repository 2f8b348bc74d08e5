// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <otf2/otf2.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "trace/model/call_id.hpp"

namespace meridian::imported {

/// The regions that are open in a location, the innermost last. Open has members `region`, and `call`: CallId::none for what is
/// no MPI function.
template <class Open>
class OpenRegions {
 public:
  void enter(Open open) { open_.push_back(std::move(open)); }

  /// The innermost MPI call; null: none is open.
  Open* call() noexcept {
    for (std::size_t i = open_.size(); i > 0; --i)
      if (open_[i - 1].call != CallId::none) return &open_[i - 1];
    return nullptr;
  }
  /// The innermost region, also one that is a call; null: none is open.
  const OTF2_RegionRef* innermost() const noexcept { return open_.empty() ? nullptr : &open_.back().region; }
  /// Number of open MPI calls.
  std::size_t calls() const noexcept {
    std::size_t calls = 0;
    for (const Open& open : open_) calls += open.call != CallId::none;
    return calls;
  }

  /// Calls close(open, is_left) for the region and those that are still open in it, the innermost first; only the region
  /// itself is left. Returns false, without any call, if the region is not open.
  template <class Close>
  bool leave(OTF2_RegionRef region, Close&& close) {
    std::size_t at = open_.size();
    while (at > 0 && open_[at - 1].region != region) --at;
    if (at == 0) return false;
    while (open_.size() >= at) {
      Open open = std::move(open_.back());
      open_.pop_back();
      close(open, open_.size() + 1 == at);
    }
    return true;
  }
  /// Closes all with close(open), the innermost first.
  template <class Close>
  void end(Close&& close) {
    while (!open_.empty()) {
      Open open = std::move(open_.back());
      open_.pop_back();
      close(open);
    }
  }

 private:
  std::vector<Open> open_;
};

}  // namespace meridian::imported
