// SPDX-License-Identifier: Apache-2.0
#include "pmpi/session/peers.hpp"

#include <stdio.h>

#include "pmpi/libraries/flavor.hpp"
#include "pmpi/libraries/real.hpp"
#include "pmpi/process/traced_ranks.hpp"
#include "pmpi/rings/emit.hpp"

namespace meridian {
namespace {

/// MPI_Comm_create_group() involves no ranks but those of the group.
MPI_Comm connect_listed(MPI_Comm all, int world_rank) noexcept {
  int count = 0;
  const std::int32_t* const ranks = listed_ranks(count);
  if (count == 1 && ranks[0] == world_rank) return g_mpi.self;
  constexpr int kTag = 0x6d65;  // of this call only: it has no meaning for messages
  MPI_Group everyone{}, listed{};
  MPI_Comm made = g_mpi.comm_null;
  g_real.Comm_group(all, &everyone);
  g_real.Group_incl(everyone, count, ranks, &listed);
  if (g_real.Comm_create_group(all, listed, kTag, &made) != MPI_SUCCESS) made = g_mpi.comm_null;
  g_real.Group_free(&listed);
  g_real.Group_free(&everyone);
  return made;
}

}  // namespace

TracedPeers find_peers(MPI_Comm all) noexcept {
  TracedPeers peers{.comm = all};
  g_real.Comm_rank(all, &peers.world_rank);
  g_real.Comm_size(all, &peers.world_size);
  if (take_census(peers.world_size)) peers.comm = connect_listed(all, peers.world_rank);
  if (peers.comm == g_mpi.comm_null) return peers;
  g_real.Comm_rank(peers.comm, &peers.rank);
  g_real.Comm_size(peers.comm, &peers.size);
  return peers;
}

void store_traced_ranks() noexcept {
  int count = 0;
  const std::int32_t* const ranks = listed_ranks(count);
  char text[8192];
  std::size_t length = 0;
  for (int i = 0; i < count;) {
    int last = i;
    while (last + 1 < count && ranks[last + 1] == ranks[last] + 1) ++last;
    const std::size_t room = sizeof text - length;
    const char* const comma = i == 0 ? "" : ",";
    const int added = last == i ? snprintf(text + length, room, "%s%d", comma, ranks[i])
                                : snprintf(text + length, room, "%s%d-%d", comma, ranks[i], ranks[last]);
    if (added < 0 || static_cast<std::size_t>(added) >= room) return;  // an incomplete list would be false
    length += static_cast<std::size_t>(added);
    i = last + 1;
  }
  if (length != 0) emit_text(kTracedRanksKey, text, length, 0);
}

}  // namespace meridian
