// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "merger/model/event_ref.hpp"

namespace meridian {

/// Removes RANK:CALL or RANK.THREAD:CALL from the front of the text; nullopt: it has none there.
std::optional<EventRef> take_call_label(std::string_view& text);

}  // namespace meridian
