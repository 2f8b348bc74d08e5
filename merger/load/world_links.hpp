// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "merger/model/communicators.hpp"
#include "trace/format/rank_file.hpp"

namespace meridian {

/// One side of a communicator between worlds whose other side is in the trace, too.
struct LinkEnd {
  static constexpr std::uint32_t kNone = 0xffffffff;
  std::uint32_t link = kNone;  ///< the same number on both sides
  std::uint8_t side = 0;       ///< 0: the group that comes first in the merged file
  friend bool operator==(const LinkEnd&, const LinkEnd&) = default;
};
using LinkEnds = std::vector<std::vector<LinkEnd>>;  ///< [ranks][LocalComm::number]

/// [ranks][LocalComm::number]: those on one side of a communicator have the same number, whatever is known of the
/// other.
using Halves = std::vector<std::vector<std::uint32_t>>;

struct WorldLinks {
  std::size_t count = 0;
  LinkEnds ends;
  std::vector<std::int64_t> parents;  ///< [worlds] that started the world; -1: none that is known
  std::vector<std::string> unpaired;  ///< a description of each communicator whose other side is not known
};

/// The communicators of a rank that make sense, in the order in which it began to make them. Their places are
/// LocalComm::number.
std::vector<const CommRow*> comms_in_order(const RankMeta& meta);

/// Finds the two sides of the communicators that MPI_Comm_spawn, _accept, _connect, _join and MPI_Intercomm_create have
/// made between worlds, by what both sides recorded of them (kCommLinkKey), in which they are alike: the token that
/// children were given, the ends of a socket, the leaders and the tag with their order. Of a port, a call that connects
/// belongs to one that accepts and whose groups fit; where several were under way at that time, they stay unpaired.
///
/// resolvers  as they are without these links, or with some: leaders are known by a communicator which may itself be
///            one that has to be put together first. To be repeated until nothing more is found.
WorldLinks find_links(std::span<const RankMeta* const> metas, std::span<CommResolver> resolvers, const Halves& halves,
                      std::size_t worlds);

}  // namespace meridian
