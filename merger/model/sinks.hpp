// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "merger/model/event_ref.hpp"
#include "merger/model/event_row.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Sinks take rows in bulk.
using RowSink = std::function<Status(std::span<const EventRow>)>;
using MessageSink = std::function<Status(std::span<const MatchedMessage>)>;
using PartSink = std::function<Status(std::span<const CollectivePart>)>;
using AwaitedSink = std::function<Status(std::span<const AwaitedCall>)>;
struct MatchSinks {
  RowSink rows;
  MessageSink messages;
  PartSink parts;
  AwaitedSink awaited;
};
/// Called periodically with the number of calls read so far.
using CallCounter = std::function<void(std::uint64_t)>;

}  // namespace meridian
