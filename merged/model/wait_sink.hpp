// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "merged/model/event_waits.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Receives the waits of a trace, in any order.
class WaitSink {
 public:
  WaitSink() = default;
  WaitSink(const WaitSink&) = delete;
  WaitSink& operator=(const WaitSink&) = delete;
  virtual ~WaitSink() = default;
  virtual Status append(const EventWait& wait) = 0;
  /// After the last wait: stores them. Readers of the file then have them.
  virtual Status store() = 0;
};

}  // namespace meridian
