// SPDX-License-Identifier: Apache-2.0
// Identifies communicators for the trace by the world ranks of their groups. Makes only local calls, no communication.

#include "pmpi/calls/comms.hpp"

#include <atomic>
#include <charconv>

#include "pmpi/calls/record_comm.hpp"
#include "pmpi/calls/record_object.hpp"
#include "pmpi/process/traced_ranks.hpp"
#include "pmpi/rings/emit.hpp"

namespace meridian {
namespace {

constexpr int kChunk = 512;

MPI_Group g_world_group{};
std::uint64_t g_world_hash = 0;
bool g_has_sessions_alone = false;
void (*g_begin)() noexcept = nullptr;  ///< the argument of begin_session()

/// Translates members [first, first + count) of a group to ranks in group `base`; -1 for those that are not in it.
void translate(MPI_Group group, int first, int count, MPI_Group base, std::int32_t* ranks) noexcept {
  int local[kChunk]{};
  int there[kChunk]{};
  for (int i = 0; i < count; ++i) local[i] = first + i;
  g_real.Group_translate_ranks(group, count, local, base, there);
  for (int i = 0; i < count; ++i) ranks[i] = there[i] == MPI_UNDEFINED ? -1 : there[i];
}

int size_of(MPI_Group group) noexcept {
  int size = 0;
  g_real.Group_size(group, &size);
  return size;
}

struct GroupHash {
  std::uint64_t hash = kRanksHashSeed;
  bool has_others = false;  ///< some members are not in `base`
};

GroupHash hash_group(MPI_Group group, MPI_Group base) noexcept {
  GroupHash result;
  std::int32_t ranks[kChunk];
  const int size = size_of(group);
  for (int first = 0; first < size; first += kChunk) {
    const int count = size - first < kChunk ? size - first : kChunk;
    translate(group, first, count, base, ranks);
    for (int i = 0; i < count; ++i) {
      result.hash = hash_rank(result.hash, ranks[i]);
      result.has_others |= ranks[i] < 0;
    }
  }
  return result;
}

void emit_members(std::uint64_t comm, MPI_Group group, bool remote) noexcept {
  std::int32_t ranks[kChunk];
  const int size = size_of(group);
  for (int first = 0; first < size; first += kChunk) {
    const int count = size - first < kChunk ? size - first : kChunk;
    translate(group, first, count, g_world_group, ranks);
    const auto pairs = static_cast<std::uint64_t>(count + 1) / 2;
    const std::uint64_t now = read_ticks();
    emit(Payload::members, words_of<RecordHead> + words_of<Members> + pairs, now, now, [&](std::uint64_t* body) {
      auto& members = *reinterpret_cast<Members*>(body);
      members.comm = comm;
      members.first = static_cast<std::uint32_t>(first);
      members.count = static_cast<std::uint32_t>(count);
      members.remote = remote ? 1 : 0;
      members.reserved = 0;
      for (int i = 0; i < count; i += 2) {
        const auto low = static_cast<std::uint32_t>(ranks[i]);
        const auto high = i + 1 < count ? static_cast<std::uint32_t>(ranks[i + 1]) : 0u;
        body[words_of<Members> + static_cast<std::uint64_t>(i) / 2] = static_cast<std::uint64_t>(high) << 32 | low;
      }
    });
  }
}

/// Whether this process is the first traced one of its world in the group, and records it for all of them. `rank`: of this
/// process.
bool speaks_for_world(MPI_Group group, int rank) noexcept {
  for (int i = 0; i < rank; ++i) {
    std::int32_t world_rank = -1;
    translate(group, i, 1, g_world_group, &world_rank);
    if (world_rank >= 0 && is_traced_rank(world_rank)) return false;
  }
  return true;
}

/// Computes the hashes of a `birth` with processes of other worlds from ranks in the parent: both worlds get the same
/// hashes, though their world ranks have different meanings.
void hash_by_parent(CommBirth& birth, MPI_Comm parent, MPI_Comm source) noexcept {
  if (parent == g_mpi.comm_null) return;
  int has_sides = 0;
  g_real.Comm_test_inter(parent, &has_sides);
  if (has_sides && birth.remote_size == 0) {  // MPI_Intercomm_merge: each side has its own parent
    birth.local_hash = hash_rank(kRanksHashSeed, birth.local_size);
    return;
  }
  MPI_Group group{}, base{};
  g_real.Comm_group(source, &group);
  g_real.Comm_group(parent, &base);
  birth.local_hash = hash_group(group, base).hash;
  g_real.Group_free(&group);
  if (birth.remote_size != 0) {
    if (has_sides) {
      g_real.Group_free(&base);
      g_real.Comm_remote_group(parent, &base);
    }
    g_real.Comm_remote_group(source, &group);
    birth.remote_hash = hash_group(group, base).hash;
    g_real.Group_free(&group);
  }
  g_real.Group_free(&base);
}

/// A communicator with the groups of `made`.
MPI_Comm with_groups(MPI_Comm parent, MPI_Comm made, bool still_pending) noexcept {
  return still_pending ? parent : made;
}

void store_predefined(int rank, int size) noexcept {
  static bool is_stored = false;  // sessions may follow each other
  if (is_stored) return;
  is_stored = true;
  for (MPI_Comm comm : {g_mpi.world, g_mpi.self}) {
    const bool is_world = comm == g_mpi.world;
    const std::uint64_t now = read_ticks();
    emit(Payload::comm, words_of<RecordHead> + words_of<CommBirth>, now, now, [&](std::uint64_t* body) {
      auto& birth = *reinterpret_cast<CommBirth*>(body);
      birth = {};
      birth.comm = handle_word(comm);
      birth.local_hash = is_world ? g_world_hash : hash_rank(kRanksHashSeed, rank);
      birth.local_size = is_world ? size : 1;
      birth.local_rank = is_world ? rank : 0;
    });
  }
}

/// Called after a program that uses only sessions has made a communicator: if it contains all processes, the tracer can
/// agree with the other ranks now, as it does after MPI_Init.
void begin_with(MPI_Comm made) noexcept {
  if (g_all_ranks != MPI_Comm{}) return;
  int is_inter = 0;
  g_real.Comm_test_inter(made, &is_inter);
  if (is_inter) return;
  MPI_Group group{};
  g_real.Comm_group(made, &group);
  const bool has_all = hash_group(group, g_world_group).hash == g_world_hash;
  g_real.Group_free(&group);
  if (!has_all) return;
  g_all_ranks = made;
  g_begin();
}

/// The ranks from which this rank receives in neighbourhood collectives. Returns their number; 0: none, unknown, or more
/// than kChunk.
int list_sources(MPI_Comm comm, int* sources) noexcept {
  int kind = MPI_UNDEFINED, rank = 0, count = 0;
  g_real.Topo_test(comm, &kind);
  if (kind == MPI_CART) {
    int dimensions = 0;
    g_real.Cartdim_get(comm, &dimensions);
    for (int i = 0; i < dimensions && count + 2 <= kChunk; ++i, count += 2)
      g_real.Cart_shift(comm, i, 1, sources + count, sources + count + 1);
  } else if (kind == MPI_GRAPH) {
    g_real.Comm_rank(comm, &rank);
    g_real.Graph_neighbors_count(comm, rank, &count);
    if (count > kChunk) return 0;
    g_real.Graph_neighbors(comm, rank, count, sources);
  } else if (kind == MPI_DIST_GRAPH) {
    int destinations = 0, weighted = 0;
    int others[kChunk], weights[2][kChunk];
    g_real.Dist_graph_neighbors_count(comm, &count, &destinations, &weighted);
    if (count > kChunk || destinations > kChunk) return 0;
    g_real.Dist_graph_neighbors(comm, count, sources, weights[0], destinations, others, weights[1]);
  }
  return count;
}

void store_sources(MPI_Comm comm) noexcept {
  constexpr int kMostDigits = 11;
  int sources[kChunk];
  char text[kChunk * kMostDigits];
  char* end = text;
  const int count = list_sources(comm, sources);
  for (int i = 0; i < count; ++i) {
    if (sources[i] < 0) continue;  // MPI_PROC_NULL
    if (end != text) *end++ = ' ';
    end = std::to_chars(end, text + sizeof text, sources[i]).ptr;
  }
  if (end != text) emit_text(kCommSourcesKey, text, static_cast<std::uint64_t>(end - text), handle_word(comm));
}

/// Fills entries for the processes [first, first + count) of a group.
void fill_entries(MPI_Group group, std::uint64_t window, int first, int count, std::uint64_t* words) noexcept {
  std::int32_t ranks[kChunk];
  translate(group, first, count, g_world_group, ranks);
  for (int i = 0; i < count; ++i)
    record::body<Completion>(words + static_cast<std::uint64_t>(i) * words_of<Completion>) = {window, ranks[i], 0, 0};
}

}  // namespace

std::uint64_t list_group(MPI_Group group, std::uint64_t window, std::uint64_t* words, int most) noexcept {
  if (g_world_hash == 0) return 0;
  const int size = size_of(group);
  const int count = size < most ? size : most;
  fill_entries(group, window, 0, count, words);
  return static_cast<std::uint64_t>(count);
}

void store_rest_of_group(CallId id, MPI_Group group, std::uint64_t window, int first) noexcept {
  if (g_world_hash == 0) return;
  const int size = size_of(group);
  for (; first < size; first += kChunk) {
    const int count = size - first < kChunk ? size - first : kChunk;
    const auto entries = static_cast<std::uint64_t>(count);
    const std::uint64_t now = read_ticks();
    const auto fill = [&](std::uint64_t* body) { fill_entries(group, window, first, count, body); };
    if (!emit(Payload::requests, words_of<RecordHead> + entries * words_of<Completion>, now, now, fill, id, entries,
              kFlagMore))
      return;
  }
}

MPI_Comm g_all_ranks{};

void describe_comm(CommBirth& birth, MPI_Comm parent, MPI_Comm made, bool still_pending) noexcept {
  birth = {};
  if (made == g_mpi.comm_null || g_world_hash == 0) return;
  birth.comm = handle_word(made);
  birth.parent = parent == g_mpi.comm_null ? 0 : handle_word(parent);
  MPI_Comm source = with_groups(parent, made, still_pending);
  MPI_Group group{};
  g_real.Comm_group(source, &group);
  const GroupHash local = hash_group(group, g_world_group);
  birth.local_hash = local.hash;
  birth.local_size = size_of(group);
  bool is_across = local.has_others;
  g_real.Group_free(&group);
  g_real.Comm_rank(source, &birth.local_rank);
  int is_inter = 0;
  g_real.Comm_test_inter(source, &is_inter);
  if (is_inter) {
    g_real.Comm_remote_group(source, &group);
    const GroupHash remote = hash_group(group, g_world_group);
    birth.remote_hash = remote.hash;
    birth.remote_size = size_of(group);
    is_across |= remote.has_others;
    g_real.Group_free(&group);
  }
  if (!is_across) return;
  birth.is_across = 1;
  hash_by_parent(birth, parent, source);
}

void store_members(MPI_Comm parent, MPI_Comm made, bool still_pending) noexcept {
  if (made == g_mpi.comm_null || g_world_hash == 0) return;
  if (g_has_sessions_alone && !still_pending) begin_with(made);
  if (!still_pending) store_sources(made);
  MPI_Comm source = with_groups(parent, made, still_pending);
  int rank = 0;
  int is_inter = 0;
  g_real.Comm_rank(source, &rank);
  MPI_Group group{};
  g_real.Comm_group(source, &group);
  if (!speaks_for_world(group, rank)) {
    g_real.Group_free(&group);
    return;
  }
  g_real.Comm_test_inter(source, &is_inter);
  if (is_inter || hash_group(group, g_world_group).hash != g_world_hash) emit_members(handle_word(made), group, false);
  g_real.Group_free(&group);
  if (is_inter) {
    g_real.Comm_remote_group(source, &group);
    emit_members(handle_word(made), group, true);
    g_real.Group_free(&group);
  }
}

void store_predefined_comms() noexcept {
  g_has_sessions_alone = false;
  g_real.Comm_group(g_mpi.world, &g_world_group);
  g_world_hash = hash_group(g_world_group, g_world_group).hash;
  int rank = 0;
  g_real.Group_rank(g_world_group, &rank);
  store_predefined(rank, size_of(g_world_group));
}

#if MERIDIAN_HAS_Session_init
namespace {
std::atomic<int> g_sessions{0};
MPI_Group g_session_group{};
}  // namespace

void begin_session(MPI_Session session, void (*begin)() noexcept) noexcept {
  if (g_sessions.fetch_add(1) != 0 || g_world_hash != 0) return;
  if (g_real.Group_from_session_pset(session, "mpi://WORLD", &g_session_group) != MPI_SUCCESS) return;
  g_world_group = g_session_group;
  g_world_hash = hash_group(g_world_group, g_world_group).hash;
  g_has_sessions_alone = true;
  g_begin = begin;
  int rank = 0;
  g_real.Group_rank(g_world_group, &rank);
  store_predefined(rank, size_of(g_world_group));
}

bool leave_session() noexcept {
  if (g_sessions.fetch_sub(1) != 1) return false;
  const bool had_sessions_alone = g_has_sessions_alone;
  if (had_sessions_alone) g_world_hash = 0;
  if (g_session_group != MPI_Group{}) g_real.Group_free(&g_session_group);
  g_session_group = MPI_Group{};
  g_has_sessions_alone = false;
  return had_sessions_alone;
}
#endif

}  // namespace meridian
