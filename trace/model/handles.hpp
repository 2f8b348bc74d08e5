// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace meridian {

/// Sole owner of a C handle. Close(raw) is negative on failure.
template <auto Close, auto Null>
class Unique {
 public:
  using Raw = decltype(Null);
  explicit Unique(Raw raw = Null) noexcept : raw_{raw} {}
  Unique(Unique&& other) noexcept : raw_{std::exchange(other.raw_, Null)} {}
  Unique& operator=(Unique&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  Unique(const Unique&) = delete;
  Unique& operator=(const Unique&) = delete;
  ~Unique() { (void)close(); }
  explicit operator bool() const noexcept { return raw_ != Null; }
  Raw get() const noexcept { return raw_; }
  /// Closes now and returns whether the library succeeded; a second call does nothing.
  [[nodiscard]] bool close() noexcept {
    const Raw raw = std::exchange(raw_, Null);
    return raw == Null || Close(raw) >= 0;
  }

 private:
  Raw raw_;
};

}  // namespace meridian
