// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace meridian {

/// The first byte of a message from process 0: who is to answer it.
enum class Work : std::uint8_t {
  end,       ///< nobody: there is no more work
  ranks,     ///< a ReaderProcess
  analyses,  ///< answer_analyses()
};

}  // namespace meridian
