// SPDX-License-Identifier: Apache-2.0
#pragma once

// The small tables of a merged file, by columns: FORMAT.md, "Definitions".

#include <cstdint>

#include "merged/model/definitions.hpp"
#include "trace/format/tables/table_column.hpp"

namespace meridian {

inline constexpr Columns kCallColumns{
    column<&MergedCall::name>("name"),
    column<&MergedCall::group>("group"),
};
inline constexpr Columns kUserColumns{
    column<&MergedUserEvent::call>("call", "", "row of /calls: number of the event in /events"),
    column<&MergedUserEvent::kind>("kind", "", "region, marker, event, counter, send, receive"),
    column<&MergedUserEvent::level>("level", "", "as the program named it"),
    column<&MergedUserEvent::name>("name"),
    column<&MergedUserEvent::fields>("fields", "",
                                     "of its values, in their order: 'name:type ...', types i64, u64, f64, text"),
};
inline constexpr Columns kCommunicatorColumns{
    column<&MergedCommunicator::name>("name"),
    column<&MergedCommunicator::kind>("kind"),
    column<&MergedCommunicator::parent>("parent", "", "row of this table; 4294967295: none"),
    column<&MergedCommunicator::group>("group", "", "row of /groups"),
    column<&MergedCommunicator::remote_group>(
        "remote_group", "", "row of /groups: the other side of an intercommunicator; 4294967295: none"),
};

/// A group of ranks: rows of /groups/member, a column that is longer than those of the table.
struct MergedGroup {
  std::uint64_t first = 0;
  std::uint64_t size = 0;
};
struct MergedMember {
  std::int32_t rank = 0;
};
inline constexpr Columns kGroupColumns{
    column<&MergedGroup::first>("first", "", "row of /groups/member of the group's rank 0"),
    column<&MergedGroup::size>("size", "", "members; their rows follow one another"),
};
inline constexpr Columns kMemberColumns{
    column<&MergedMember::rank>("member", "",
                                "world ranks by group rank; -1: of another MPI_COMM_WORLD, -2: not known"),
};

inline constexpr Columns kRankColumns{
    column<&MergedRank::rank>("rank", "", "in MPI_COMM_WORLD; counted on in further worlds"),
    column<&MergedRank::world>("world", "", "MPI_COMM_WORLD that the rank is of, from 1"),
    column<&MergedRank::rank_in_world>("rank_in_world", "", "in that MPI_COMM_WORLD"),
    column<&MergedRank::host>("host"),
    column<&MergedRank::executable>("executable"),
    column<&MergedRank::pid>("pid"),
    column<&MergedRank::is_finalized>("is_finalized", "", "1: MPI_Finalize was reached"),
    column<&MergedRank::clock_domain>("clock_domain", "", "clock that the rank reads; in /clock_bounds"),
};
inline constexpr Columns kLocationColumns{
    column<&MergedLocation::rank>("rank", "", "in MPI_COMM_WORLD"),
    column<&MergedLocation::thread>("thread", "", "number in its rank"),
    column<&MergedLocation::kernel_tid>("kernel_tid"),
    column<&MergedLocation::events>("events", "", "calls that it made"),
};
inline constexpr Columns kModuleColumns{
    column<&MergedModule::path>("path"),
    column<&MergedModule::identity>("identity"),
};
inline constexpr Columns kSiteColumns{
    column<&MergedSite::module>("module", "", "row of /modules; 0: not known"),
    column<&MergedSite::offset>("offset", "", "return address less the module's load bias"),
    column<&MergedSite::function>("function"),
    column<&MergedSite::outer>("outer"),
    column<&MergedSite::file>("file"),
    column<&MergedSite::line>("line", "", "0: not known"),
    column<&MergedSite::column>("column", "", "0: not known"),
};
inline constexpr Columns kPathColumns{
    column<&MergedPath::parent>(
        "parent", "",
        "row of this table, before it; 0: the program begins, 1: beyond the depth that was asked for, 2: not known"),
    column<&MergedPath::site>("site", "", "row of /sites; 0: none"),
};

}  // namespace meridian
