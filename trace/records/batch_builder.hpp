// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/format/chunks/state_archive.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/records/known_calls.hpp"
#include "trace/records/record.hpp"
#include "trace/records/stack_table.hpp"

namespace meridian {

/// Makes a batch of events from consecutive calls of one thread. Memory is bounded if a batch that is_full() is passed
/// on and cleared before the next event.
class BatchBuilder {
 public:
  /// Number of events in a full batch.
  static constexpr std::size_t kSegmentEvents = 16384;
  /// Number of completions in a full batch.
  static constexpr std::size_t kMostCompletions = 4 * kSegmentEvents;
  /// Maximum number of completions kept of one call.
  static constexpr std::size_t kMaxCompletions = std::size_t{1} << 21;

  bool is_full() const noexcept {
    return batch_.call.size() >= kSegmentEvents || batch_.completions.size() >= kMostCompletions ||
           batch_.user_values.size() >= 16 * kSegmentEvents;
  }
  /// Whether a few hundred calls may fill the batch with their completions.
  bool has_many_completions() const noexcept { return batch_.completions.size() >= kMostCompletions / 2; }
  std::size_t events() const noexcept { return batch_.call.size(); }
  const EventBatch& batch() const noexcept { return batch_; }
  void clear();
  /// Another thread begins: no record continues the previous one, and counters begin again. The batch is empty.
  void begin_thread();

  /// Whether the record only adds completions to the last event. Called for each call's record, in order.
  bool is_continuation(const Record& record) noexcept;

  /// Appends an event without rows: its payload is `local`.
  void begin_event(const RecordHead& head) {
    batch_.enter_ticks.push_back(head.enter_ticks);
    batch_.leave_ticks.push_back(head.leave_ticks);
    batch_.call.push_back(static_cast<CallId>(head.header.call));
    batch_.payload.push_back(Payload::local);
    batch_.flags.push_back(static_cast<std::uint8_t>(head.header.flags & ~kFlagMore));
    batch_.completion_count.push_back(0);
  }

  /// Whether the next record may only add completions to the last event.
  bool expects_more() const noexcept { return is_more_expected_; }
  /// The next record is another call.
  void expect_no_more() noexcept { is_more_expected_ = false; }

  /// Appends a call whose record has `fixed` words of rows, then `completions` entries, then a site if `site` is not
  /// null, and nothing else: the usual ones. Its payload is not `user`.
  void add_plain(const RecordHead& head, const std::uint64_t* rows, std::size_t fixed, const ThreadStacks::Site* site) {
    const auto payload = static_cast<Payload>(head.header.payload);
    begin_event(head);
    if (fixed != 0) add_rows(payload, rows);
    if (head.header.completions != 0)
      add_completions({rows + fixed, head.header.completions * words_of<Completion>}, payload, true);
    if (site != nullptr) add_site(*site);
    batch_.payload.back() = payload;
  }

  /// Room for events of calls that are like earlier ones; they are part of the batch when this is destroyed. Meanwhile no other
  /// member is used. The caller leaves room for `most` events in the batch.
  class Run {
   public:
    Run(BatchBuilder& builder, std::size_t most) : builder_{builder}, batch_{builder.batch_}, first_{builder.events()} {
      builder.resize(first_ + most);
      enter_ = batch_.enter_ticks.data() + first_;
      leave_ = batch_.leave_ticks.data() + first_;
      call_ = batch_.call.data() + first_;
      payload_ = batch_.payload.data() + first_;
      flags_ = batch_.flags.data() + first_;
      completion_count_ = batch_.completion_count.data() + first_;
    }
    ~Run() { builder_.resize(first_ + size_); }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    /// `body`: rows, then completions.
    void add(const KnownCalls::Prepared& call, const std::uint64_t* body, std::uint64_t enter, std::uint64_t leave) {
      const std::size_t at = size_++;
      enter_[at] = enter;
      leave_[at] = leave;
      call_[at] = call.call;
      payload_[at] = call.payload;
      flags_[at] = call.flags;
      completion_count_[at] = 0;
      if ((call.flags & kFlagSite) != 0) builder_.add_site(call.site);
      if (call.body == 0) return;
      if (call.fixed != 0) builder_.add_rows(call.payload, body);
      if (call.body != call.fixed)
        builder_.count_completions(completion_count_[at], {body + call.fixed, body + call.body}, call.payload, true);
    }
    std::size_t size() const noexcept { return size_; }
    bool is_full() const noexcept { return batch_.completions.size() >= kMostCompletions; }

   private:
    BatchBuilder& builder_;
    EventBatch& batch_;
    std::size_t first_, size_ = 0;
    // Elements of the batch: by themselves, so that they stay in registers.
    std::uint64_t *enter_, *leave_;
    CallId* call_;
    Payload* payload_;
    std::uint8_t* flags_;
    std::uint32_t* completion_count_;
  };

  /// Appends a call for each of `words`, which are small records without changes, of the calls `entries`, all of them prepared.
  /// `ticks`: leave of the call before. Returns the last leave. The caller leaves room for them in the batch.
  std::uint64_t add_same(const KnownCalls& calls, std::span<const std::uint8_t> entries, const std::uint64_t* words,
                         std::uint64_t ticks);

  // Parts of the last event:
  /// Its row, with the payload; the values are those of a user event.
  void add_row(const Record& record, std::span<const std::uint64_t> values);
  /// Its row, for a place of a phase of polls.
  void add_polls(const PollUse& polls) {
    batch_.payload.back() = Payload::polls;
    batch_.polls.push_back(polls);
  }
  /// Adds completions. Without `has_outcome` only their requests are known, and bytes are kNotKnown. Entries without a
  /// request are not completions in a call on requests. False: there are too many, and the rest is dropped.
  bool add_completions(std::span<const std::uint64_t> words, Payload payload, bool has_outcome) {
    return count_completions(batch_.completion_count.back(), words, payload, has_outcome);
  }
  void add_site(const ThreadStacks::Site& site) {
    batch_.sites.push_back(site.address);
    if (site.row != 0 || !batch_.nodes.empty()) add_node(site.row);
  }
  /// All counters at enter, then all at leave.
  void add_counters(std::span<const std::uint64_t> words);

  template <class Archive>
  void archive(Archive& archive) {
    archive_flag(archive, is_more_expected_);
    archive(counters_);
    archive(batch_.enter_ticks, batch_.leave_ticks, batch_.call, batch_.payload, batch_.flags, batch_.completion_count,
            batch_.p2p, batch_.coll, batch_.completions, batch_.rma, batch_.io, batch_.handles, batch_.user,
            batch_.user_values, batch_.locks, batch_.thread_ops, batch_.polls, batch_.sites, batch_.nodes,
            batch_.counters, batch_.counters_between);
  }
  /// Whether the events of a restored batch have exactly their rows.
  bool is_consistent(std::uint32_t counters_per_event) const;

 private:
  void resize(std::size_t events) {
    batch_.enter_ticks.resize(events);
    batch_.leave_ticks.resize(events);
    batch_.call.resize(events);
    batch_.payload.resize(events);
    batch_.flags.resize(events);
    batch_.completion_count.resize(events);
  }
  bool count_completions(std::uint32_t& count, std::span<const std::uint64_t> words, Payload payload, bool has_outcome);
  void add_rows(Payload payload, const std::uint64_t* rows);
  void add_node(std::uint32_t row);

  EventBatch batch_;
  bool is_more_expected_ = false;        // the last call's record is continued
  std::vector<std::uint64_t> counters_;  // as read at the leave of the last event with counters; empty: none yet
};

}  // namespace meridian
