// SPDX-License-Identifier: Apache-2.0
#pragma once

// A fixture for traces of several worlds.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "merger/load/unify_definitions.hpp"
#include "synthetic_trace.hpp"

namespace meridian::test {

inline constexpr std::uint64_t kInter = 0xa0, kMerged = 0xb0, kHalf = 0xc0, kOther = 0xd0;
inline constexpr std::uint64_t kNobody = 0x9999;  // hash of processes that have no rank here

/// A communicator with processes of other worlds, as one rank records it. Groups are ranks in the parent's.
struct Across {
  std::uint64_t handle = 0;
  std::uint64_t parent = 0;
  std::int32_t size = 0;
  std::int32_t rank = 0;
  std::int32_t remote_size = 0;
  std::uint64_t local_hash = 0;
  std::uint64_t remote_hash = kNobody;
};

inline void add(SyntheticRank& rank, const Across& what, CallId id, At at) {
  CommRow row;
  row.birth.comm = what.handle;
  row.birth.parent = what.parent;
  row.birth.local_hash = what.local_hash;
  row.birth.remote_hash = what.remote_size > 0 ? what.remote_hash : 0;
  row.birth.local_size = what.size;
  row.birth.local_rank = what.rank;
  row.birth.remote_size = what.remote_size;
  row.birth.is_across = 1;
  row.call = static_cast<std::uint32_t>(id);
  row.enter_ticks = at.enter;
  row.leave_ticks = at.leave;
  rank.meta.comms.push_back(row);
}
inline void say(SyntheticRank& rank, std::uint64_t handle, const std::string& link, std::uint64_t ticks) {
  rank.meta.texts.push_back({kCommLinkKey, link, handle, ticks});
}

class Worlds : public ::testing::Test {
 protected:
  std::vector<std::vector<SyntheticRank>> ranks;  // [world][rank]
  std::vector<World> worlds;
  Findings findings;

  explicit Worlds(std::vector<std::int32_t> sizes = {2, 2}) { make(sizes); }
  void make(const std::vector<std::int32_t>& sizes) {
    ranks.clear();
    for (const std::int32_t size : sizes) {
      auto& world = ranks.emplace_back();
      for (std::int32_t rank = 0; rank < size; ++rank) world.emplace_back(rank, size);
    }
  }

  Communicators unify() {
    std::vector<const RankMeta*> metas;
    worlds.clear();
    for (const auto& world : ranks) worlds.push_back({0, static_cast<std::int32_t>(world.size()), "", -1});
    count_ranks(worlds);
    for (std::size_t i = 0; i < ranks.size(); ++i)
      for (SyntheticRank& rank : ranks[i]) {
        place_in_world(rank.meta, static_cast<std::uint32_t>(i), worlds[i].first_rank);
        metas.push_back(&rank.meta);
      }
    return unify_definitions(metas, worlds, findings);
  }

  std::size_t unpaired() const {
    for (const Finding& finding : findings.list())
      if (finding.name == "world.unpaired") return finding.count;
    return 0;
  }

  /// Every rank of `parents` spawns `children`, which have the communicator from the start.
  void spawn(std::size_t parents, std::size_t children, const std::string& token, std::uint64_t handle = kInter,
             At at = {10, 20}, bool is_told = true) {
    const auto up = static_cast<std::int32_t>(ranks[parents].size());
    const auto down = static_cast<std::int32_t>(ranks[children].size());
    for (std::int32_t r = 0; r < up; ++r)
      add(ranks[parents][static_cast<std::size_t>(r)], {handle, kWorld, up, r, down, 1}, CallId::Comm_spawn, at);
    for (std::int32_t r = 0; r < down; ++r)
      add(ranks[children][static_cast<std::size_t>(r)], {kOther, 0, down, r, up, 2}, CallId::none, {15, 15});
    say(ranks[parents][0], handle, "spawn " + token, at.leave + 1);
    say(ranks[children][0], kOther, "spawned " + (is_told ? token : "-"), 16);
  }
};

inline std::uint32_t comm_at(Communicators& all, std::size_t file, std::uint64_t handle, std::uint64_t ticks = 1000) {
  const LocalComm* const comm = all.resolvers[file].at(handle, ticks);
  return comm != nullptr ? comm->comm : kNoComm;
}

}  // namespace meridian::test
