// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trace/definitions/communicators.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// One side of a communicator between worlds, or made through leaders, if the trace contains the other side, too.
struct LinkEnd {
  static constexpr std::uint32_t kNone = 0xffffffff;
  std::uint32_t link = kNone;  ///< the same number on both sides
  std::uint8_t side = 0;       ///< 0: the group that comes first in the merged file
  friend bool operator==(const LinkEnd&, const LinkEnd&) = default;
};
using LinkEnds = std::vector<std::vector<LinkEnd>>;  ///< [ranks][LocalComm::number]

/// [ranks][LocalComm::number]: members on the same side of a communicator have the same number, whether or not the
/// other side is known.
using Halves = std::vector<std::vector<std::uint32_t>>;

struct WorldLinks {
  std::size_t count = 0;
  LinkEnds ends;
  std::vector<std::int64_t> parents;  ///< [worlds]: the world that started this one; -1: none is known
  std::vector<std::string> unpaired;  ///< one description for each communicator whose other side is not known
};

/// The valid communicators of a rank, in the order in which it began to create them. The indexes are LocalComm::number.
std::vector<const CommRow*> comms_in_order(const RankMeta& meta);

/// Finds the two sides of the communicators that MPI_Comm_spawn, _accept, _connect and _join made between worlds, and
/// MPI_Intercomm_create anywhere. Both sides recorded a text (kCommLinkKey) with common parts: the token that children were given, the
/// ends of a socket, or the leaders and the tag, with their order. For ports, a call that connects belongs to one that
/// accepts and whose groups fit; if several were under way at that time, all remain unpaired.
///
/// resolvers  without these links, or with some of them. Leaders are identified by a communicator which may itself
///            have to be linked first, so the caller repeats the search until no more links are found.
WorldLinks find_links(std::span<const RankMeta* const> metas, std::span<CommResolver> resolvers, const Halves& halves,
                      std::size_t worlds);

}  // namespace meridian
