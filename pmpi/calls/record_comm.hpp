// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pmpi/calls/record.hpp"

namespace meridian {

/// Describes *made, which was made from `parent` (MPI_COMM_NULL: from none). `still_pending`: the result of
/// MPI_Comm_idup, which cannot be used yet but has its parent's groups.
[[gnu::cold, gnu::noinline]] void describe_comm(CommBirth& birth, MPI_Comm parent, MPI_Comm made,
                                                bool still_pending) noexcept;

/// Stores the members of `made` as further records if this rank is the first in its group.
[[gnu::cold, gnu::noinline]] void store_members(MPI_Comm parent, MPI_Comm made, bool still_pending) noexcept;

/// Stores a text that identifies a communicator across processes (kCommLinkKey). Each member stores the tag or string with
/// which it was made, the root stores a port, each process a socket, and the leaders those of MPI_Intercomm_create.
[[gnu::cold, gnu::noinline]] void store_link(MPI_Comm comm, const char* kind, const char* what) noexcept;
[[gnu::cold, gnu::noinline]] void store_port_link(MPI_Comm comm, int root, MPI_Comm made, const char* kind,
                                                  const char* port) noexcept;
[[gnu::cold, gnu::noinline]] void store_join_link(MPI_Comm made, int fd) noexcept;
[[gnu::cold, gnu::noinline]] void store_leaders_link(MPI_Comm local, int leader, MPI_Comm peer, int remote_leader,
                                                     int tag, MPI_Comm made) noexcept;
[[gnu::cold, gnu::noinline]] void store_tag_link(int tag, MPI_Comm made) noexcept;
[[gnu::cold, gnu::noinline]] void store_label_link(const char* label, MPI_Comm made) noexcept;

namespace record {

struct NewCommunicator : With<CommBirth> {
  static constexpr bool kIsRare = true;
  static constexpr Payload kPayload = Payload::comm;
  static constexpr bool kDefines = true;
  static constexpr bool kReceives = true;
  MPI_Comm parent;
  const MPI_Comm* made;
  bool still_pending;

  NewCommunicator(MPI_Comm parent_, const MPI_Comm* made_, bool still_pending_) noexcept
      : parent{parent_}, made{made_}, still_pending{still_pending_} {}
  void before(std::uint64_t* words) const noexcept {
    body<CommBirth>(words) = {};
    body<CommBirth>(words).parent = handle_word(parent);
  }
  std::uint64_t after(std::uint64_t* words) const noexcept {
    describe_comm(body<CommBirth>(words), parent, *made, still_pending);
    return 0;
  }
  void done() const noexcept { store_members(parent, *made, still_pending); }
};

[[gnu::always_inline]] inline NewCommunicator NewComm(MPI_Comm parent, const MPI_Comm* made) noexcept {
  return {parent, made, false};
}

struct MadeWithTag : NewCommunicator {
  int tag;
  MadeWithTag(MPI_Comm parent_, int tag_, const MPI_Comm* made_) noexcept
      : NewCommunicator{parent_, made_, false}, tag{tag_} {}
  void done() const noexcept {
    NewCommunicator::done();
    store_tag_link(tag, *made);
  }
};
[[gnu::always_inline]] inline MadeWithTag TaggedComm(MPI_Comm parent, int tag, const MPI_Comm* made) noexcept {
  return {parent, tag, made};
}

struct MadeWithLabel : NewCommunicator {
  static constexpr bool kReadsText = true;
  const char* label;
  MadeWithLabel(const char* label_, const MPI_Comm* made_) noexcept
      : NewCommunicator{g_mpi.comm_null, made_, false}, label{label_} {}
  void done() const noexcept {
    NewCommunicator::done();
    store_label_link(label, *made);
  }
};
[[gnu::always_inline]] inline MadeWithLabel LabelledComm(const char* label, const MPI_Comm* made) noexcept {
  return {label, made};
}

struct MadeThroughPort : NewCommunicator {
  static constexpr bool kReadsText = true;
  const char* kind;
  const char* port;  // significant at the root
  int root;
  MPI_Comm comm;
  MadeThroughPort(const char* kind_, const char* port_, int root_, MPI_Comm comm_, const MPI_Comm* made_) noexcept
      : NewCommunicator{comm_, made_, false}, kind{kind_}, port{port_}, root{root_}, comm{comm_} {}
  void done() const noexcept {
    NewCommunicator::done();
    store_port_link(comm, root, *made, kind, port);
  }
};
[[gnu::always_inline]] inline MadeThroughPort Accepted(const char* port, int root, MPI_Comm comm,
                                                       const MPI_Comm* made) noexcept {
  return {"accept", port, root, comm, made};
}
[[gnu::always_inline]] inline MadeThroughPort Connected(const char* port, int root, MPI_Comm comm,
                                                        const MPI_Comm* made) noexcept {
  return {"connect", port, root, comm, made};
}

struct MadeByJoin : NewCommunicator {
  int fd;
  MadeByJoin(int fd_, const MPI_Comm* made_) noexcept : NewCommunicator{g_mpi.comm_null, made_, false}, fd{fd_} {}
  void done() const noexcept {
    NewCommunicator::done();
    store_join_link(*made, fd);
  }
};
[[gnu::always_inline]] inline MadeByJoin Joined(int fd, const MPI_Comm* made) noexcept { return {fd, made}; }

struct MadeThroughLeaders : NewCommunicator {
  int leader;
  MPI_Comm peer;  // significant at the leader, as are the following
  int remote_leader;
  int tag;
  MadeThroughLeaders(MPI_Comm local_, int leader_, MPI_Comm peer_, int remote_leader_, int tag_,
                     const MPI_Comm* made_) noexcept
      : NewCommunicator{local_, made_, false}, leader{leader_}, peer{peer_}, remote_leader{remote_leader_}, tag{tag_} {}
  void done() const noexcept {
    NewCommunicator::done();
    store_leaders_link(parent, leader, peer, remote_leader, tag, *made);
  }
};
[[gnu::always_inline]] inline MadeThroughLeaders ThroughLeaders(MPI_Comm local, int leader, MPI_Comm peer,
                                                                int remote_leader, int tag,
                                                                const MPI_Comm* made) noexcept {
  return {local, leader, peer, remote_leader, tag, made};
}

/// MPI_Comm_idup: the communicator cannot be used yet.
[[gnu::always_inline]] inline WithRequest<NewCommunicator> Requested(NewCommunicator made,
                                                                     const MPI_Request* request) noexcept {
  return {{made.parent, made.made, true}, request};
}

}  // namespace record
}  // namespace meridian
