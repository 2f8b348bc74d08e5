// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace meridian {

/// An integer that cannot be mistaken for another kind of integer.
template <class Tag, class Raw>
struct Id {
  Raw value{};
  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

using ThreadId = Id<struct ThreadTag, std::uint32_t>;  ///< order in which the threads of a rank were first seen

}  // namespace meridian

template <class Tag, class Raw>
struct std::hash<meridian::Id<Tag, Raw>> {
  std::size_t operator()(meridian::Id<Tag, Raw> id) const noexcept { return std::hash<Raw>{}(id.value); }
};
