#include "merger/load/unify_definitions.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

namespace meridian {
namespace {

constexpr std::int32_t kLargestGroup = 1 << 24;  // a larger one is damage

/// One of the things that must be equal for two ranks to mean one communicator.
struct Identity {
  std::uint32_t parent = kNoComm;
  std::uint64_t low_hash = 0;  // of the two groups
  std::uint64_t high_hash = 0;
  std::uint64_t occurrence = 0;
  friend auto operator<=>(const Identity&, const Identity&) = default;
};

bool makes_sense(const CommBirth& birth) {
  return birth.comm != 0 && birth.local_size >= 1 && birth.local_size <= kLargestGroup && birth.local_rank >= 0 &&
         birth.local_rank < birth.local_size && birth.remote_size >= 0 && birth.remote_size <= kLargestGroup;
}

class Unifier {
 public:
  Unifier(std::span<const RankMeta* const> metas, std::int32_t world_size, Findings& findings)
      : metas_{metas}, world_size_{world_size}, findings_{findings} {
    Group everybody(static_cast<std::size_t>(world_size));
    std::iota(everybody.begin(), everybody.end(), 0);
    std::uint64_t hash = kRanksHashSeed;
    for (const std::int32_t rank : everybody) hash = hash_rank(hash, rank);
    result_.groups.push_back(std::move(everybody));
    group_of_[{hash, world_size}] = 0;
    result_.list.push_back({CommKind::world, kNoComm, "MPI_COMM_WORLD", 0, kNoGroup});
    for (std::int32_t rank = 0; rank < world_size; ++rank) {
      const std::uint32_t group = group_number(hash_rank(kRanksHashSeed, rank), 1);
      result_.groups[group] = {rank};
      result_.list.push_back({CommKind::self, kNoComm, "MPI_COMM_SELF", group, kNoGroup});
    }
  }

  Communicators run() {
    std::vector<std::vector<CommResolver::Birth>> births;
    for (const RankMeta* meta : metas_) births.push_back(births_of(*meta));
    for (std::size_t i = 0; i < metas_.size(); ++i) add_members(*metas_[i], births[i]);
    for (auto& rank : births) {
      for (CommResolver::Birth& birth : rank) point_to_groups(birth.comm);
      result_.resolvers.emplace_back(std::move(rank));
    }
    for (std::size_t i = 0; i < metas_.size(); ++i) add_names(*metas_[i], result_.resolvers[i]);
    report_unknown_members();
    return std::move(result_);
  }

 private:
  using Occurrences = std::map<Identity, std::uint64_t>;

  std::uint32_t group_number(std::uint64_t hash, std::int32_t size) {
    const auto [at, is_new] = group_of_.try_emplace({hash, size}, static_cast<std::uint32_t>(result_.groups.size()));
    if (is_new) result_.groups.emplace_back();
    sizes_.resize(result_.groups.size());
    sizes_[at->second] = size;
    return at->second;
  }

  void set_member(std::uint32_t group, std::int64_t place, std::int32_t world_rank) {
    Group& members = result_.groups[group];
    if (place < 0 || place >= kLargestGroup) return;
    if (static_cast<std::size_t>(place) >= members.size())
      members.resize(static_cast<std::size_t>(place) + 1, kUnknownMember);
    members[static_cast<std::size_t>(place)] = world_rank;
  }

  /// The rank's communicators in the order in which it began to make them, with their numbers.
  std::vector<CommResolver::Birth> births_of(const RankMeta& meta) {
    std::vector<const CommRow*> rows;
    for (const CommRow& row : meta.comms) {
      if (makes_sense(row.birth)) {
        rows.push_back(&row);
      } else if (row.birth.comm != 0) {
        findings_.add(FindingId::rank_damaged, 1, "rank " + std::to_string(meta.rank) + ": a communicator of nobody");
      }
    }
    std::ranges::stable_sort(rows, {}, [](const CommRow* row) { return row->enter_ticks; });

    std::vector<CommResolver::Birth> births;
    std::map<std::uint64_t, std::uint32_t> live;  // handle -> CommId
    Occurrences made;
    for (const CommRow* row : rows) {
      LocalComm local = number(meta, *row, births.size(), live, made);
      const Communicator& comm = result_.list[local.comm];
      local.rank = row->birth.local_rank;
      local.number = static_cast<std::uint32_t>(births.size());
      local.is_inter = comm.kind == CommKind::inter;
      if (!local.is_inter) local.side = 0;
      live[row->birth.comm] = local.comm;
      births.push_back({row->birth.comm, row->leave_ticks, row->enter_ticks, row->thread, local, row->birth.request});
      if (comm.kind == CommKind::intra || comm.kind == CommKind::inter)
        set_member(local.side == 0 ? comm.group : comm.remote_group, local.rank, meta.rank);
    }
    return births;
  }

  LocalComm number(const RankMeta& meta, const CommRow& row, std::size_t made_before,
                   const std::map<std::uint64_t, std::uint32_t>& live, Occurrences& made) {
    LocalComm local;
    const CommBirth& birth = row.birth;
    const bool is_inter = birth.remote_size > 0;
    if (birth.parent == 0 && row.call == 0 && !is_inter) {
      local.comm = made_before == 0 && birth.local_size == world_size_ ? 0 : 1 + static_cast<std::uint32_t>(meta.rank);
      return local;
    }
    const auto parent = live.find(birth.parent);
    Identity identity;
    if (parent != live.end() &&
        (!is_inter || result_.list[parent->second].kind == CommKind::inter))  // else the two sides differ in it
      identity.parent = parent->second;
    identity.low_hash = is_inter ? std::min(birth.local_hash, birth.remote_hash) : birth.local_hash;
    identity.high_hash = is_inter ? std::max(birth.local_hash, birth.remote_hash) : 0;
    identity.occurrence = made[identity]++;
    const auto [at, is_new] = comm_of_.try_emplace(identity, static_cast<std::uint32_t>(result_.list.size()));
    local.comm = at->second;
    local.side = is_inter && birth.local_hash != identity.low_hash ? 1 : 0;
    if (is_new) {
      const std::uint32_t own = group_number(birth.local_hash, birth.local_size);
      const std::uint32_t other = is_inter ? group_number(birth.remote_hash, birth.remote_size) : kNoGroup;
      result_.list.push_back({is_inter ? CommKind::inter : CommKind::intra, identity.parent, "",
                              local.side == 0 ? own : other, local.side == 0 ? other : own});
    }
    return local;
  }

  /// What a rank knows of its partners: leaders record whole groups.
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
    sizes_.resize(result_.groups.size());
    for (std::size_t i = 0; i < result_.groups.size(); ++i)
      result_.groups[i].resize(std::max(result_.groups[i].size(), static_cast<std::size_t>(sizes_[i])), kUnknownMember);
    const auto is_known = [&](std::uint32_t group) {
      return group == kNoGroup ||
             std::ranges::find(result_.groups[group], kUnknownMember) == result_.groups[group].end();
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
  std::int32_t world_size_;
  Findings& findings_;
  Communicators result_;
  std::map<std::pair<std::uint64_t, std::int32_t>, std::uint32_t> group_of_;  // (hash, size) -> number
  std::vector<std::int32_t> sizes_;                                           // of the groups, by number
  std::map<Identity, std::uint32_t> comm_of_;
  std::map<std::uint32_t, bool> named_;
};

}  // namespace

Communicators unify_definitions(std::span<const RankMeta* const> metas, std::int32_t world_size, Findings& findings) {
  return Unifier{metas, world_size, findings}.run();
}

}  // namespace meridian
