// SPDX-License-Identifier: Apache-2.0
#include "merger/load/unify_definitions.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>

#include "merger/load/world_links.hpp"

namespace meridian {
namespace {

// Limits the group members that no rank names: at most kUnnamedMembers, plus kUnnamedForEach for each named member.
// Members beyond the limit remain unknown and use no memory.
constexpr std::uint64_t kUnnamedMembers = 1 << 22;
constexpr std::uint64_t kUnnamedForEach = 64;
constexpr std::uint32_t kAnyWorld = 0xffffffff;
constexpr int kMostRounds = 1000;  // one for each generation of worlds; more rounds mean contradictory (damaged) data
constexpr std::uint32_t kNoHalf = 0xffffffff;

/// The communicators of two ranks are the same if these values are equal.
struct Identity {
  std::uint32_t world = kAnyWorld;
  std::uint32_t link = LinkEnd::kNone;
  std::uint32_t parent = kNoComm;
  std::uint64_t low_hash = 0;  // of the two groups
  std::uint64_t high_hash = 0;
  std::string_view label;  // "tag 5", "string 00ff...": given by the program to calls that may overlap; empty: none
  std::uint64_t occurrence = 0;
  friend auto operator<=>(const Identity&, const Identity&) = default;
};

class DefinitionUnifier {
 public:
  DefinitionUnifier(std::span<const RankMeta* const> metas, std::span<const World> worlds, const LinkEnds& links,
                    Findings& findings)
      : metas_{metas}, worlds_{worlds}, links_{links}, findings_{findings}, halves_(metas.size()) {
    for (const RankMeta* meta : metas) {
      spare_members_ += kUnnamedForEach * meta->comms.size();
      for (const MembersRow& row : meta->members) spare_members_ += kUnnamedForEach * row.world_ranks.size();
    }
    add_world(0);
    for (std::uint32_t world = 0; world < worlds.size(); ++world)
      for (std::int32_t rank = 0; rank < worlds[world].size; ++rank) {
        const std::uint32_t group = group_number(world, hash_rank(kRanksHashSeed, rank), 1);
        result_.groups[group] = {worlds[world].first_rank + rank};
        result_.list.push_back({CommKind::self, kNoComm, "MPI_COMM_SELF", group, kNoGroup});
      }
    for (std::uint32_t world = 1; world < worlds.size(); ++world) add_world(world);
  }

  Communicators run() {
    std::vector<std::vector<CommResolver::Birth>> births;
    for (std::size_t i = 0; i < metas_.size(); ++i) births.push_back(births_of(i));
    for (std::size_t i = 0; i < metas_.size(); ++i) add_members(*metas_[i], births[i]);
    for (auto& rank : births) {
      for (CommResolver::Birth& birth : rank) point_to_groups(birth.comm);
      result_.resolvers.emplace_back(std::move(rank));
    }
    for (std::size_t i = 0; i < metas_.size(); ++i) add_names(*metas_[i], result_.resolvers[i]);
    report_unknown_members();
    return std::move(result_);
  }

  const Halves& halves() const { return halves_; }

 private:
  using Occurrences = std::map<Identity, std::uint64_t>;
  using Live = std::map<std::uint64_t, std::map<std::uint64_t, LocalComm>>;  // by handle and leave of the creation

  void add_world(std::uint32_t number) {
    const World& world = worlds_[number];
    std::uint64_t hash = kRanksHashSeed;
    for (std::int32_t rank = 0; rank < world.size; ++rank) hash = hash_rank(hash, rank);
    const std::uint32_t group = group_number(number, hash, world.size);
    result_.groups[group].resize(static_cast<std::size_t>(world.size));
    std::iota(result_.groups[group].begin(), result_.groups[group].end(), world.first_rank);
    result_.world_comms.push_back(static_cast<std::uint32_t>(result_.list.size()));
    const std::string name = number == 0 ? "MPI_COMM_WORLD" : "MPI_COMM_WORLD of world " + std::to_string(number + 1);
    result_.list.push_back({CommKind::world, kNoComm, name, group, kNoGroup});
  }

  std::uint32_t new_group(std::int32_t size) {
    result_.groups.emplace_back();
    sizes_.push_back(size);
    return static_cast<std::uint32_t>(result_.groups.size() - 1);
  }
  std::uint32_t group_number(std::uint32_t world, std::uint64_t hash, std::int32_t size) {
    const auto [at, is_new] = group_of_.try_emplace({world, hash, size}, 0);
    if (is_new) at->second = new_group(size);
    return at->second;
  }

  /// Resizes the group; false if it would have more members than the trace can account for.
  bool has_room_for(Group& members, std::size_t size) {
    if (size <= members.size()) return true;
    if (size - members.size() > spare_members_) return false;
    spare_members_ -= size - members.size();
    members.resize(size, kUnknownMember);
    return true;
  }

  void set_member(std::uint32_t group, std::int64_t place, std::int32_t world_rank) {
    Group& members = result_.groups[group];
    if (place < 0 || !has_room_for(members, static_cast<std::size_t>(place) + 1)) return;
    std::int32_t& member = members[static_cast<std::size_t>(place)];
    if (world_rank >= 0 || member < 0) member = world_rank;  // a process of another world may be named in its own file
  }

  /// The rank's communicators, numbered in the order in which it began to create them.
  std::vector<CommResolver::Birth> births_of(std::size_t index) {
    const RankMeta& meta = *metas_[index];
    const std::vector<const CommRow*> rows = comms_in_order(meta);
    const auto given = std::ranges::count_if(meta.comms, [](const CommRow& row) { return row.birth.comm != 0; });
    for (auto i = static_cast<std::int64_t>(rows.size()); i < given; ++i)
      findings_.add(FindingId::rank_damaged, 1,
                    "rank " + std::to_string(meta.rank) + ": a communicator without members");

    const std::vector<std::string_view> labels = labels_of(meta, rows);
    std::vector<CommResolver::Birth> births;
    Live live;
    Occurrences made;
    for (const CommRow* row : rows) {
      LocalComm local = number(index, *row, labels.empty() ? "" : labels[births.size()], births.size(), live, made);
      const Communicator& comm = result_.list[local.comm];
      local.rank = row->birth.local_rank;
      local.number = static_cast<std::uint32_t>(births.size());
      local.is_inter = comm.kind == CommKind::inter;
      if (!local.is_inter) local.side = 0;
      live[row->birth.comm][row->leave_ticks] = local;
      births.push_back({row->birth.comm, row->leave_ticks, row->enter_ticks, row->thread, local, row->birth.request});
      if (comm.kind == CommKind::intra || comm.kind == CommKind::inter)
        set_member(local.side == 0 ? comm.group : comm.remote_group, local.rank, meta.rank);
    }
    return births;
  }

  /// The tags and strings by which the program told these communicators apart when it made them. Empty: none.
  static std::vector<std::string_view> labels_of(const RankMeta& meta, const std::vector<const CommRow*>& rows) {
    std::vector<std::string_view> labels;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> by_birth;
    for (const TextRow& text : meta.texts) {
      if (text.key != kCommLinkKey || !(text.value.starts_with("tag ") || text.value.starts_with("string "))) continue;
      if (labels.empty()) {
        labels.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) by_birth[{rows[i]->birth.comm, rows[i]->leave_ticks}] = i;
      }
      const auto after = by_birth.upper_bound({text.handle, text.ticks});
      if (after != by_birth.begin() && std::prev(after)->first.first == text.handle)
        labels[std::prev(after)->second] = text.value;
    }
    return labels;
  }

  /// The communicator that the handle meant when the call began: threads may reuse a handle in the meantime.
  static const LocalComm* find(const Live& live, std::uint64_t handle, std::uint64_t ticks) {
    const auto found = live.find(handle);
    if (found == live.end()) return nullptr;
    const auto after = found->second.upper_bound(ticks);
    return after == found->second.begin() ? nullptr : &std::prev(after)->second;
  }

  LocalComm number(std::size_t index, const CommRow& row, std::string_view label, std::size_t made_before,
                   const Live& live, Occurrences& made) {
    const RankMeta& meta = *metas_[index];
    LocalComm local;
    const CommBirth& birth = row.birth;
    const bool is_inter = birth.remote_size > 0;
    if (birth.parent == 0 && row.call == 0 && !is_inter) {
      const bool is_world = made_before == 0 && birth.local_size == worlds_[meta.world].size;
      local.comm = is_world ? result_.world_comms[meta.world] : 1 + static_cast<std::uint32_t>(meta.rank);
      halves_[index].push_back(kNoHalf);
      return local;
    }
    const LocalComm* const from = find(live, birth.parent, row.enter_ticks);
    Identity identity = birth.is_across != 0 ? across(birth, from, local) : inside(birth, from, local);
    if (birth.is_across == 0 || identity.parent == kNoComm) identity.world = meta.world;
    identity.label = label;
    identity.occurrence = made[identity]++;
    Identity half = identity;
    if (birth.is_across == 0 && is_inter && from != nullptr && !has_sides(from)) {  // MPI_Intercomm_create
      half = {meta.world, LinkEnd::kNone, from->comm, birth.local_hash, birth.remote_hash, "", 0};
      half.occurrence = made[half]++;
    }
    halves_[index].push_back(half_of_.try_emplace(half, static_cast<std::uint32_t>(half_of_.size())).first->second);
    if (const LinkEnd end = link_of(index, made_before); end.link != LinkEnd::kNone) {
      identity = {};
      identity.link = end.link;
      local.side = is_inter ? end.side : 0;  // a damaged birth may be linked although it has only one group
    }
    const auto [at, is_new] = comm_of_.try_emplace(identity, static_cast<std::uint32_t>(result_.list.size()));
    local.comm = at->second;
    if (is_new) {
      const auto group = [&](std::uint64_t hash, std::int32_t size) {
        return birth.is_across != 0 ? new_group(size) : group_number(meta.world, hash, size);
      };
      const std::uint32_t own = group(birth.local_hash, birth.local_size);
      const std::uint32_t other = is_inter ? group(birth.remote_hash, birth.remote_size) : kNoGroup;
      result_.list.push_back({is_inter ? CommKind::inter : CommKind::intra, identity.parent, "",
                              local.side == 0 ? own : other, local.side == 0 ? other : own});
    }
    return local;
  }

  LinkEnd link_of(std::size_t index, std::size_t number) const {
    return index < links_.size() && number < links_[index].size() ? links_[index][number] : LinkEnd{};
  }
  bool has_sides(const LocalComm* comm) const {
    return comm != nullptr && result_.list[comm->comm].kind == CommKind::inter;
  }

  /// The identity on which members in the same world agree.
  Identity inside(const CommBirth& birth, const LocalComm* from, LocalComm& local) const {
    const bool is_inter = birth.remote_size > 0;
    Identity identity;
    if (from != nullptr && (!is_inter || has_sides(from))) identity.parent = from->comm;  // else the sides differ in it
    identity.low_hash = is_inter ? std::min(birth.local_hash, birth.remote_hash) : birth.local_hash;
    identity.high_hash = is_inter ? std::max(birth.local_hash, birth.remote_hash) : 0;
    local.side = is_inter && birth.local_hash != identity.low_hash ? 1 : 0;
    return identity;
  }

  /// The identity on which members in several worlds agree. For an intercommunicator made from an intracommunicator:
  /// the identity on which the members of one side agree.
  Identity across(const CommBirth& birth, const LocalComm* from, LocalComm& local) const {
    Identity identity;
    if (from != nullptr) identity.parent = from->comm;
    if (birth.remote_size > 0 && has_sides(from)) local.side = from->side;
    identity.low_hash = local.side == 0 ? birth.local_hash : birth.remote_hash;
    identity.high_hash = local.side == 0 ? birth.remote_hash : birth.local_hash;
    return identity;
  }

  /// Adds the group members that a rank knows: leaders record whole groups.
  void add_members(const RankMeta& meta, const std::vector<CommResolver::Birth>& births) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, const LocalComm*> by_birth;
    for (const CommResolver::Birth& birth : births) by_birth[{birth.handle, birth.leave_ticks}] = &birth.comm;
    for (const MembersRow& row : meta.members) {
      const auto at = by_birth.find({row.comm, row.born_ticks});
      if (at == by_birth.end()) continue;
      const LocalComm& local = *at->second;
      const Communicator& comm = result_.list[local.comm];
      if (comm.kind == CommKind::world || comm.kind == CommKind::self || (row.remote && !local.is_inter)) continue;
      const std::uint32_t group = (local.side == 1) != row.remote ? comm.remote_group : comm.group;
      for (std::size_t i = 0; i < row.world_ranks.size(); ++i)
        set_member(group, static_cast<std::int64_t>(i), row.world_ranks[i] < 0 ? kOtherWorld : row.world_ranks[i]);
    }
  }

  void point_to_groups(LocalComm& local) {
    const Communicator& comm = result_.list[local.comm];
    const auto group = [&](std::uint32_t number) { return number == kNoGroup ? nullptr : &result_.groups[number]; };
    local.own = group(local.side == 0 ? comm.group : comm.remote_group);
    local.peers = !local.is_inter ? local.own : group(local.side == 0 ? comm.remote_group : comm.group);
  }

  void add_names(const RankMeta& meta, CommResolver& resolver) {
    std::map<std::uint32_t, const std::string*> last;
    for (const TextRow& text : meta.texts)
      if (text.key == kCommNameKey)
        if (const LocalComm* comm = resolver.at(text.handle, text.ticks)) last[comm->comm] = &text.value;
    for (const auto& [comm, name] : last)
      if (named_.insert({comm, true}).second) result_.list[comm].name = *name;
  }

  void report_unknown_members() {
    for (std::size_t i = 0; i < result_.groups.size(); ++i)
      has_room_for(result_.groups[i], static_cast<std::size_t>(sizes_[i]));
    const auto is_known = [&](std::uint32_t group) {
      return group == kNoGroup ||
             (result_.groups[group].size() >= static_cast<std::size_t>(sizes_[group]) &&
              std::ranges::find(result_.groups[group], kUnknownMember) == result_.groups[group].end());
    };
    for (std::size_t i = 0; i < result_.list.size(); ++i) {
      const Communicator& comm = result_.list[i];
      if (!is_known(comm.group) || !is_known(comm.remote_group))
        findings_.add(FindingId::comm_members, 1, [&] {
          return "communicator " + std::to_string(i) + (comm.name.empty() ? "" : " (" + comm.name + ")");
        });
    }
  }

  std::span<const RankMeta* const> metas_;
  std::span<const World> worlds_;
  const LinkEnds& links_;
  Findings& findings_;
  Communicators result_;
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::int32_t>, std::uint32_t> group_of_;  // (world, hash, size)
  std::vector<std::int32_t> sizes_;  // [group]: number of members
  std::uint64_t spare_members_ = kUnnamedMembers;
  std::map<Identity, std::uint32_t> comm_of_;
  std::map<Identity, std::uint32_t> half_of_;  // without any links between worlds
  Halves halves_;
  std::map<std::uint32_t, bool> named_;
};

}  // namespace

Communicators unify_definitions(std::span<const RankMeta* const> metas, std::span<World> worlds, Findings& findings) {
  LinkEnds known;
  for (int round = 1;; ++round) {
    Findings found = findings;
    DefinitionUnifier unifier{metas, worlds, known, found};
    Communicators communicators = unifier.run();
    WorldLinks links = find_links(metas, communicators.resolvers, unifier.halves(), worlds.size());
    // A unified communicator may be the parent of others, which can be unified now.
    if (links.ends == known || links.count == 0 || round == kMostRounds) {
      findings = std::move(found);
      for (std::size_t i = 0; i < worlds.size(); ++i) worlds[i].parent = links.parents[i];
      for (const std::string& half : links.unpaired) findings.add(FindingId::world_unpaired, 1, half);
      return communicators;
    }
    known = std::move(links.ends);
  }
}

Communicators unify_definitions(std::span<const RankMeta* const> metas, std::int32_t world_size, Findings& findings) {
  World world{0, world_size, "", -1};
  return unify_definitions(metas, std::span{&world, 1}, findings);
}

}  // namespace meridian
