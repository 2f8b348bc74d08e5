// SPDX-License-Identifier: Apache-2.0
// The parser, and a way to begin again: a process of the tracer reads one file in its life.

#include "pmpi/user/event_file.cpp"

namespace meridian::fuzz {

void forget_user_file() {
  g_levels = nullptr;
  g_events = nullptr;
}

}  // namespace meridian::fuzz
