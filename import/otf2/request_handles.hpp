// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "trace/model/ids.hpp"

namespace meridian::imported {

/// Handles for the requests of a location. An archive may number its requests up to the last; rank files list every handle, so
/// these are used again. Threads of a rank have different ones.
class RequestHandles {
 public:
  explicit RequestHandles(ThreadId thread) : base_{std::uint64_t{thread.value} << 32U} {}

  /// The handle of a persistent request, by its number.
  std::uint64_t of_send(std::uint32_t number) const { return base_ + kFirstSend + number; }
  std::uint64_t of_receive(std::uint32_t number) const { return base_ + kFirstReceive + number; }

  /// Begins a request of the archive.
  std::uint64_t begin(std::uint64_t request) {
    end(request);
    std::uint64_t handle = base_ + kFirst + used_;
    if (free_.empty()) {
      ++used_;
    } else {
      handle = free_.back();
      free_.pop_back();
    }
    active_[request] = handle;
    return handle;
  }
  /// Begins a request that is a start of a persistent one.
  void begin_persistent(std::uint64_t request, std::uint64_t handle) {
    end(request);
    active_[request] = handle;
  }
  /// Ends the request and returns its handle; nothing: it has not begun.
  std::optional<std::uint64_t> end(std::uint64_t request) {
    const auto known = active_.find(request);
    if (known == active_.end()) return std::nullopt;
    const std::uint64_t handle = known->second;
    active_.erase(known);
    if (handle - base_ < kFirstSend) free_.push_back(handle);
    return handle;
  }

 private:
  static constexpr std::uint64_t kFirst = 0x10000000, kFirstSend = 0x50000000, kFirstReceive = 0x90000000;

  std::uint64_t base_;
  std::unordered_map<std::uint64_t, std::uint64_t> active_;  // by request
  std::vector<std::uint64_t> free_;
  std::uint64_t used_ = 0;
};

}  // namespace meridian::imported
