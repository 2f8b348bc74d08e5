// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "export/sink.hpp"
#include "export/source.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// A line for each path of functions that samples were in: "rank 0;main;solve;assemble 12", for programs that draw flame graphs.
/// https://github.com/brendangregg/FlameGraph
Status export_folded(ExportSource& source, ExportSink& sink);

}  // namespace meridian
