// SPDX-License-Identifier: Apache-2.0
#pragma once

// Processes that the program starts, or meets, while it runs: what both sides know of their communicator goes into the
// trace, so that the merger can put their traces together. No message is ever sent for it: the other side may not be
// traced. Cold.

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "pmpi/calls/record_comm.hpp"
#include "trace/ring/ring_layout.hpp"

namespace meridian {

/// True in a process that MPI_Comm_spawn has started.
bool has_parents() noexcept;

/// Records the communicator with the parents, if there are any.
void store_parent_comm() noexcept;

/// What the children of one call are told, made before it. Only the root's arguments count, so at others it does
/// nothing. The program's infos stay as they are: MPI gets copies.
class Offspring {
 public:
  Offspring(MPI_Comm comm, int root) noexcept;
  ~Offspring();
  Offspring(const Offspring&) = delete;
  Offspring& operator=(const Offspring&) = delete;

  bool is_told() const noexcept { return path_[0] != '\0'; }
  /// What to pass in place of `given`. The copy lives as long as this object.
  MPI_Info info(MPI_Info given) noexcept;
  const MPI_Info* infos(int count, const MPI_Info* given) noexcept;
  /// The call has made `intercomm`.
  void store(MPI_Comm intercomm) noexcept;

 private:
  static constexpr int kOnStack = 16;
  bool is_root_ = false;
  bool is_stored_ = false;
  int count_ = 0;
  std::size_t mapped_bytes_ = 0;
  char token_[20] = "-";
  char path_[kPathBytes] = {};
  MPI_Info on_stack_[kOnStack];
  MPI_Info* copies_ = on_stack_;
};

namespace record {

/// MPI_Comm_spawn: at the root, with what the children were told.
struct Spawned : NewCommunicator {
  Offspring* offspring;
  Spawned(MPI_Comm comm, const MPI_Comm* made_, Offspring& offspring_) noexcept
      : NewCommunicator{comm, made_, false}, offspring{&offspring_} {}
  void done() const noexcept {
    NewCommunicator::done();
    offspring->store(*made);
  }
};

}  // namespace record
}  // namespace meridian
