// hot
#pragma once

#include "pmpi/record.hpp"

namespace meridian {

/// Describes *made, made from `parent` (MPI_COMM_NULL: from none). `still_pending`: MPI_Comm_idup, whose result may not
/// be used yet, but has its parent's groups.
[[gnu::cold, gnu::noinline]] void describe_comm(CommBirth& birth, MPI_Comm parent, MPI_Comm made,
                                                bool still_pending) noexcept;

/// Stores the members of `made` as further records if this rank is the first in its group.
[[gnu::cold, gnu::noinline]] void store_members(MPI_Comm parent, MPI_Comm made, bool still_pending) noexcept;

namespace record {

struct NewCommunicator : With<CommBirth> {
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
/// MPI_Comm_idup: the communicator may not be used yet.
[[gnu::always_inline]] inline WithRequest<NewCommunicator> Requested(NewCommunicator made,
                                                                     const MPI_Request* request) noexcept {
  return {{made.parent, made.made, true}, request};
}

}  // namespace record
}  // namespace meridian
