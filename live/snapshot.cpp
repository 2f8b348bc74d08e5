// SPDX-License-Identifier: Apache-2.0
#include "live/snapshot.hpp"

#include <fmt/format.h>

#include "trace/model/private_files.hpp"
#include "trace/records/finish/snapshot_rank.hpp"

namespace meridian {

namespace fs = std::filesystem;

Result<Snapshot> take_snapshot(const FoundRings& found, const fs::path& output) {
  keep_files_private();
  std::error_code problem;
  fs::create_directories(output, problem);
  if (problem)
    return Error{Errc::io, fmt::format("cannot create the directory '{}': {}", output.string(), problem.message()),
                 "choose another one with -o"};
  Snapshot snapshot;
  for (const FoundRing& each : found.rings) {
    MERIDIAN_TRY(RingFile ring, open_ring(each, RingFile::Access::drain));
    const fs::path world = each.world == "." ? output : output / each.world;
    fs::create_directories(world, problem);
    const auto done = snapshot_rank(ring, world, kSnapshotPatience);
    if (!done && done.error().code == Errc::not_found) continue;
    if (!done) return done.error();
    ++snapshot.ranks;
    snapshot.events += done->events;
  }
  if (snapshot.ranks == 0) fs::remove(output, problem);  // it is empty
  return snapshot;
}

}  // namespace meridian
