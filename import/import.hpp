// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "export/left_out.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Receives the progress of an import, 0 to 1, and the name of the part that is being read.
using ImportProgress = std::function<void(double fraction, std::string_view what)>;

/// The rank files that an import has written.
struct Imported {
  std::string creator;  ///< the program that wrote the archive
  std::int32_t ranks = 0;
  std::uint64_t calls = 0;               ///< events of the rank files: MPI calls, and begins and ends of regions
  std::uint64_t one_sided_messages = 0;  ///< whose other side the tool did not record: they are calls only
  LeftOut left_out;
};

/// Writes a rank file for each MPI process of an OTF2 archive into an empty directory. Memory does not depend on the number
/// of events.
///
/// archive  the anchor file: "traces.otf2"
/// errors   not_found; damaged: the library cannot read it, or it contradicts itself; io; unsupported: this build has no
///          OTF2
Result<Imported> import_otf2(const std::filesystem::path& archive, const std::filesystem::path& directory,
                             const ImportProgress& progress = {});

}  // namespace meridian
