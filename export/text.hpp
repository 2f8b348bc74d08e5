// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "export/sink.hpp"
#include "export/source.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Writes the lines that ExportSource::rules make of the events. errors  invalid_argument: no rules, or wrong ones.
Status export_text(ExportSource& source, ExportSink& sink);

}  // namespace meridian
