// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace meridian {

/// Expands a directory's name: %h host, %r rank (of the launcher; 0 without one), %j job (the process without one), %p process,
/// %{NAME} a variable of the environment, %% a percent sign. A variable that is not set is reported and becomes "unset"; other signs
/// after % remain as they are. Too long a text is cut off at `room`.
void expand_pattern(std::string_view pattern, char* path, std::size_t room) noexcept;

}  // namespace meridian
