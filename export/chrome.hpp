// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "export/sink.hpp"
#include "export/source.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Writes the trace event format of Chrome (JSON): complete events for calls and regions, instants for other user
/// events, flows for messages. Processes are ranks. Times are microseconds with three decimals.
Status export_chrome(ExportSource& source, ExportSink& sink);

}  // namespace meridian
