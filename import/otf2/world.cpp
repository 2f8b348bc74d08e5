// SPDX-License-Identifier: Apache-2.0
#include "import/otf2/world.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <unordered_map>

namespace meridian::imported {
namespace {

constexpr std::uint64_t kWorldHandle = 0x44000000, kSelfHandle = 0x44000001, kFirstHandle = 0x44000002;
constexpr std::size_t kMostRanks = std::size_t{1} << 24;

Error damaged(const std::string& reason) {
  return {Errc::damaged, "the OTF2 archive is damaged: " + reason, "copy the archive again from where it was written"};
}

/// The MPI processes in the order of their ranks: the locations that stand for them. Null: the archive has no such group.
const Definitions::Group* mpi_locations(const Definitions& definitions) {
  return definitions.mpi_locations.members.empty() ? nullptr : &definitions.mpi_locations;
}

std::string host_of(const Definitions& definitions, OTF2_SystemTreeNodeRef node) {
  std::string nearest;
  for (std::size_t steps = 0; steps <= definitions.nodes.size(); ++steps) {  // a damaged tree may have circles
    const auto found = definitions.nodes.find(node);
    if (found == definitions.nodes.end()) break;
    std::string name = definitions.text(found->second.name);
    if (found->second.shares_memory || definitions.text(found->second.class_name) == "node") return name;
    if (nearest.empty()) nearest = name;
    node = found->second.parent;
  }
  return nearest.empty() ? "unknown" : nearest;
}

}  // namespace

Result<World> World::of(const Definitions& definitions, LeftOut& left_out) {
  World world;
  MERIDIAN_TRY_DO(world.find_ranks(definitions, left_out));
  MERIDIAN_TRY_DO(world.find_comms(definitions));
  return world;
}

Status World::find_ranks(const Definitions& definitions, LeftOut& left_out) {
  std::unordered_map<OTF2_LocationRef, OTF2_LocationGroupRef> process_of;
  for (const Definitions::Location& location : definitions.locations) process_of[location.self] = location.process;
  std::vector<OTF2_LocationGroupRef> processes;
  if (const Definitions::Group* const named = mpi_locations(definitions)) {
    for (const std::uint64_t location : named->members) {
      const auto found = process_of.find(location);
      if (found == process_of.end()) return damaged("a rank has no location");
      processes.push_back(found->second);
    }
  } else {
    for (const auto& [self, process] : definitions.processes)
      if (process.type == OTF2_LOCATION_GROUP_TYPE_PROCESS) processes.push_back(self);
  }
  if (processes.empty()) {
    Error none = damaged("it defines no processes");
    none.hint = "an archive that its program did not finish has no definitions: let the program reach its end";
    return none;
  }
  if (processes.size() > kMostRanks) return damaged("it has " + std::to_string(processes.size()) + " ranks");
  std::unordered_map<OTF2_LocationGroupRef, std::size_t> rank_of;
  std::map<std::string, std::uint64_t> clocks;
  for (std::size_t rank = 0; rank < processes.size(); ++rank) {
    if (!rank_of.emplace(processes[rank], rank).second) return damaged("two ranks are one process");
    const auto process = definitions.processes.find(processes[rank]);
    const std::string host =
        process == definitions.processes.end() ? "unknown" : host_of(definitions, process->second.node);
    ranks_.push_back({host, clocks.try_emplace(host, clocks.size() + 1).first->second});
  }
  std::uint64_t others = 0, without_thread = 0;
  for (std::size_t i = 0; i < definitions.locations.size(); ++i) {
    const Definitions::Location& location = definitions.locations[i];
    const auto rank = rank_of.find(location.process);
    if (rank == rank_of.end()) {
      others += location.events;
    } else if (location.type != OTF2_LOCATION_TYPE_CPU_THREAD && location.type != OTF2_LOCATION_TYPE_UNKNOWN) {
      without_thread += location.events;
    } else {
      ranks_[rank->second].locations.push_back(i);
    }
  }
  left_out.add("records of processes that are no MPI ranks, and of accelerators", others);
  left_out.add("records of locations that are no threads", without_thread);
  return {};
}

Status World::find_comms(const Definitions& definitions) {
  std::vector<std::int32_t> all(ranks_.size());
  std::iota(all.begin(), all.end(), 0);
  comms_.push_back({kWorldHandle, "MPI_COMM_WORLD", all, {}});
  comms_.push_back({kSelfHandle, "MPI_COMM_SELF", {}, {}});
  bool is_world_known = false;
  for (const auto& [self, comm] : definitions.comms) {
    const auto group = definitions.groups.find(comm.group);
    if (group == definitions.groups.end()) continue;  // its messages are left out
    if (group->second.paradigm != OTF2_PARADIGM_MPI && group->second.paradigm != OTF2_PARADIGM_UNKNOWN) continue;
    if (group->second.type == OTF2_GROUP_TYPE_COMM_SELF) {
      comm_of_[self] = 1;
      continue;
    }
    const auto members_of = [&](const Definitions::Group& members) {
      std::vector<std::int32_t> ranks;
      if (members.type == OTF2_GROUP_TYPE_COMM_LOCATIONS) return all;
      if (members.type != OTF2_GROUP_TYPE_COMM_GROUP) return ranks;
      for (const std::uint64_t rank : members.members)
        ranks.push_back(rank < ranks_.size() ? static_cast<std::int32_t>(rank) : -1);
      return ranks;
    };
    WorldComm made{kFirstHandle + comms_.size() - 2, definitions.text(comm.name), members_of(group->second), {}};
    const auto remote = definitions.groups.find(comm.remote);
    if (remote != definitions.groups.end()) made.remote = members_of(remote->second);
    for (const auto& members : {made.ranks, made.remote})
      if (std::ranges::find(members, -1) != members.end())
        return damaged("communicator " + std::to_string(self) + " has members that are no ranks");
    if (made.ranks.empty()) continue;
    if (made.ranks == all && !made.is_inter() && !is_world_known) {  // MPI_COMM_WORLD comes first
      is_world_known = true;
      comm_of_[self] = 0;
    } else {
      comm_of_[self] = comms_.size();
      comms_.push_back(std::move(made));
    }
    std::map<std::int32_t, std::int32_t>& position = position_[self];
    const WorldComm& kept = comms_[comm_of_[self]];
    for (const auto* members : {&kept.ranks, &kept.remote})
      for (std::size_t i = 0; i < members->size(); ++i)
        position.try_emplace((*members)[i], static_cast<std::int32_t>(i));
  }
  return {};
}

CommPlace World::place(OTF2_CommRef comm, std::int32_t rank) const {
  const auto found = comm_of_.find(comm);
  if (found == comm_of_.end()) return {};
  const WorldComm& known = comms_[found->second];
  if (known.is_self()) return {&known, 0, 1};
  const auto& position = position_.at(comm);
  const auto at = position.find(rank);
  if (at == position.end()) return {};
  const bool is_of_remote = known.is_inter() && std::ranges::find(known.ranks, rank) == known.ranks.end();
  const std::size_t size = known.is_inter() && !is_of_remote ? known.remote.size() : known.ranks.size();
  return {&known, at->second, size};
}

std::optional<Channel> World::channel(const Message& message, std::int32_t rank, bool is_send) const {
  const CommPlace own = place(message.comm, rank);
  if (own.comm == nullptr || message.peer >= own.size ||
      message.tag > std::uint32_t{std::numeric_limits<std::int32_t>::max()})
    return std::nullopt;
  const auto peer = static_cast<std::int32_t>(message.peer), tag = static_cast<std::int32_t>(message.tag);
  return is_send ? Channel{own.comm->handle, own.rank, peer, tag} : Channel{own.comm->handle, peer, own.rank, tag};
}

void World::describe_comms(std::int32_t rank, RankMeta& meta) const {
  const auto hash = [](std::span<const std::int32_t> ranks) {
    return std::accumulate(ranks.begin(), ranks.end(), kRanksHashSeed, &hash_rank);
  };
  for (std::size_t i = 0; i < comms_.size(); ++i) {
    const WorldComm& comm = comms_[i];
    const std::vector<std::int32_t> self{rank};
    const bool is_of_remote = std::ranges::find(comm.remote, rank) != comm.remote.end();
    const std::vector<std::int32_t>& own = comm.is_self() ? self : is_of_remote ? comm.remote : comm.ranks;
    const auto at = std::ranges::find(own, rank);
    if (at == own.end()) continue;
    CommRow row;
    row.birth.comm = comm.handle;
    row.birth.parent = i < 2 ? 0 : kWorldHandle;
    row.birth.local_hash = hash(own);
    row.birth.local_size = static_cast<std::int32_t>(own.size());
    row.birth.local_rank = static_cast<std::int32_t>(at - own.begin());
    const std::vector<std::int32_t>& other = is_of_remote ? comm.ranks : comm.remote;
    if (comm.is_inter()) {
      row.birth.remote_hash = hash(other);
      row.birth.remote_size = static_cast<std::int32_t>(other.size());
    }
    meta.comms.push_back(row);
    if (i < 2) continue;
    meta.texts.push_back({kCommLinkKey, "string " + std::to_string(comm.handle), comm.handle, 0});
    if (!comm.name.empty()) meta.texts.push_back({kCommNameKey, comm.name, comm.handle, 0});
    if (at == own.begin()) {
      meta.members.push_back({comm.handle, 0, false, own});
      if (comm.is_inter()) meta.members.push_back({comm.handle, 0, true, other});
    }
  }
}

}  // namespace meridian::imported
