// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "merged/merged_trace.hpp"
#include "merged/model/wait_sink.hpp"
#include "summary/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Runs all analyses: each fills in its own tables of the summary and leaves the rest of it unchanged. Memory does not
/// grow with the trace. The error of an analysis names it.
///
/// waits     stores the waits of calls in the file, where MergedTrace::waits() reads them; null: the file has them
/// progress  may be empty; gets the part of the work that is done, 0 to 1
Status run_analyses(const MergedTrace& trace, Summary& summary, WaitSink* waits = nullptr,
                    const std::function<void(double)>& progress = {});

}  // namespace meridian
