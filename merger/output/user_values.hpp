// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "merger/model/event_ref.hpp"
#include "merger/model/trace.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Calls take(event, words) for each user event with values, thread by thread: those of events and counters. What messages of the
/// program's own layers hold is in their rows of /events. errors: those of take; unreadable segments are left out.
Status for_each_user_value(const Trace& trace,
                           const std::function<Status(const EventRef&, std::span<const std::uint64_t>)>& take);

}  // namespace meridian
