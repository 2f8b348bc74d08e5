// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "export/sink.hpp"
#include "export/source.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Writes a trace of Paraver with its configuration and labels: calls as events of the types that Extrae uses,
/// communications, communicators. Times are ns.
Status export_paraver(ExportSource& source, ExportSink& sink);

}  // namespace meridian
