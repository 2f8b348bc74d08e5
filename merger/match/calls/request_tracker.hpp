// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "merger/match/calls/rank_context.hpp"
#include "merger/match/calls/recorded_sides.hpp"
#include "merger/match/calls/request_table.hpp"
#include "trace/containers/index_map.hpp"

namespace meridian {

/// Tracks the requests of one rank from the call that makes them: starts, cancels, completions and frees; passes the
/// effect of each request on to the matchers.
class RequestTracker {
 public:
  RequestTracker(const RankContext& at, RecordedSides& sides) : at_{at}, sides_{sides} {}

  /// A call has made a request; handle 0: none. Ends the earlier request with this handle.
  void add(const Call& call, std::uint64_t handle, Request request);
  /// The same of a request whose call is before the trace begins.
  void add_before(std::uint64_t handle, const Request& request) { requests_.add(handle, request); }
  std::uint32_t add_collective(const PersistentCollective& collective) { return requests_.add_collective(collective); }

  void enter_complete(const Call& call, EventRow& row, Pending& pending);
  void leave_complete(const Call& call, Pending& pending);
  /// MPI_Start, MPI_Startall.
  void enter_start(const Call& call, EventRow& row);
  void enter_cancel(const Call& call);
  void enter_free(const Call& call, EventRow& row);
  /// MPI_Request_get_status.
  void look_at(const Call& call);
  /// Call after the last call of the rank.
  void end();

 private:
  std::uint32_t find(const Call& call, std::uint64_t handle);
  void start(const Call& call, Request& request);
  void finish(const Call& call, Request& request, const Completion& completion);
  void end_cancel(const Request& request, bool is_cancelled);
  void give_up(Request& request, std::size_t stretch, bool is_freed = false);
  bool describe_received(const Call& call, const Request& request, const Completion& completion, EventRow& row) const;

  const RankContext& at_;
  RecordedSides& sides_;
  RequestTable requests_;
  IndexMap<HandleKey> shared_;  // handles that several requests had at the same time
};

}  // namespace meridian
