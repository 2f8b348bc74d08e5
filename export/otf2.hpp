// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "export/sink.hpp"
#include "export/source.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Writes an OTF2 archive: calls and regions, messages, collectives, call sites. docs/EXPORT.md has the details.
/// errors  also unsupported: built without libotf2, or the sink is not a directory.
Status export_otf2(ExportSource& source, ExportSink& sink);

}  // namespace meridian
