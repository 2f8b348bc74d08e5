#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "merger/findings.hpp"
#include "merger/load/communicators.hpp"
#include "trace/format/rank_file.hpp"

namespace meridian {

struct Communicators {
  /// 0 is MPI_COMM_WORLD, 1 + r is MPI_COMM_SELF of world rank r, then the program's own in the order in which the
  /// lowest rank that knows them made them.
  std::vector<Communicator> list;
  std::vector<Group> groups;            ///< unknown members are kUnknownMember
  std::vector<CommResolver> resolvers;  ///< [ranks given]; they point into `groups`
};

/// Finds out which of the ranks' communicators are the same one, without any communication: members of a communicator
/// make it from the same parent with the same groups, and make several such in the same order. So its identity is
/// (parent, hashes of the groups, how many of that kind the rank had made before, by enter). An intercommunicator that
/// was made from two intracommunicators has no common parent: its two groups are its identity.
///
/// metas      [ranks], those of the files present, ordered by rank.
/// findings   comm.members where a member is not known, rank.damaged where a birth makes no sense.
Communicators unify_definitions(std::span<const RankMeta* const> metas, std::int32_t world_size, Findings& findings);

}  // namespace meridian
