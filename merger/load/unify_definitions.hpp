// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "merger/model/findings.hpp"
#include "trace/definitions/communicators.hpp"
#include "trace/definitions/worlds.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// Determines which communicators of different ranks are the same one, without communication. The members of a
/// communicator create it from the same parent with the same groups, and create several such communicators in the same
/// order. Its identity is therefore (parent, hashes of the groups, number of communicators of that kind that the rank
/// had created before, by enter). Threads may create several at once with different tags or strings, which then belong to
/// the identity. An intercommunicator made from two intracommunicators has no common parent: its identity is the pair of
/// calls of its leaders (find_links()) or, if a leader is not in the trace, its two groups. Between worlds, where a world rank means a different process on each side, groups are
/// compared by ranks in the parent. find_links() pairs intercommunicators without a common parent.
///
/// metas      [ranks], those of the files present, ordered by rank.
/// worlds     ordered by rank; `parent` is filled in.
/// findings   comm.members (a member is not known), rank.damaged (a birth is impossible), world.unpaired.
Communicators unify_definitions(std::span<const RankMeta* const> metas, std::span<World> worlds, Findings& findings);
/// The same for a trace with one world.
Communicators unify_definitions(std::span<const RankMeta* const> metas, std::int32_t world_size, Findings& findings);

}  // namespace meridian
