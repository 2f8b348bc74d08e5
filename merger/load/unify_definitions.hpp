// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "merger/model/communicators.hpp"
#include "merger/model/findings.hpp"
#include "merger/model/worlds.hpp"
#include "trace/format/rank_file.hpp"

namespace meridian {

/// Determines which of the ranks' communicators are the same one, without any communication: members of a communicator
/// make it from the same parent with the same groups, and make several such in the same order. So its identity is
/// (parent, hashes of the groups, how many of that kind the rank had made before, by enter). An intercommunicator that
/// was made from two intracommunicators has no common parent: its two groups are its identity. Between worlds, where
/// world ranks mean others on either side, groups are compared by ranks in the parent, and intercommunicators without a
/// common parent are put together by find_links().
///
/// metas      [ranks], those of the files present, ordered by rank.
/// worlds     in order of their ranks; who started whom is filled in.
/// findings   comm.members where a member is not known, rank.damaged where a birth makes no sense, world.unpaired.
Communicators unify_definitions(std::span<const RankMeta* const> metas, std::span<World> worlds, Findings& findings);
/// Of one world.
Communicators unify_definitions(std::span<const RankMeta* const> metas, std::int32_t world_size, Findings& findings);

}  // namespace meridian
