#pragma once

#include <cstdint>
#include <vector>

#include "merger/clocks/clock_map.hpp"
#include "merger/event_row.hpp"
#include "merger/findings.hpp"
#include "merger/load/communicators.hpp"
#include "merger/load/objects.hpp"
#include "merger/load/thread_cursor.hpp"
#include "merger/match/call_roles.hpp"
#include "merger/match/collective_bytes.hpp"
#include "merger/match/lock_table.hpp"
#include "merger/match/match_collectives.hpp"
#include "merger/match/match_messages.hpp"
#include "merger/match/recording_gaps.hpp"
#include "merger/match/request_table.hpp"
#include "merger/sites/sites.hpp"
#include "merger/statistics/user_statistics.hpp"
#include "trace/format/rank_file.hpp"

namespace meridian {

/// What the calls of a trace are given to.
struct Matchers {
  MessageMatcher& messages;
  CollectiveMatcher& collectives;
  MessageMatcher& user_messages;       ///< of the program's own layers
  std::vector<ValueTotals>& counters;  ///< [UserDefinitions::list]
  ObjectTotals& objects;
};

/// Understands the calls of one rank: follows its handles, makes the row of each call, and tells the matchers what was
/// sent, posted, entered and completed. Give it enter() and leave() of every call in the order of RankCursor.
class CallTracker {
 public:
  struct Context {
    std::uint32_t rank_index = 0;  ///< among the ranks present
    std::int32_t rank = 0;         ///< in MPI_COMM_WORLD
    std::size_t threads = 0;
    std::uint16_t unknown_call = 0;  ///< number in /calls for calls that this build does not know
    ClockMap clock;
    const std::vector<Communicator>* communicators = nullptr;
    CommResolver* resolver = nullptr;
    Findings* findings = nullptr;
    LockTable* locks = nullptr;    ///< takes the lock calls; may be null
    Matchers* matchers = nullptr;  ///< nullptr: only rows are wanted, and findings are not counted again
    const UserDefinitions* user = nullptr;
    RankSites* sites = nullptr;
    const RecordingGaps* gaps = nullptr;  ///< with `matchers`
  };
  explicit CallTracker(const Context& context);

  EventRow enter(const Call& call, std::uint32_t thread_index);
  void leave(const Call& call, std::uint32_t thread_index);
  /// After the last call.
  void end();

 private:
  /// What a call that is under way will have done when it leaves.
  struct Pending {
    ReceiveId receive = kNoReceive;
    PartId part;
    std::uint32_t series = 0;
    std::uint64_t send_number = 0;
    const LocalComm* comm = nullptr;
    std::vector<std::uint32_t> requests;  // one per completion
  };
  struct Message {
    const LocalComm* comm = nullptr;
    ReceiveId receive = kNoReceive;
    std::size_t stretch = 0;
  };

  Caller caller(const Call& call) const noexcept;
  std::size_t stretch(const Call& call) const noexcept {
    return at_.gaps == nullptr ? 0 : at_.gaps->stretch(call.enter_ticks);
  }
  bool is_unsure(const Call& call, const LocalComm& comm);
  bool is_left_out(const Call& call, const LocalComm& comm, bool is_send, std::int64_t bytes);
  bool is_left_out(bool is_send, std::int64_t bytes);
  std::uint32_t find_request(const Call& call, std::uint64_t handle);
  ReceiveId post(const Call& call, const LocalComm& comm, std::int32_t source, std::int32_t tag, std::uint64_t room,
                 bool is_partitioned = false);
  void complete(ReceiveId receive, const Call& call, std::int32_t source, std::int32_t tag, std::int64_t bytes);
  const LocalComm* resolve(std::uint64_t handle, const Call& call);
  void describe(EventRow& row, const LocalComm* comm, std::int32_t peer, std::int32_t tag) const noexcept;

  void enter_send(const Call& call, const PointToPoint& p2p, EventRow& row, Pending& pending);
  void enter_receive(const Call& call, const PointToPoint& p2p, EventRow& row, Pending& pending);
  void enter_blocking_receive(const Call& call, const PointToPoint& p2p, EventRow& row, Pending& pending);
  void enter_sendrecv(const Call& call, EventRow& row, Pending& pending);
  void enter_probe(const Call& call, EventRow& row, Pending& pending, bool takes_message);
  void enter_matched_receive(const Call& call, EventRow& row, Pending& pending);
  void enter_complete(const Call& call, EventRow& row, Pending& pending);
  void enter_start(const Call& call, EventRow& row);
  void enter_cancel(const Call& call);
  void enter_free(const Call& call);
  void enter_collective(const Call& call, const CallRole& what, EventRow& row, Pending& pending);
  void enter_user(const Call& call, EventRow& row);
  void enter_other(const Call& call, const CallRole& what, EventRow& row);

  void leave_receive(const Call& call, Pending& pending);
  void leave_complete(const Call& call, Pending& pending);
  void leave_collective(const Call& call, const CallRole& what, Pending& pending);
  void finish_request(const Call& call, Request& request, const Completion& completion);
  void make_request(const Call& call, const CallRole& what, Pending& pending);
  void add_request(const Call& call, std::uint64_t handle, Request request);
  void give_up(Request& request, std::size_t stretch);

  Context at_;
  std::vector<Pending> pending_;  // [thread]
  RequestTable requests_;
  IndexMap<HandleKey> messages_;  // matched probe: handle -> number in message_list_
  std::vector<Message> message_list_;
  std::vector<std::uint32_t> free_messages_;
  IndexMap<HandleKey> shared_;              // handles that several requests had at once
  std::vector<std::uint64_t> unsure_from_;  // [LocalComm::number] ticks (RecordingGaps); empty: no calls were lost
};

}  // namespace meridian
