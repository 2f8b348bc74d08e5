// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "export/sink.hpp"
#include "export/source.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Writes a trace of Perfetto: a track for each thread under one for its rank, slices that nest, flows for messages.
Status export_perfetto(ExportSource& source, ExportSink& sink);

}  // namespace meridian
