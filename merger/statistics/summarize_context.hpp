// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "merger/model/sinks.hpp"
#include "merger/model/trace.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// Fills in what the rank files say of the programs' surroundings: context, usage, environment.
void summarize_context(const Trace& trace, Summary& summary);

}  // namespace meridian
