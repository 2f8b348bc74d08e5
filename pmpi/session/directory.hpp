// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace meridian {

/// What all ranks have agreed on, including those that cannot record.
struct Agreement {
  bool has_directory = false;  ///< there is a directory at all
  bool is_recording = false;   ///< this rank does
  bool is_refused = false;     ///< a rank with MERIDIAN_STRICT set has no place for its trace
};

/// Agrees on the output directory with all ranks (collective over `all_ranks`) and creates it; sets
/// ring->output_dir where this rank records.
Agreement agree_on_directory(MPI_Comm all_ranks, int rank) noexcept;

}  // namespace meridian
