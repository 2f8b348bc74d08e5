// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "trace/model/event.hpp"

namespace meridian {

struct LockKindName {
  std::string_view name = "lock";  ///< in tables; a read-write lock has one for readers and writers
  std::string_view text = "lock";  ///< in sentences
};

/// The names of a kind of locks, also of a kind unknown to this build.
constexpr LockKindName names_of(LockKind kind) {
  constexpr std::array<LockKindName, 13> kNames{{{},
                                                 {"mutex", "mutex"},
                                                 {"condition", "condition"},
                                                 {"rwlock", "read-write lock"},
                                                 {"rwlock", "read-write lock"},
                                                 {"barrier", "barrier"},
                                                 {"spin", "spin lock"},
                                                 {"once", "routine that runs once"},
                                                 {"semaphore", "semaphore"},
                                                 {},
                                                 {},
                                                 {"team", "team of OpenMP threads"},
                                                 {"omp", "OpenMP lock"}}};
  static_assert(static_cast<std::size_t>(LockKind::count_) == kNames.size());
  const auto index = static_cast<std::size_t>(kind);
  return index < kNames.size() ? kNames[index] : LockKindName{};
}

}  // namespace meridian
