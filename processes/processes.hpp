// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/model/result.hpp"

namespace meridian {

using Message = std::vector<std::uint8_t>;

/// The processes that share one piece of work, and messages between them. All run the same build. One thread of each
/// process uses it.
class Processes {
 public:
  Processes() = default;
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
  virtual ~Processes() = default;

  /// The number of this process. Process 0 gives work to the others.
  virtual int rank() const noexcept = 0;
  virtual int count() const noexcept = 0;

  /// Messages between two processes arrive in order. Returns without waiting for the receiver.
  /// errors  io: the other process is gone
  virtual Status send(int to, Message message) = 0;
  /// Waits for the next message of that process, without using a processor meanwhile.
  /// errors  io: the other process is gone
  virtual Result<Message> receive(int from) = 0;
};

}  // namespace meridian
