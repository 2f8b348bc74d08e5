// SPDX-License-Identifier: Apache-2.0
#pragma once

// Samples of what a program computed, and intervals in which its threads had no processor.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "export/source.hpp"
#include "merged/model/processor.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// A sample of what a thread computed.
struct SampleItem {
  std::uint32_t location = 0;
  std::int32_t rank = 0;
  std::int64_t time_ns = 0;
  const std::vector<std::string>* frames = nullptr;  ///< functions of the program, outermost first; empty: unknown
  const std::string* place = nullptr;                ///< "solve (solver.c:40)"; empty: unknown
};

/// "main > solve > assemble"
std::string path_text(const std::vector<std::string>& frames);

/// Calls take(item) for each sample of the selected ranks and times, by rank in order of time. If functions or regions
/// are selected, all samples are left out, because a sample is of no call. errors: damaged; io; those of take.
Status walk_samples(ExportSource& source, const std::function<Status(const SampleItem&)>& take);
/// The same for intervals without a processor, by rank in order of their end.
Status walk_intervals(ExportSource& source, const std::function<Status(const MergedInterval&)>& take);
/// Counts both, for a format that shows neither. errors: damaged; io.
Status leave_out_program(ExportSource& source);

}  // namespace meridian
