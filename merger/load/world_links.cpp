// SPDX-License-Identifier: Apache-2.0
#include "merger/load/world_links.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "trace/model/text_fields.hpp"

namespace meridian {
namespace {

constexpr std::int32_t kLargestGroup = 1 << 24;  // a larger group means damage
constexpr std::string_view kNoToken = "-";
/// Two calls are taken as separate in time only if realtime clocks of different hosts show a larger distance.
constexpr std::int64_t kRealtimeError_ns = 1'000'000'000;

/// One side of a communicator, as its recorded text describes it.
struct Half {
  std::size_t meta = 0;
  std::uint32_t number = 0;  // of the communicator in its rank
  const CommRow* row = nullptr;
  const LocalComm* comm = nullptr;
  std::string kind;
  std::int64_t leader = 0;  // for leaders: own rank in the peer communicator
  bool is_paired = false;
};
using SomeHalves = std::vector<Half*>;

bool fits(const Half& a, const Half& b) {
  const CommBirth& x = a.row->birth;
  const CommBirth& y = b.row->birth;
  if (a.meta == b.meta || x.local_size != y.remote_size || x.remote_size != y.local_size) return false;
  const bool has_common_hashes = x.is_across == 0 && y.is_across == 0;
  return !has_common_hashes || (x.local_hash == y.remote_hash && x.remote_hash == y.local_hash);
}

std::optional<std::int64_t> realtime(const RankMeta& meta, std::uint64_t ticks) {
  if (meta.anchors.empty()) return std::nullopt;
  const AnchorRow& first = meta.anchors.front();
  const AnchorRow& last = meta.anchors.back();
  double ns_per_tick = 1;
  if (last.before_ticks > first.before_ticks)
    ns_per_tick = static_cast<double>(last.realtime_ns - first.realtime_ns) /
                  static_cast<double>(last.before_ticks - first.before_ticks);
  return first.realtime_ns + static_cast<std::int64_t>(ns_per_tick * static_cast<double>(static_cast<std::int64_t>(
                                                                         ticks - first.before_ticks)));
}

/// Whether the two calls may have been under way at the same time. Calls that create one communicator together overlap.
bool meet(std::span<const RankMeta* const> metas, const Half& a, const Half& b) {
  const RankMeta& one = *metas[a.meta];
  const RankMeta& other = *metas[b.meta];
  if (one.domain == other.domain && one.clock == other.clock)
    return a.row->enter_ticks <= b.row->leave_ticks && b.row->enter_ticks <= a.row->leave_ticks;
  const auto a_begin = realtime(one, a.row->enter_ticks), a_end = realtime(one, a.row->leave_ticks);
  const auto b_begin = realtime(other, b.row->enter_ticks), b_end = realtime(other, b.row->leave_ticks);
  if (!a_begin || !b_begin) return true;
  return *a_begin <= *b_end + kRealtimeError_ns && *b_begin <= *a_end + kRealtimeError_ns;
}

class Pairing {
 public:
  Pairing(std::span<const RankMeta* const> metas, std::span<CommResolver> resolvers) : metas_{metas} {
    for (std::size_t i = 0; i < metas.size(); ++i) {
      std::vector<const CommRow*> rows;
      for (const TextRow& text : metas[i]->texts) {
        if (text.key != kCommLinkKey) continue;
        if (rows.empty()) rows = comms_in_order(*metas[i]);
        const LocalComm* const comm = resolvers[i].at(text.handle, text.ticks);
        if (comm == nullptr) continue;
        const bool is_across = rows[comm->number]->birth.is_across != 0;
        if (is_across || text.value.starts_with("leaders "))
          add({i, comm->number, rows[comm->number], comm, "", 0, false}, text.value, resolvers[i]);
      }
    }
    for (auto& [key, halves] : by_key_) pair_those(key, halves);
  }

  const std::vector<std::pair<const Half*, const Half*>>& pairs() const { return pairs_; }
  const std::vector<std::unique_ptr<Half>>& halves() const { return halves_; }

 private:
  void add(Half half, std::string_view text, CommResolver& resolver) {
    half.kind = take_field(text);
    const std::string& kind = half.kind;
    std::string key{text};
    if (kind == "spawn" || kind == "spawned") {
      key = "spawn " + key;
    } else if (kind == "accept" || kind == "connect") {
      key = "port " + key;
    } else if (kind == "join") {
      key = "join " + key;
    } else if (kind == "leaders") {
      const auto peer = number_in<std::uint64_t>(take_field(text), 16);
      const auto own = number_in<std::int64_t>(take_field(text)), other = number_in<std::int64_t>(take_field(text));
      const LocalComm* const comm = peer ? resolver.at(*peer, half.row->enter_ticks) : nullptr;
      if (comm == nullptr || !own || !other) return keep(std::move(half));
      half.leader = *own;
      key = "leaders " + std::to_string(comm->comm) + " " + std::to_string(std::min(*own, *other)) + " " +
            std::to_string(std::max(*own, *other)) + " " + std::string{text};
    } else {
      return;  // recorded by a later version
    }
    keep(std::move(half));
    by_key_[key].push_back(halves_.back().get());
  }
  void keep(Half half) { halves_.push_back(std::make_unique<Half>(std::move(half))); }

  void pair_those(const std::string& key, SomeHalves& halves) {
    if (key.starts_with("port ")) return pair_port(halves);
    if (key.starts_with("spawn ")) return pair_spawn(halves);
    if (key == "join " + std::string{kNoToken}) return;
    pair_in_order(halves);
  }

  void pair(Half& first, Half& second) {
    first.is_paired = second.is_paired = true;
    pairs_.emplace_back(&first, &second);
  }

  static SomeHalves of_kind(const SomeHalves& halves, std::string_view kind) {
    SomeHalves those;
    for (Half* half : halves)
      if (half->kind == kind) those.push_back(half);
    return those;
  }

  /// Pairs a parent with its children by their common token. Halves without a token are paired only if there is no
  /// choice.
  void pair_spawn(const SomeHalves& halves) {
    const SomeHalves parents = of_kind(halves, "spawn"), children = of_kind(halves, "spawned");
    for (Half* parent : parents) {
      Half* const child = only_fit(*parent, children);
      if (child != nullptr && only_fit(*child, parents) == parent) pair(*parent, *child);
    }
  }
  static Half* only_fit(const Half& half, const SomeHalves& others) {
    Half* found = nullptr;
    for (Half* other : others) {
      if (!fits(half, *other)) continue;
      if (found != nullptr) return nullptr;
      found = other;
    }
    return found;
  }

  /// Pairs each call that connects with one that accepts on the same port. An accepting side may have no partner in the
  /// trace.
  void pair_port(const SomeHalves& halves) {
    const SomeHalves accepting = of_kind(halves, "accept"), connecting = of_kind(halves, "connect");
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (Half* half : connecting) {
        if (half->is_paired) continue;
        Half* found = nullptr;
        std::size_t count = 0;
        for (Half* other : accepting)
          if (!other->is_paired && fits(*half, *other) && meet(metas_, *half, *other)) {
            found = other;
            ++count;
          }
        if (count != 1) continue;
        pair(*found, *half);
        has_changed = true;
      }
    }
  }

  /// Pairs the n-th half of one process with the n-th of the other.
  void pair_in_order(const SomeHalves& halves) {
    // by rank; leaders also by their rank in the peer communicator
    std::map<std::pair<std::size_t, std::int64_t>, SomeHalves> sides;
    for (Half* half : halves) sides[{half->meta, half->leader}].push_back(half);
    if (sides.size() != 2) return;
    SomeHalves& one = sides.begin()->second;
    SomeHalves& other = std::next(sides.begin())->second;
    const auto enter = [](const Half* half) { return half->row->enter_ticks; };
    std::ranges::stable_sort(one, {}, enter);
    std::ranges::stable_sort(other, {}, enter);
    for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i)
      if (fits(*one[i], *other[i])) pair(*one[i], *other[i]);
  }

  std::span<const RankMeta* const> metas_;
  std::vector<std::unique_ptr<Half>> halves_;  // ordered by rank and time
  std::map<std::string, SomeHalves> by_key_;
  std::vector<std::pair<const Half*, const Half*>> pairs_;
};

std::string describe(const Half& half, const RankMeta& meta) {
  const std::string_view names[][2] = {{"spawn", "MPI_Comm_spawn"},   {"spawned", "MPI_Comm_get_parent"},
                                       {"accept", "MPI_Comm_accept"}, {"connect", "MPI_Comm_connect"},
                                       {"join", "MPI_Comm_join"},     {"leaders", "MPI_Intercomm_create"}};
  for (const auto& [kind, name] : names)
    if (half.kind == kind) return std::string{name} + " of rank " + std::to_string(meta.rank);
  return "rank " + std::to_string(meta.rank);
}

}  // namespace

std::vector<const CommRow*> comms_in_order(const RankMeta& meta) {
  std::vector<const CommRow*> rows;
  for (const CommRow& row : meta.comms) {
    const CommBirth& birth = row.birth;
    if (birth.comm != 0 && birth.local_size >= 1 && birth.local_size <= kLargestGroup && birth.local_rank >= 0 &&
        birth.local_rank < birth.local_size && birth.remote_size >= 0 && birth.remote_size <= kLargestGroup)
      rows.push_back(&row);
  }
  std::ranges::stable_sort(rows, {}, [](const CommRow* row) { return row->enter_ticks; });
  return rows;
}

WorldLinks find_links(std::span<const RankMeta* const> metas, std::span<CommResolver> resolvers, const Halves& halves,
                      std::size_t worlds) {
  WorldLinks links;
  links.parents.assign(worlds, -1);
  const Pairing pairing{metas, resolvers};
  links.count = pairing.pairs().size();
  std::map<std::uint32_t, LinkEnd> of_half;
  std::uint32_t number = 0;
  for (const auto& [first, second] : pairing.pairs()) {
    of_half[halves[first->meta][first->number]] = {number, 0};
    of_half[halves[second->meta][second->number]] = {number++, 1};
    const std::uint32_t parent = metas[first->meta]->world, child = metas[second->meta]->world;
    if (first->kind == "spawn" && child < worlds && parent != child) links.parents[child] = parent;
  }
  for (const std::vector<std::uint32_t>& of_rank : halves) {
    auto& ends = links.ends.emplace_back(of_rank.size());
    for (std::size_t i = 0; i < of_rank.size(); ++i)
      if (const auto found = of_half.find(of_rank[i]); found != of_half.end()) ends[i] = found->second;
  }
  for (const auto& half : pairing.halves())
    if (!half->is_paired && half->row->birth.is_across != 0)
      links.unpaired.push_back(describe(*half, *metas[half->meta]));
  return links;
}

}  // namespace meridian
