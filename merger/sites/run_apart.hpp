// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace meridian {

/// The result of a separate process.
struct Apart {
  std::string output;
  bool is_complete = false;  ///< false: it crashed, or was ended because it took too much
};

/// Runs `work` in a forked process, so that a crash or an endless loop in it does no harm. What `work` writes to
/// the descriptor that it is given is the output. It must not touch open files, and whatever else it changes is lost.
Apart run_apart(const std::function<void(int)>& work, std::chrono::seconds most, std::size_t most_bytes);

}  // namespace meridian
