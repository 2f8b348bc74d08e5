// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pmpi/clocks/traced_peers.hpp"

namespace meridian {

/// The agreement of all peers, including those that do not record.
struct Agreement {
  bool has_directory = false;  ///< there is a directory
  bool is_recording = false;   ///< this rank records
  bool is_first = false;       ///< it is the first one that does
  bool is_refused = false;     ///< a rank with MERIDIAN_STRICT set has no directory for its trace
};

/// Agrees on the output directory with all peers (collective) and creates it; sets ring->output_dir if this rank records.
Agreement agree_on_directory(const TracedPeers& peers) noexcept;

}  // namespace meridian
