// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/model/event.hpp"
#include "trace/model/lock_calls.hpp"

namespace meridian {

/// Several kinds may refer to one object.
constexpr LockKind object_kind(LockKind kind) noexcept { return kind == LockKind::read ? LockKind::write : kind; }

/// An object that threads synchronize with, in one rank: its address, until it is made again.
struct LockObject {
  LockKind kind{};  ///< object_kind()
  std::uint64_t address = 0;
  bool operator==(const LockObject&) const = default;
};
struct LockObjectHash {
  std::size_t operator()(const LockObject& object) const noexcept {
    return static_cast<std::size_t>((object.address ^ static_cast<std::uint64_t>(object.kind)) * 0x9e3779b97f4a7c15ULL);
  }
};

}  // namespace meridian
