// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Records of collectives: the bytes of the arguments that are significant at this rank. Other arguments are not read,
// because the standard permits them to be invalid.

#include <climits>

#include "pmpi/calls/record.hpp"
#include "pmpi/clocks/epochs.hpp"

namespace meridian::record {

/// The root argument of calls without one. Not a rank and not a special value of any MPI library.
inline constexpr int kWithoutRoot = INT_MIN;

[[gnu::always_inline]] inline int rank_in(MPI_Comm comm) noexcept {
  int rank = 0;
  g_real.Comm_rank(comm, &rank);
  return rank;
}

/// Number of blocks in a vector argument: the size of the group that this rank exchanges data with.
[[gnu::always_inline]] inline int peers_in(MPI_Comm comm) noexcept {
  int is_inter = 0;
  int size = 0;
  g_real.Comm_test_inter(comm, &is_inter);
  if (is_inter) {
    g_real.Comm_remote_size(comm, &size);
  } else {
    g_real.Comm_size(comm, &size);
  }
  return size;
}

/// Whether a collective that returned this error took part in the communication, as one whose message was too long
/// does. An invalid argument is found before it, so that the call may be repeated.
[[gnu::cold, gnu::noinline]] bool has_taken_part(int call_result) noexcept;

/// A side of a collective that consists of one block.
template <class Count>
struct Block {
  Count count;
  MPI_Datatype type;
  std::uint64_t bytes(MPI_Comm) const noexcept { return block_bytes(count, type); }
};
/// A side with one block for each rank of the communicator.
template <class Count>
struct Blocks {
  const Count* counts;
  MPI_Datatype type;
  std::uint64_t bytes(MPI_Comm comm) const noexcept {
    std::uint64_t elements = 0;
    for (int i = 0, n = peers_in(comm); i < n; ++i)
      elements += counts[i] > 0 ? static_cast<std::uint64_t>(counts[i]) : 0;
    return elements * type_bytes(type);
  }
};
template <class Count>
struct TypedBlocks {
  const Count* counts;
  const MPI_Datatype* types;
  std::uint64_t bytes(MPI_Comm comm) const noexcept {
    std::uint64_t sum = 0;
    for (int i = 0, n = peers_in(comm); i < n; ++i)
      if (counts[i] > 0) sum += block_bytes(counts[i], types[i]);
    return sum;
  }
};
struct Nothing {
  std::uint64_t bytes(MPI_Comm) const noexcept { return 0; }
};

/// The arguments that a rank reads.
enum class Significant : unsigned char {
  both,             ///< send and receive side, on every rank
  receive_only,     ///< the send side is MPI_IN_PLACE
  gather,           ///< receive side only at the root
  gather_in_place,  ///< as gather, and the root's send side is MPI_IN_PLACE
  scatter,          ///< send side only at the root
  scatter_in_place,
  send_only,  ///< there is only one side
};

template <class Sent, class Received>
struct Coll : With<Collective> {
  static constexpr Payload kPayload = Payload::coll;
  static constexpr bool kReceives = true;
  MPI_Comm comm;
  int root;
  Sent sent;
  Received received;
  Significant significant;
  bool is_due = false;  ///< ping-pong exchanges follow the collective

  Coll(MPI_Comm comm_, int root_, Sent sent_, Received received_, Significant significant_) noexcept
      : comm{comm_}, root{root_}, sent{sent_}, received{received_}, significant{significant_} {}
  void before(std::uint64_t* words) const noexcept {
    auto& coll = body<Collective>(words);
    coll.comm = handle_word(comm);
    coll.root = root == kWithoutRoot ? kNoRoot : rank_word(root);
    coll.reserved = 0;
    coll.send_bytes = 0;
    coll.receive_bytes = 0;
    coll.request = 0;
  }
  [[gnu::always_inline]] std::uint64_t after(std::uint64_t* words) noexcept {
    is_due = is_epoch_due(words[-1], root != kWithoutRoot);
    if (root == MPI_PROC_NULL) return 0;
    auto& coll = body<Collective>(words);
    switch (significant) {
      case Significant::both:
        coll.send_bytes = sent.bytes(comm);
        coll.receive_bytes = received.bytes(comm);
        break;
      case Significant::send_only:
        coll.send_bytes = sent.bytes(comm);
        break;
      case Significant::receive_only:
        coll.receive_bytes = received.bytes(comm);
        break;
      default:
        after_rooted(coll);
    }
    return 0;
  }
  /// An empty Completion: the call took part.
  std::uint64_t failed(std::uint64_t* words, int result) const noexcept {
    if (!has_taken_part(result)) return 0;
    body<Completion>(words + words_of<Collective>) = {};
    return 1;
  }
  void done() const noexcept {
    if (is_due) [[unlikely]]
      hold_epochs(comm, root != kWithoutRoot);
  }

 private:
  /// Gathers and scatters. In an intercommunicator the root's own group has no other side, and `root` is a rank of the
  /// other group.
  [[gnu::noinline]] void after_rooted(Collective& coll) const noexcept {
    const bool is_inter_root = root == MPI_ROOT;
    const bool is_root = is_inter_root || (rank_in(comm) == root && !is_inter(comm));
    const bool gathers = significant == Significant::gather || significant == Significant::gather_in_place;
    const bool is_in_place =
        significant == Significant::gather_in_place || significant == Significant::scatter_in_place;
    if (is_root) (gathers ? coll.receive_bytes : coll.send_bytes) = gathers ? received.bytes(comm) : sent.bytes(comm);
    if (is_inter_root || (is_root && is_in_place)) return;
    (gathers ? coll.send_bytes : coll.receive_bytes) = gathers ? sent.bytes(comm) : received.bytes(comm);
  }
  static bool is_inter(MPI_Comm comm_) noexcept {
    int inter = 0;
    g_real.Comm_test_inter(comm_, &inter);
    return inter != 0;
  }
};

/// A collective that ranks leave at different times.
template <class Sent, class Received>
struct Pending : WithRequest<Coll<Sent, Received>> {
  static constexpr bool kIsRare = true;
  void done() const noexcept {}
};
template <class Sent, class Received>
[[gnu::always_inline]] inline Pending<Sent, Received> Requested(Coll<Sent, Received> coll,
                                                                const MPI_Request* request) noexcept {
  return {{coll, request}};
}
template <class Sent, class Received>
[[gnu::always_inline]] inline Pending<Sent, Received> Persistent(Coll<Sent, Received> coll,
                                                                 const MPI_Request* request) noexcept {
  return {{coll, request}};
}

#define MERIDIAN_COLL [[gnu::always_inline]] inline auto

MERIDIAN_COLL Barrier(MPI_Comm comm) noexcept {
  return Coll<Nothing, Nothing>{comm, kWithoutRoot, {}, {}, Significant::send_only};
}
template <class N>
MERIDIAN_COLL Bcast(N count, MPI_Datatype type, int root, MPI_Comm comm) noexcept {
  return Coll<Block<N>, Nothing>{comm, root, {count, type}, {}, Significant::send_only};
}
template <class N, class M>
MERIDIAN_COLL Gather(const void* sendbuf, N sendcount, MPI_Datatype sendtype, M recvcount, MPI_Datatype recvtype,
                     int root, MPI_Comm comm) noexcept {
  return Coll<Block<N>, Block<M>>{comm,
                                  root,
                                  {sendcount, sendtype},
                                  {recvcount, recvtype},
                                  sendbuf == MPI_IN_PLACE ? Significant::gather_in_place : Significant::gather};
}
template <class N, class M>
MERIDIAN_COLL Gatherv(const void* sendbuf, N sendcount, MPI_Datatype sendtype, const M* recvcounts,
                      MPI_Datatype recvtype, int root, MPI_Comm comm) noexcept {
  return Coll<Block<N>, Blocks<M>>{comm,
                                   root,
                                   {sendcount, sendtype},
                                   {recvcounts, recvtype},
                                   sendbuf == MPI_IN_PLACE ? Significant::gather_in_place : Significant::gather};
}
template <class N, class M>
MERIDIAN_COLL Scatter(N sendcount, MPI_Datatype sendtype, const void* recvbuf, M recvcount, MPI_Datatype recvtype,
                      int root, MPI_Comm comm) noexcept {
  return Coll<Block<N>, Block<M>>{comm,
                                  root,
                                  {sendcount, sendtype},
                                  {recvcount, recvtype},
                                  recvbuf == MPI_IN_PLACE ? Significant::scatter_in_place : Significant::scatter};
}
template <class N, class M>
MERIDIAN_COLL Scatterv(const N* sendcounts, MPI_Datatype sendtype, const void* recvbuf, M recvcount,
                       MPI_Datatype recvtype, int root, MPI_Comm comm) noexcept {
  return Coll<Blocks<N>, Block<M>>{comm,
                                   root,
                                   {sendcounts, sendtype},
                                   {recvcount, recvtype},
                                   recvbuf == MPI_IN_PLACE ? Significant::scatter_in_place : Significant::scatter};
}
[[gnu::always_inline]] inline Significant unless_in_place(const void* sendbuf) noexcept {
  return sendbuf == MPI_IN_PLACE ? Significant::receive_only : Significant::both;
}
template <class N, class M>
MERIDIAN_COLL Allgather(const void* sendbuf, N sendcount, MPI_Datatype sendtype, M recvcount, MPI_Datatype recvtype,
                        MPI_Comm comm) noexcept {
  return Coll<Block<N>, Block<M>>{
      comm, kWithoutRoot, {sendcount, sendtype}, {recvcount, recvtype}, unless_in_place(sendbuf)};
}
template <class N, class M>
MERIDIAN_COLL Allgatherv(const void* sendbuf, N sendcount, MPI_Datatype sendtype, const M* recvcounts,
                         MPI_Datatype recvtype, MPI_Comm comm) noexcept {
  return Coll<Block<N>, Blocks<M>>{
      comm, kWithoutRoot, {sendcount, sendtype}, {recvcounts, recvtype}, unless_in_place(sendbuf)};
}
template <class N, class M>
MERIDIAN_COLL Alltoall(const void* sendbuf, N sendcount, MPI_Datatype sendtype, M recvcount, MPI_Datatype recvtype,
                       MPI_Comm comm) noexcept {
  return Allgather(sendbuf, sendcount, sendtype, recvcount, recvtype, comm);
}
template <class N, class M>
MERIDIAN_COLL Alltoallv(const void* sendbuf, const N* sendcounts, MPI_Datatype sendtype, const M* recvcounts,
                        MPI_Datatype recvtype, MPI_Comm comm) noexcept {
  return Coll<Blocks<N>, Blocks<M>>{
      comm, kWithoutRoot, {sendcounts, sendtype}, {recvcounts, recvtype}, unless_in_place(sendbuf)};
}
template <class N, class M>
MERIDIAN_COLL Alltoallw(const void* sendbuf, const N* sendcounts, const MPI_Datatype* sendtypes, const M* recvcounts,
                        const MPI_Datatype* recvtypes, MPI_Comm comm) noexcept {
  return Coll<TypedBlocks<N>, TypedBlocks<M>>{
      comm, kWithoutRoot, {sendcounts, sendtypes}, {recvcounts, recvtypes}, unless_in_place(sendbuf)};
}
template <class N>
MERIDIAN_COLL Reduce(N count, MPI_Datatype type, int root, MPI_Comm comm) noexcept {
  return Coll<Block<N>, Nothing>{comm, root, {count, type}, {}, Significant::send_only};
}
template <class N>
MERIDIAN_COLL Allreduce(N count, MPI_Datatype type, MPI_Comm comm) noexcept {
  return Coll<Block<N>, Block<N>>{comm, kWithoutRoot, {count, type}, {count, type}, Significant::both};
}
template <class N>
MERIDIAN_COLL Scan(N count, MPI_Datatype type, MPI_Comm comm) noexcept {
  return Allreduce(count, type, comm);
}
template <class N>
MERIDIAN_COLL Exscan(N count, MPI_Datatype type, MPI_Comm comm) noexcept {
  return Allreduce(count, type, comm);
}
template <class N>
MERIDIAN_COLL ReduceScatter(const N* recvcounts, MPI_Datatype type, MPI_Comm comm) noexcept {
  return Coll<Blocks<N>, Nothing>{comm, kWithoutRoot, {recvcounts, type}, {}, Significant::send_only};
}
template <class N>
MERIDIAN_COLL ReduceScatterBlock(N recvcount, MPI_Datatype type, MPI_Comm comm) noexcept {
  return Coll<Nothing, Block<N>>{comm, kWithoutRoot, {}, {recvcount, type}, Significant::receive_only};
}

/// Neighbourhood collectives: one block for each neighbour of the topology, in each direction.
struct Neighbours {
  static int of(MPI_Comm comm, bool out) noexcept;
};
template <class Count>
struct NeighbourBlock {
  Count count;
  MPI_Datatype type;
  bool out;
  std::uint64_t bytes(MPI_Comm comm) const noexcept {
    return block_bytes(count, type) * static_cast<std::uint64_t>(Neighbours::of(comm, out));
  }
};
template <class Count>
struct NeighbourBlocks {
  const Count* counts;
  MPI_Datatype type;
  bool out;
  std::uint64_t bytes(MPI_Comm comm) const noexcept {
    std::uint64_t elements = 0;
    for (int i = 0, n = Neighbours::of(comm, out); i < n; ++i)
      elements += counts[i] > 0 ? static_cast<std::uint64_t>(counts[i]) : 0;
    return elements * type_bytes(type);
  }
};
template <class Count>
struct NeighbourTypedBlocks {
  const Count* counts;
  const MPI_Datatype* types;
  bool out;
  std::uint64_t bytes(MPI_Comm comm) const noexcept {
    std::uint64_t sum = 0;
    for (int i = 0, n = Neighbours::of(comm, out); i < n; ++i)
      if (counts[i] > 0) sum += block_bytes(counts[i], types[i]);
    return sum;
  }
};
template <class N, class M>
MERIDIAN_COLL NeighborAllgather(N sendcount, MPI_Datatype sendtype, M recvcount, MPI_Datatype recvtype,
                                MPI_Comm comm) noexcept {
  return Coll<NeighbourBlock<N>, NeighbourBlock<M>>{
      comm, kWithoutRoot, {sendcount, sendtype, true}, {recvcount, recvtype, false}, Significant::both};
}
template <class N, class M>
MERIDIAN_COLL NeighborAllgatherv(N sendcount, MPI_Datatype sendtype, const M* recvcounts, MPI_Datatype recvtype,
                                 MPI_Comm comm) noexcept {
  return Coll<NeighbourBlock<N>, NeighbourBlocks<M>>{
      comm, kWithoutRoot, {sendcount, sendtype, true}, {recvcounts, recvtype, false}, Significant::both};
}
template <class N, class M>
MERIDIAN_COLL NeighborAlltoall(N sendcount, MPI_Datatype sendtype, M recvcount, MPI_Datatype recvtype,
                               MPI_Comm comm) noexcept {
  return NeighborAllgather(sendcount, sendtype, recvcount, recvtype, comm);
}
template <class N, class M>
MERIDIAN_COLL NeighborAlltoallv(const N* sendcounts, MPI_Datatype sendtype, const M* recvcounts, MPI_Datatype recvtype,
                                MPI_Comm comm) noexcept {
  return Coll<NeighbourBlocks<N>, NeighbourBlocks<M>>{
      comm, kWithoutRoot, {sendcounts, sendtype, true}, {recvcounts, recvtype, false}, Significant::both};
}
template <class N, class M>
MERIDIAN_COLL NeighborAlltoallw(const N* sendcounts, const MPI_Datatype* sendtypes, const M* recvcounts,
                                const MPI_Datatype* recvtypes, MPI_Comm comm) noexcept {
  return Coll<NeighbourTypedBlocks<N>, NeighbourTypedBlocks<M>>{
      comm, kWithoutRoot, {sendcounts, sendtypes, true}, {recvcounts, recvtypes, false}, Significant::both};
}
#undef MERIDIAN_COLL

}  // namespace meridian::record
