// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "export/sink.hpp"
#include "export/source.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Writes a trace of Paje: a container for each rank and thread, states that are pushed and popped, links for messages.
/// Times are seconds with nine decimals.
Status export_paje(ExportSource& source, ExportSink& sink);

}  // namespace meridian
