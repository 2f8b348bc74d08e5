// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ping-pong exchanges between two ranks, with four stamps each, on a communicator of the tracer's own. Bounded in time:
// a peer that is late or dead costs no more than the caller's patience.

#include <mpi.h>

#include <cstdint>

#include "pmpi/clocks/schedule.hpp"
#include "trace/model/event.hpp"

namespace meridian {

struct Ping {
  std::uint64_t received_ticks = 0;  ///< in answers: when the question was received
  std::uint64_t replied_ticks = 0;
  std::int64_t passed_ns = 0;    ///< in questions: time since point 0 of the grid
  std::uint32_t question = 0;    ///< number of the question; the answer repeats it
  std::uint32_t answer = 0;      ///< number of the answer; the next question repeats it, which identifies questions of
                                 ///< an earlier session
  std::uint64_t is_last = 0;     ///< in questions: the peer need not wait for another one
  std::uint64_t is_goodbye = 0;  ///< no further message on this table
};

struct PingPeer {
  int rank = 0;  ///< in the communicator of the exchanges
  int world_rank = 0;
};

/// The state that one side of a pair keeps between sessions. Not movable: MPI knows the address of `message`.
struct PingPair {
  PingPeer peer;
  int round = 0;
  bool asks = false;
  std::uint32_t number = 0;  ///< of the last question or answer that was sent
  MPI_Request request{};     ///< of the send of `message`, which may outlast a session
  Ping message;
  EpochPace pace;
};

/// The pairs of this rank, by round. Each table has its own message tag.
struct PingTable {
  MPI_Comm comm{};
  int tag = 0;
  int count = 0;
  PingPair* pairs = nullptr;
};

struct PingPlan {
  AnchorPhase phase{};
  int most = 100;              ///< most exchanges per session
  int idle = 25;               ///< the session ends after this many in a row without improvement in either direction
  std::int64_t enough_ns = 0;  ///< if the exchanges take longer than this in total, a few are enough
  std::int64_t end_ns = 0;     ///< CLOCK_MONOTONIC: end of the wait for the peer
  std::int64_t more_ns = 0;    ///< longest wait for each message from a peer that is present
};

/// Holds one session of one pair; true: it was completed. The answering side takes `grid` from the asking one.
bool meet(const PingTable& table, PingPair& pair, const PingPlan& plan, EpochGrid& grid) noexcept;

/// Receives all messages that failed sessions left, until both sides of every pair have sent a goodbye: MPI libraries
/// complain about messages that were never received. False: a peer did not send its goodbye in time.
bool say_goodbye(const PingTable& table, std::int64_t end_ns) noexcept;

/// Fills `table` with the pairs of the rank that leads domain `domain`; `leaders`: first rank of each domain. False:
/// out of memory.
bool make_pairs(PingTable& table, int domain, const PingPeer* leaders, int domains, int most_star) noexcept;

/// Waits for the completion of `request` until `end_ns` at the latest.
bool complete(MPI_Request& request, std::int64_t end_ns) noexcept;

}  // namespace meridian
