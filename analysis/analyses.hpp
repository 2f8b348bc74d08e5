// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "merged/merged_trace.hpp"
#include "merged/model/wait_sink.hpp"
#include "summary/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Reads a trace, fills in the analysis's own tables of the summary and adds its findings; leaves the rest of the
/// summary unchanged. Memory does not grow with the trace.
using AnalysisFunction = Status (*)(const MergedTrace& trace, Summary& summary);

struct Analysis {
  std::string_view name;
  AnalysisFunction run;
};

/// All analyses, in the order in which they run.
std::span<const Analysis> analyses();

/// Finds the waits of all calls, then runs all analyses. An error names the analysis.
///
/// waits  stores them in the file, where analyses read them with MergedTrace::waits(); null: the file has them
Status run_analyses(const MergedTrace& trace, Summary& summary, WaitSink* waits = nullptr);

}  // namespace meridian
