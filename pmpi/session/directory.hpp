// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace meridian {

/// The agreement of all ranks, including those that cannot record.
struct Agreement {
  bool has_directory = false;  ///< there is a directory
  bool is_recording = false;   ///< this rank records
  bool is_refused = false;     ///< a rank with MERIDIAN_STRICT set has no directory for its trace
};

/// Agrees on the output directory with all ranks (collective over `all_ranks`) and creates it; sets ring->output_dir if
/// this rank records.
Agreement agree_on_directory(MPI_Comm all_ranks, int rank) noexcept;

}  // namespace meridian
