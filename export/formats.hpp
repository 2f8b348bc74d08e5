// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "export/sink.hpp"
#include "export/source.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Writes a trace to a sink. The caller calls finish().
using ExportFunction = Status (*)(ExportSource& source, ExportSink& sink);

/// A format that `meridian export` knows. To add one: its file, its declaration, and its row in formats.cpp.
struct ExportFormat {
  std::string_view name;
  std::string_view text;   ///< for help
  std::string_view files;  ///< names of the files that it writes, separated by blanks
  ExportFunction write;
  bool shows_program = false;  ///< samples, and intervals without a processor
  bool needs_rules = false;    ///< ExportSource::rules
};

std::span<const ExportFormat> export_formats();

}  // namespace meridian
