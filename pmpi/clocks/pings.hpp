// SPDX-License-Identifier: Apache-2.0
#pragma once

// Round trips between two ranks, four stamps each, on a communicator of the tracer's own. Bounded in time: a peer that
// does not answer, or is not there, costs the patience that the caller has, and nothing else.

#include <mpi.h>

#include <cstdint>

#include "pmpi/clocks/schedule.hpp"
#include "trace/model/event.hpp"

namespace meridian {

struct Ping {
  std::uint64_t received_ticks = 0;  ///< of the answer
  std::uint64_t replied_ticks = 0;
  std::int64_t passed_ns = 0;    ///< of the question: time since point 0 of the grid
  std::uint32_t question = 0;    ///< its number; the answer repeats it
  std::uint32_t answer = 0;      ///< its number; the next question repeats it: only then is it none that was left over
  std::uint64_t is_last = 0;     ///< of the question: the peer need not wait for another one
  std::uint64_t is_goodbye = 0;  ///< nothing follows on this table
};

/// What one side of a pair keeps from one meeting to the next. Not moved: MPI knows the address of `message`.
struct PingPair {
  int peer = 0;  ///< rank in the communicator
  int round = 0;
  bool asks = false;
  std::uint32_t number = 0;  ///< of the last question or answer that was sent
  MPI_Request request{};     ///< of the send of `message`, which may outlast a meeting
  Ping message;
  EpochPace pace;
};

/// The pairs of this rank, by round. Messages of another table have another tag.
struct PingTable {
  MPI_Comm comm{};
  int tag = 0;
  int count = 0;
  PingPair* pairs = nullptr;
};

struct PingPlan {
  AnchorPhase phase{};
  int most = 100;              ///< round trips
  int idle = 25;               ///< of them in a row may improve neither direction before the pair is done
  std::int64_t enough_ns = 0;  ///< when they take longer than this together, few of them have to do
  std::int64_t end_ns = 0;     ///< CLOCK_MONOTONIC: until when to wait for the peer
  std::int64_t more_ns = 0;    ///< how long to wait, from each message on, for a peer that is there
};

/// The meeting of one pair; true: it came to its end. Whoever answers takes `grid` from the one who asks.
bool meet(const PingTable& table, PingPair& pair, const PingPlan& plan, EpochGrid& grid) noexcept;

/// Receives whatever meetings that failed have left, until both sides of every pair have said that nothing follows: MPI
/// libraries complain of messages that nobody has received. False: a peer did not say so by then.
bool say_goodbye(const PingTable& table, std::int64_t end_ns) noexcept;

/// Fills `table` with the pairs of the rank that leads domain `domain`; `leaders`: rank of each domain's. False: there
/// is no memory.
bool make_pairs(PingTable& table, int domain, const int* leaders, int domains, int most_star) noexcept;

/// Waits until `request` is complete, at most until `end_ns`.
bool complete(MPI_Request& request, std::int64_t end_ns) noexcept;

}  // namespace meridian
