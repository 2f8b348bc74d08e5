// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "merger/model/event_ref.hpp"
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
  for_all,  ///< on all messages and collectives that the call is about
  for_any,  ///< on one of them (MPI_Waitany)
};

struct CallRole {
  Role role = Role::plain;
  Blocks blocks = Blocks::no;
  CollectiveShape shape = CollectiveShape::none;  ///< collectives only, as are the next two
  BytesRule bytes = BytesRule::nothing;
  std::uint8_t kind = 0;  ///< equal for Bcast, Ibcast, Bcast_init and their large-count forms; 0: not a collective
};

/// True if the call makes a request, and each start of it is the operation.
constexpr bool is_persistent(Role role) noexcept {
  return role == Role::send_init || role == Role::recv_init || role == Role::psend_init || role == Role::precv_init ||
         role == Role::collective_init;
}

/// The role of a call; plain for CallId::none.
const CallRole& role_of(CallId call) noexcept;
/// Whether the call creates a communicator.
bool makes_comm(CallId call) noexcept;

}  // namespace meridian
