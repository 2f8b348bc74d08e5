// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "merger/model/sinks.hpp"
#include "merger/model/trace.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// Fills in the run's environment from the rank files: context, usage, environment variables.
void summarize_context(const Trace& trace, Summary& summary);

}  // namespace meridian
