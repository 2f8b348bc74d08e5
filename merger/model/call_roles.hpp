// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "merger/model/event_ref.hpp"
#include "trace/model/call_id.hpp"

namespace meridian {

/// What a call means to matching. Forms that differ in the type of their counts (..._c) have one role.
enum class Role : std::uint8_t {
  plain,       ///< only enter and leave
  send,        ///< a message, given away when the call returns
  receive,     ///< a message, there when the call returns
  sendrecv,    ///< one of each
  isend,       ///< a send that ends with its request
  irecv,       ///< a receive that ends with its request
  isendrecv,   ///< a send, and a receive that ends with the request
  send_init,   ///< makes a request; each start is a send
  recv_init,   ///< makes a request; each start is a receive
  psend_init,  ///< partitioned send_init, which pairs only with precv_init
  precv_init,
  probe,   ///< looks at a message and leaves it
  mprobe,  ///< takes a message out of its channel; Mrecv or Imrecv receives it
  mrecv,
  imrecv,
  complete,  ///< Wait*, Test*
  start,
  cancel,
  request_free,
  collective,       ///< blocking
  icollective,      ///< ends with its request
  collective_init,  ///< makes a request; each start is a collective
  put,              ///< one-sided or file access: bytes go out
  get,              ///< bytes come in
  exchange,         ///< both (Get_accumulate, Fetch_and_op, ...)
  use_comm,         ///< about one communicator (Comm_free, Comm_set_name, ...)
  make_window,
  open_file,
};

/// How the bytes of a collective follow from its arguments: table in FORMAT.md, "Bytes of collectives".
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
  as_recorded,  ///< Alltoallv, Alltoallw, neighbourhood: sums over the arguments
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
};

struct CallRole {
  Role role = Role::plain;
  CollectiveShape shape = CollectiveShape::none;  ///< collectives only, as are the next two
  BytesRule bytes = BytesRule::nothing;
  std::uint8_t kind = 0;  ///< equal for Bcast, Ibcast, Bcast_init and their large forms; 0: no collective
};

/// The role of a call; plain for CallId::none.
const CallRole& role_of(CallId call) noexcept;

/// The same by name ("MPI_Ibcast_c").
CallRole role_by_name(std::string_view name) noexcept;

}  // namespace meridian
