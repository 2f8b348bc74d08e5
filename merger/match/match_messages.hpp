#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "merger/event_ref.hpp"
#include "merger/findings.hpp"
#include "merger/load/communicators.hpp"
#include "merger/match/channel_table.hpp"
#include "merger/match/linear_extension.hpp"

namespace meridian {

/// Who calls, as the matchers need it.
struct Caller {
  std::uint32_t rank_index = 0;  ///< among the ranks present
  CallSpan span;
  EventRef call;
  std::int64_t enter_ns = 0;
  std::int64_t leave_ns = 0;
  std::uint32_t epoch = 0;  ///< of the call's beginning (RecordingGaps)
};

struct RankTraffic {
  std::uint64_t messages_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_received = 0;
};

struct PairTraffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

struct MessageTotals {
  std::uint64_t matched = 0;
  std::uint64_t bytes = 0;
  std::uint64_t unmatched_sends = 0;
  std::uint64_t unmatched_receives = 0;
  std::uint64_t reversed = 0;                                          ///< matched, and received no later than sent
  std::vector<RankTraffic> ranks;                                      ///< [ranks present]
  std::map<std::pair<std::int32_t, std::int32_t>, PairTraffic> pairs;  ///< (source, dest) world ranks
};

/// Pairs sends with receives by identity: the n-th message of a channel belongs to the n-th receive on that channel, in
/// posting order (MPI 4.1, 3.5: messages do not overtake). Times decide nothing; they only keep what is under way
/// small.
///
/// A receive from any source or with any tag has no channel until it completes. Until then, receives of the same
/// process and communicator that were posted after it, and that want messages which it could have taken, are not given
/// a place. A send or receive that the program asks to be cancelled keeps its place, but nothing behind it is paired
/// until it is known what became of it. Where several threads of a process send or receive on one channel at once, MPI
/// gives no order: of those that are possible, one is taken in which no message is received before it was sent, and in
/// which each has the size that was received, if there is one.
class MessageMatcher {
 public:
  static constexpr std::uint32_t kMissing = 0xffffffff;

  /// rank_index   [world size]: place among the ranks present; kMissing where there is no file.
  /// comms        [ranks present]: number of communicators that the rank made.
  /// messages     gets a row for every pair, in the order in which they are found; whoever owns it empties it.
  MessageMatcher(std::vector<std::uint32_t> rank_index, const std::vector<std::size_t>& comms,
                 std::vector<MatchedMessage>& messages, Findings& findings);

  /// domains  [ranks present]: ranks of one have one clock. Looked at where recording has gaps.
  void set_domains(std::span<const std::uint32_t> domains) { domains_.assign(domains.begin(), domains.end()); }
  /// ranks  [ranks present]: ended without MPI_Finalize, so what has no other side there is no mistake.
  void set_cut(std::vector<bool> ranks) { is_cut_ = std::move(ranks); }

  /// Number of the message in its channel; for cancel_send.
  std::uint64_t send(const Caller& caller, const LocalComm& comm, std::int32_t dest, std::int32_t tag,
                     std::uint64_t bytes, bool is_partitioned = false);
  void ask_to_cancel_send(const ChannelKey& key, std::uint64_t number);
  /// What came of it.
  void end_cancel_send(const ChannelKey& key, std::uint64_t number, bool is_cancelled);

  /// A receive takes its place in line. source and tag may be kAnySource, kAnyTag; where it is known already what a
  /// wildcard found (a blocking call), that is what should be given.
  ReceiveId post(const Caller& caller, const LocalComm& comm, std::int32_t source, std::int32_t tag,
                 bool is_partitioned = false);
  /// The call that the user sees as the receive, where that is not the one that posted it (Mrecv).
  void set_receiver(ReceiveId id, const Caller& caller);
  /// bytes  from the status; negative when unknown.
  void complete(ReceiveId id, const Caller& caller, std::int32_t source, std::int32_t tag, std::int64_t bytes);
  void ask_to_cancel(ReceiveId id);
  void cancelled(ReceiveId id);
  /// Nobody will see this receive complete.
  void abandon(ReceiveId id);
  /// The receive may have completed unseen. If it has no channel yet, nobody knows what those behind it got.
  void silence_behind(ReceiveId id);
  /// Messages that the rank sends and receives on the communicator from now on will not come: calls of it were lost.
  void give_up(std::uint32_t rank_index, const LocalComm& comm);
  /// A receive that can take no place at all (it never returned, with a wildcard).
  void count_hopeless_receive(const Caller& caller, std::int32_t source, std::int32_t tag);

  /// The rank does nothing more.
  void end_rank(std::uint32_t rank_index);
  /// After all ranks: what is left is unmatched.
  MessageTotals finish();
  std::uint64_t reversed() const noexcept { return totals_.reversed; }

  static ChannelKey send_key(const LocalComm& comm, std::int32_t dest, std::int32_t tag, bool is_partitioned,
                             std::uint32_t epoch = 0) noexcept;

 private:
  struct Receive {
    EventRef post;
    EventRef completion;
    std::int64_t post_enter_ns = 0;
    std::int64_t leave_ns = 0;
    std::int64_t bytes = 0;
    CallSpan span;             // of the call that posted it
    std::uint64_t number = 0;  // in its channel, once it has one
    std::uint32_t channel = ChannelTable::kNone;
    std::uint32_t rank_index = 0;
    std::uint32_t comm = 0;
    std::uint32_t dest = 0;         // group rank of the receiver
    std::uint32_t source_bits = 0;  // of ChannelKey
    std::int32_t source = 0;
    std::int32_t tag = 0;
    std::uint32_t comm_number = 0;
    std::uint32_t epoch = 0;
    const Group* peers = nullptr;
    bool is_complete = false;   // nothing more will be learned about it
    bool is_silent = false;     // complete, but nobody saw it
    bool is_uncertain = false;  // asked to be cancelled
    bool is_lost = false;       // comes from a rank that is not in the trace
    bool has_channel() const noexcept { return source != -1 && tag != -1; }
  };
  struct Queue {
    std::vector<ReceiveId> waiting;  // receives without a place, in posting order
    std::size_t known = 0;           // those of them whose channel is known
  };

  std::uint32_t rank_of(const Group& group, std::int32_t rank) const noexcept;
  bool is_given_up(std::uint32_t rank_index, std::uint32_t comm) const noexcept;
  Channel& channel(const ChannelKey& key, std::uint32_t source, std::uint32_t dest);
  void count(Channel& at);

  ReceiveId new_receive();
  Queue& queue_of(const Receive& receive) { return queues_[receive.rank_index][receive.comm_number]; }
  bool is_blocked(const Queue& queue, std::size_t place, const Receive& receive) const noexcept;
  void settle(Queue& queue, std::size_t from);
  void take_from_queue(ReceiveId id);
  void place(ReceiveId id);
  void learn_channel(ReceiveId id, std::int32_t source, std::int32_t tag);
  void free_receive(ReceiveId id);

  std::size_t find_place(const Channel& at, std::uint64_t number) const noexcept;
  std::size_t find_send(const Channel& at, std::uint64_t number) const noexcept;
  bool is_certain(const Channel& at, std::size_t place) const noexcept;
  void pair(Channel& at, std::size_t place);
  void pair_all(Channel& at);
  bool leave_apart(Channel& at, std::size_t place);
  static bool is_in_time(const Channel& at, std::size_t slot, const Receive& receive);
  static bool has_size(const SentMessage& send, const Receive& receive);
  CallLine receives_around(const Channel& at, std::size_t place) const;
  static CallLine sends_around(const Channel& at, std::size_t place);
  void reorder_receives(Channel& at, const CallLine& line, const CallLine::Order& order);
  static void reorder_sends(Channel& at, const CallLine& line, const CallLine::Order& order);
  std::size_t settle_overlaps(Channel& at, std::size_t place);
  void emit(const Channel& at, const SentMessage& send, const Receive& receive);
  FindingId or_cut_off(FindingId id, std::uint32_t rank_index) const noexcept;
  void unmatched_send(const Channel& at, const SentMessage& send);
  /// waited_for  the rank whose end explains it if it ended early.
  void unmatched_receive(const EventRef& post, std::uint32_t waited_for, std::int32_t source, std::int32_t tag);

  std::vector<std::uint32_t> rank_index_;
  std::vector<std::int32_t> world_rank_;  // [ranks present]
  std::vector<MatchedMessage>& messages_;
  Findings& findings_;
  ChannelTable channels_;
  std::vector<Receive> receives_;
  std::vector<ReceiveId> free_receives_;
  std::vector<std::vector<Queue>> queues_;            // [rank][communicator of the rank]
  std::vector<bool> has_ended_;                       // [rank]
  std::vector<std::vector<std::uint32_t>> given_up_;  // [rank] communicators, ascending; empty: no calls were lost
  std::vector<std::uint32_t> domains_;                // [rank]; empty: all have one clock
  std::vector<bool> is_cut_;                          // [rank]
  std::uint64_t next_number_ = 0;                     // of sends and places
  MessageTotals totals_;
};

}  // namespace meridian
