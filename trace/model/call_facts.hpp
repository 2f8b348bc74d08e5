// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is known about a call besides its name and group: from the words of mpi_calls.def. The facts about calls of threads,
// locks and OpenMP are in lock_calls.hpp.

#include <cstdint>
#include <string_view>

#include "trace/model/call_id.hpp"

namespace meridian {

/// The meaning of a call for matching: a column of trace/model/call_words.def.
enum class Role : std::uint8_t {
  plain,       ///< only enter and leave
  send,        ///< sends a message; the buffer can be reused when the call returns
  receive,     ///< receives a message, complete when the call returns
  sendrecv,    ///< one of each
  isend,       ///< a send that its request completes
  irecv,       ///< a receive that its request completes
  isendrecv,   ///< a send, and a receive that the request completes
  send_init,   ///< makes a persistent request; each start is a send
  recv_init,   ///< makes a persistent request; each start is a receive
  psend_init,  ///< partitioned send_init; pairs only with precv_init
  precv_init,
  probe,   ///< examines a message without receiving it
  mprobe,  ///< removes a message from its channel; Mrecv or Imrecv receives it
  mrecv,
  imrecv,
  complete,  ///< Wait*, Test*
  start,
  cancel,
  request_free,
  make_request,     ///< one that is neither a message nor a collective
  look_at,          ///< examines requests: Request_get_status*
  collective,       ///< blocking
  icollective,      ///< ends with its request
  collective_init,  ///< makes a request; each start is a collective
  put,              ///< one-sided or file access: bytes go out
  get,              ///< bytes come in
  exchange,         ///< both (Get_accumulate, Fetch_and_op, ...)
  use_comm,         ///< about one communicator
  free_comm,        ///< gives it back: its handle may be used again
  make_window,
  open_file,
  init,  ///< the world model begins: MPI_Init, MPI_Init_thread
  finalize,
  session_init,
  session_finalize,
};

/// The order that a collective implies: the enters that each exit must follow. The numbers are those of /parts/shape in
/// merged files.
enum class CollectiveShape : std::uint8_t {
  all_to_all,  ///< every exit follows every enter (Barrier, Allreduce, Alltoall...)
  one_to_all,  ///< every exit follows the root's enter (Bcast, Scatter...)
  all_to_one,  ///< the root's exit follows every enter (Reduce, Gather...)
  prefix,      ///< an exit follows the enters of lower ranks (Scan, Exscan)
  none,        ///< no order is implied (neighbourhood collectives, no data)
};

/// The rule by which a collective's bytes follow from its arguments: see the table in FORMAT.md, "Bytes of
/// collectives".
enum class BytesRule : std::uint8_t {
  nothing,    ///< Barrier
  broadcast,  ///< Bcast
  gather,     ///< Gather
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  as_recorded,      ///< Alltoallv, Alltoallw: sums over the arguments
  over_neighbours,  ///< neighbourhood collectives: the same
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
};

/// Whether a call returns only after other ranks have acted.
enum class Blocks : std::uint8_t {
  no,
  for_all,              ///< on all messages and collectives that the call is about
  for_any,              ///< on one of them (MPI_Waitany)
  for_receive,          ///< on the receive of its message (MPI_Ssend)
  for_receive_or_copy,  ///< the same, unless MPI has copied the message (MPI_Send)
};

/// What a program waits for that repeats a call until it has found something.
enum class Poll : std::uint8_t {
  no,
  request,
  message,
  epoch,  ///< of a window (MPI_Win_test)
};

struct CallFacts {
  Role role = Role::plain;
  Blocks blocks = Blocks::no;
  Poll poll = Poll::no;
  CollectiveShape shape = CollectiveShape::none;  ///< collectives only, as are the next two
  BytesRule bytes = BytesRule::nothing;
  std::uint8_t kind = 0;  ///< equal for Bcast, Ibcast, Bcast_init and their large-count forms; 0: not a collective
  bool makes_comm = false;
  bool is_collective_io = false;  ///< on a file, together with the other ranks that have opened it
  bool starts_collective_io =
      false;  ///< likewise, and returns only after the others have come, if the library has it so
  bool requests_collective_io = false;  ///< likewise, but returns at once: the call that completes it may have to wait
  bool is_metadata_io = false;          ///< concerns the file itself, not its data
};

/// True if the call makes a request, and each start of it is the operation.
constexpr bool is_persistent(Role role) noexcept {
  return role == Role::send_init || role == Role::recv_init || role == Role::psend_init || role == Role::precv_init ||
         role == Role::collective_init;
}

/// Whether MPI, or a session, begins or ends in the call: its time belongs to no share of the run.
constexpr bool starts_or_ends_mpi(Role role) noexcept { return role >= Role::init; }
/// Whether the call moves data one-sidedly or to and from files; other calls of these groups make, synchronize and free.
constexpr bool is_access(Role role) noexcept {
  return role == Role::put || role == Role::get || role == Role::exchange;
}
/// Whether calls of the group access files: by MPI, or by the program itself.
constexpr bool is_of_files(CallGroup group) noexcept { return group == CallGroup::io || group == CallGroup::files; }
/// Whether MPI procedures of the group move data of the program, or complete such calls.
constexpr bool moves_data(CallGroup group) noexcept {
  return group == CallGroup::p2p || group == CallGroup::request || group == CallGroup::coll ||
         group == CallGroup::rma || group == CallGroup::io;
}

/// Whether the call waits for a message that it does not receive.
constexpr bool is_blocking_probe(const CallFacts& facts) noexcept {
  return (facts.role == Role::probe || facts.role == Role::mprobe) && facts.blocks != Blocks::no;
}
/// Whether the call sends a message, and returns only after the receive was posted or MPI has copied the message.
constexpr bool blocks_sending(const CallFacts& facts) noexcept {
  return facts.blocks == Blocks::for_receive || facts.blocks == Blocks::for_receive_or_copy;
}
/// Whether the tracer has one record for all calls that follow one another and find nothing: is_poll() in pmpi/rings/polls.hpp.
constexpr bool is_recorded_in_phases(const CallFacts& facts) noexcept {
  return facts.poll != Poll::no && facts.role != Role::plain;
}

/// Plain for CallId::none.
const CallFacts& facts_of(CallId call) noexcept;

/// A call by the name that files and summaries have for it: of another build, too, whose ids differ.
struct NamedFacts {
  CallId id = CallId::none;  ///< none: a call that this build does not know
  CallGroup group = CallGroup::none;
  CallFacts facts{};
};
NamedFacts facts_of(std::string_view name) noexcept;
/// CallGroup::none for an unknown name.
CallGroup group_by_name(std::string_view name) noexcept;
/// Whether a name is that of an MPI procedure, known to this build or not.
constexpr bool is_mpi_name(std::string_view name) noexcept { return name.starts_with("MPI_"); }

}  // namespace meridian
