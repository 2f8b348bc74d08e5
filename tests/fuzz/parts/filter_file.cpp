// SPDX-License-Identifier: Apache-2.0
// The parser, and a way to begin again: a process of the tracer reads one file in its life.

#include "pmpi/choice/filter_file.cpp"

namespace meridian::fuzz {

void forget_filter_file() { g_first_rule = g_last_rule = nullptr; }

}  // namespace meridian::fuzz
