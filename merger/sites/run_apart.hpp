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
  bool is_complete = false;  ///< false: it crashed, or exceeded a limit and was ended
};

/// Runs `work` in a forked process, so that a crash or an endless loop in it does no harm. `work` writes the output to
/// the descriptor that it is given. It must not touch open files; any other change that it makes is lost.
Apart run_apart(const std::function<void(int)>& work, std::chrono::seconds most, std::size_t most_bytes);

}  // namespace meridian
