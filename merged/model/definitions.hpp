// SPDX-License-Identifier: Apache-2.0
#pragma once

// The small tables of a merged file: the meaning of the numbers in its rows.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meridian {

struct MergedCall {
  std::string name;   ///< "MPI_Send"; empty: a number that is not used
  std::string group;  ///< "p2p"; empty if unknown
};

/// What a user event is.
struct MergedUserEvent {
  std::uint32_t call = 0;  ///< row of /calls: its events have this number
  std::string kind;        ///< "region", "marker", "event", "counter", "send", "receive"
  std::string level, name;
  std::string fields;  ///< of its values: trace/model/user_fields.hpp. Empty: it has none
};

struct MergedCommunicator {
  std::string name;  ///< may be empty
  std::string kind;  ///< "world", "self", "intra", "inter", "user"
  std::uint32_t parent = 0xffffffff;
  std::uint32_t group = 0xffffffff;
  std::uint32_t remote_group = 0xffffffff;
};

struct MergedRank {
  std::int32_t rank = 0;
  std::uint32_t world = 1;
  std::int32_t rank_in_world = 0;
  std::string host, executable;
  std::int32_t pid = 0;
  bool is_finalized = false;
  std::uint32_t clock_domain = 0;
};

/// A thread of a rank. Its number is MergedEvent::location.
struct MergedLocation {
  std::int32_t rank = 0;
  std::uint32_t thread = 0;
  std::int32_t kernel_tid = 0;
  std::uint64_t events = 0;
};

struct MergedSite {
  std::uint32_t module = 0;
  std::uint64_t offset = 0;
  std::string function, outer, file;
  std::uint32_t line = 0, column = 0;
};

struct MergedPath {
  std::uint32_t parent = 0;
  std::uint32_t site = 0;
};

struct MergedModule {
  std::string path, identity;
};

struct MergedDefinitions {
  std::int64_t time_origin_realtime_ns = 0;  ///< UTC of global time 0
  std::vector<MergedCall> calls;
  std::vector<MergedCommunicator> communicators;
  std::vector<std::vector<std::int32_t>> groups;  ///< world ranks by group rank; -1: of another world, -2: unknown
  std::vector<MergedRank> ranks;
  std::vector<MergedLocation> locations;
  std::vector<MergedModule> modules;  ///< row 0 is none; empty without call sites
  std::vector<MergedSite> sites;      ///< row 0 is none; empty without call sites
  std::vector<MergedPath> paths;      ///< empty without call stacks
  std::vector<MergedUserEvent> user;  ///< by call

  /// nullptr: the rank is not in the file.
  const MergedRank* find_rank(std::int32_t rank) const {
    const auto found = std::ranges::find(ranks, rank, &MergedRank::rank);
    return found == ranks.end() ? nullptr : &*found;
  }
  /// The clock that a world rank reads; nullopt for a rank that is not in the file.
  std::optional<std::uint32_t> clock_domain(std::int32_t rank) const {
    const MergedRank* const found = find_rank(rank);
    return found == nullptr ? std::nullopt : std::optional{found->clock_domain};
  }
  /// nullptr: not the call of a user event.
  const MergedUserEvent* find_user(std::uint32_t call) const {
    const auto found = std::ranges::lower_bound(user, call, {}, &MergedUserEvent::call);
    return found == user.end() || found->call != call ? nullptr : &*found;
  }
  /// Empty for a number that the file does not define.
  std::string_view call_name(std::uint32_t call) const noexcept {
    return call < calls.size() ? std::string_view{calls[call].name} : std::string_view{};
  }
};

}  // namespace meridian
