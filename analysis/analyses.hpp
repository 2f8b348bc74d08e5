// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>

#include "merged/merged_trace.hpp"
#include "merged/model/wait_sink.hpp"
#include "processes/processes.hpp"
#include "summary/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Runs all analyses: each fills in its own tables of the summary and leaves the rest of it unchanged. Memory does not
/// grow with the trace. The error of an analysis names it.
///
/// waits     stores the waits of calls in the file, where MergedTrace::waits() reads them; null: the file has them
/// progress  may be empty; gets the part of the work of this process that is done, 0 to 1
/// others    answer with answer_analyses() and run a part of the analyses; the summary stays the same. Null: none
/// file      the trace, under the name by which they open it. HDF5 has flushed it, and WaitSink::store() flushes it, too
Status run_analyses(const MergedTrace& trace, Summary& summary, WaitSink* waits = nullptr,
                    const std::function<void(double)>& progress = {}, Processes* others = nullptr,
                    const std::filesystem::path& file = {});

}  // namespace meridian
