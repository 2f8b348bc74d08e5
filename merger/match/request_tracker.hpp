// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "merger/containers/index_map.hpp"
#include "merger/match/rank_context.hpp"
#include "merger/match/recorded_sides.hpp"
#include "merger/match/request_table.hpp"

namespace meridian {

/// Follows the requests of one rank from the call that makes them: starts, cancels, completions and frees, and passes
/// on to the matchers what each request sent, received or took part in.
class RequestTracker {
 public:
  RequestTracker(const RankContext& at, RecordedSides& sides) : at_{at}, sides_{sides} {}

  /// A call has made a request; handle 0: it has not. Ends the request that had this handle before.
  void add(const Call& call, std::uint64_t handle, Request request);
  std::uint32_t add_collective(const PersistentCollective& collective) { return requests_.add_collective(collective); }

  void enter_complete(const Call& call, EventRow& row, Pending& pending);
  void leave_complete(const Call& call, Pending& pending);
  /// MPI_Start, MPI_Startall.
  void enter_start(const Call& call, EventRow& row);
  void enter_cancel(const Call& call);
  void enter_free(const Call& call);
  /// After the last call.
  void end();

 private:
  std::uint32_t find(const Call& call, std::uint64_t handle);
  void start(const Call& call, Request& request);
  void finish(const Call& call, Request& request, const Completion& completion);
  void end_cancel(const Request& request, bool is_cancelled);
  void give_up(Request& request, std::size_t stretch);

  const RankContext& at_;
  RecordedSides& sides_;
  RequestTable requests_;
  IndexMap<HandleKey> shared_;  // handles that several requests had at once
};

}  // namespace meridian
