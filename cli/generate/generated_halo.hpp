// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "trace/model/result.hpp"

namespace meridian {

/// The size of a trace that no program made.
struct GeneratedSize {
  std::int32_t ranks = 4;
  std::int32_t hosts = 1;      ///< with a clock each; at most as many as ranks
  std::uint64_t calls = 1000;  ///< of each rank, at least
  std::uint64_t seed = 1;
};

/// Called with the calls written so far, of all ranks.
using GeneratedProgress = std::function<void(std::uint64_t calls)>;

/// Writes the rank files of a halo exchange into `directory`: in each step 4 MPI_Irecv, 4 MPI_Isend and MPI_Waitall with the
/// neighbours on a ring of ranks, in every tenth an MPI_Allreduce. Times are those of a network, with noise. Ranks that follow one another share a host, the
/// clocks of hosts differ by an offset and a rate, and hosts exchange ping-pongs at the start and at the end. Equal arguments
/// give equal files. Memory does not depend on the size.
///
/// Returns the calls written. errors: io
Result<std::uint64_t> generate_halo(const std::filesystem::path& directory, const GeneratedSize& size,
                                    const GeneratedProgress& progress = {});

}  // namespace meridian
