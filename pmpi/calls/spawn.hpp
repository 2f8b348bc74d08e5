// SPDX-License-Identifier: Apache-2.0
#pragma once

// Processes that the program starts, or connects to, while it runs: the trace gets data that both sides of their
// communicator know, so that the merger can pair them. No message is sent for it, because the other side may not be
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

/// The data that the tracer passes to the children of one call, prepared before it. Only the root's arguments are
/// significant; at other ranks it does nothing. The program's infos remain unchanged: MPI gets copies.
class Offspring {
 public:
  Offspring(MPI_Comm comm, int root) noexcept;
  ~Offspring();
  Offspring(const Offspring&) = delete;
  Offspring& operator=(const Offspring&) = delete;

  bool is_told() const noexcept { return path_[0] != '\0'; }
  /// The info to pass instead of `given`. The copy lives as long as this object.
  MPI_Info info(MPI_Info given) noexcept;
  const MPI_Info* infos(int count, const MPI_Info* given) noexcept;
  /// Called after the call has made `intercomm`.
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

/// MPI_Comm_spawn: at the root, with the data passed to the children.
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
