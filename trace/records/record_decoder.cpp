// SPDX-License-Identifier: Apache-2.0
#include "trace/records/record_decoder.hpp"

#include <algorithm>
#include <utility>

#include "trace/records/record_decoder_parts.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMaxPending = 256 * 1024;  // events in all batches before short ones are handed over too
constexpr std::size_t kShortSegment = 256;

/// Words of a record's payload beyond its fixed part.
std::size_t extra_words(Payload payload, const std::uint64_t* body) noexcept {
  return payload == Payload::user ? load_words<UserUse>(body).words : 0;
}

void clear(EventBatch& batch) {
  batch.enter_ticks.clear();
  batch.leave_ticks.clear();
  batch.call.clear();
  batch.payload.clear();
  batch.flags.clear();
  batch.completion_count.clear();
  batch.p2p.clear();
  batch.coll.clear();
  batch.completions.clear();
  batch.rma.clear();
  batch.io.clear();
  batch.handles.clear();
  batch.user.clear();
  batch.user_values.clear();
  batch.locks.clear();
  batch.thread_ops.clear();
  batch.sites.clear();
  batch.nodes.clear();
  batch.counters.clear();
  batch.counters_between.clear();
}

}  // namespace

RecordDecoder::RecordDecoder(std::uint32_t slot_count, std::uint64_t block_bytes, RankMeta& meta, Sink sink)
    : block_bytes_{block_bytes}, meta_{meta}, sink_{std::move(sink)}, slots_(slot_count) {}
RecordDecoder::~RecordDecoder() = default;

RecordDecoder::Slot& RecordDecoder::slot_at(std::uint32_t index) {
  if (!slots_[index]) slots_[index] = std::make_unique<Slot>();
  return *slots_[index];
}

std::uint64_t RecordDecoder::position(std::uint32_t slot) const { return slots_[slot] ? slots_[slot]->position : 0; }
bool RecordDecoder::is_stopped(std::uint32_t slot) const { return slots_[slot] && slots_[slot]->is_stopped; }

void RecordDecoder::stop(Slot& slot) {
  slot.is_stopped = true;
  ++damaged_;
}

Status RecordDecoder::feed(std::uint32_t index, std::uint64_t position, std::span<const std::uint64_t> words) {
  Slot& slot = slot_at(index);
  if (slot.is_stopped) return {};
  if (position > slot.position) {
    stop(slot);
    return {};
  }
  const std::uint64_t known = (slot.position - position) / kWordBytes;
  words = words.subspan(std::min<std::size_t>(known, words.size()));
  while (!words.empty()) {
    const auto header = load_words<RecordHeader>(words.data());
    const std::uint64_t block_left = (block_bytes_ - slot.position % block_bytes_) / kWordBytes;
    bool is_valid = header.words > 0 && header.words <= block_left && header.words <= words.size();
    if (header.payload == static_cast<std::uint8_t>(Payload::pad)) {
      is_valid = is_valid && header.words == block_left;
    } else if (is_valid && header.words >= kHeadWords) {
      const Record record{load_words<RecordHead>(words.data()), words.first(header.words)};
      MERIDIAN_TRY_DO(decode(slot, record, is_valid));
    } else {
      is_valid = false;
    }
    if (!is_valid) {
      stop(slot);
      return {};
    }
    slot.position += header.words * kWordBytes;
    words = words.subspan(header.words);
  }
  return {};
}

Status RecordDecoder::decode(Slot& slot, const Record& record, bool& is_valid) {
  const bool is_thread = record.payload() == Payload::thread;
  is_valid = record.body_words() >= fixed_words(record.payload()) && (is_thread || slot.thread_row != SIZE_MAX);
  if (!is_valid) return {};
  if (is_thread) MERIDIAN_TRY_DO(flush(slot));  // the batch belongs to the thread before
  if (is_call(record.payload())) {
    MERIDIAN_TRY_DO(decode_call(slot, record, is_valid));
  } else {
    is_valid = decode_other(slot, record);
  }
  slot.last_ticks = record.head.leave_ticks;
  return {};
}

Status RecordDecoder::decode_call(Slot& slot, const Record& record, bool& is_valid) {
  const RecordHeader& header = record.head.header;
  const std::size_t completions_at =
      kHeadWords + fixed_words(record.payload()) + extra_words(record.payload(), record.body());
  const std::size_t completion_words = header.completions * words_of<Completion>;
  const std::size_t site_words = record.has(kFlagSite) ? 1 : 0;
  const std::size_t known_words = completions_at + completion_words + site_words;
  is_valid = header.call < kCallCount && known_words <= record.words.size() &&
             (site_words == 0 || is_site(slot, record.words[known_words - 1]));
  if (!is_valid) return {};
  const std::size_t counter_words = record.words.size() - known_words;  // two of each counter
  if (record.has(kFlagCounters) && meta_.counters_per_event == 0)
    meta_.counters_per_event = static_cast<std::uint32_t>(counter_words / 2);
  is_valid = counter_words == (record.has(kFlagCounters) ? 2 * std::size_t{meta_.counters_per_event} : 0);
  if (!is_valid) return {};

  const auto completions = record.words.subspan(completions_at, completion_words);
  const EventBatch& batch = slot.batch;
  const bool is_continuation =
      record.payload() == Payload::requests && !record.has(kFlagCounters) && !batch.call.empty() &&
      (record.has(kFlagMore) || slot.is_more_expected) && record.head.enter_ticks == record.head.leave_ticks &&
      batch.payload.back() == Payload::requests && batch.call.back() == static_cast<CallId>(header.call);
  slot.is_more_expected = record.has(kFlagMore);
  if (is_continuation) {
    take_completions(slot, record, completions, true);
    return {};
  }
  const bool is_hidden = record.has(kFlagHidden) && record.payload() != Payload::user;
  const bool is_event = header.call != 0 && !is_hidden;
  if (is_event) {
    MERIDIAN_TRY_DO(begin_event(slot, record));
    slot.batch.payload.back() = record.payload();
  }
  if (record.payload() == Payload::comm) {
    const auto birth = load_words<CommBirth>(record.body());
    if (birth.comm != 0 && !record.has(kFlagFailed)) take_birth(slot, record, birth);
  }
  if (!is_event) {
    is_valid = header.call != 0 || record.payload() == Payload::comm;
    return {};
  }
  take_fixed_part(slot, record);
  // The entries of an abandoned call are those from before it: requests without an outcome.
  take_completions(slot, record, completions, !record.has(kFlagAbandoned));
  if (site_words != 0) take_site(slot, record.words[known_words - 1]);
  if (counter_words != 0) take_counters(slot, record.words.last(counter_words));
  return {};
}

void RecordDecoder::take_counters(Slot& slot, std::span<const std::uint64_t> words) {
  const std::size_t count = words.size() / 2;
  const auto at_enter = words.first(count);
  const auto at_leave = words.last(count);
  if (slot.counters.size() != count) slot.counters.assign(at_enter.begin(), at_enter.end());
  for (std::size_t i = 0; i < count; ++i) {
    slot.batch.counters.push_back(static_cast<std::int64_t>(at_leave[i] - at_enter[i]));
    slot.batch.counters_between.push_back(static_cast<std::int64_t>(at_enter[i] - slot.counters[i]));
  }
  slot.counters.assign(at_leave.begin(), at_leave.end());
}

Status RecordDecoder::begin_event(Slot& slot, const Record& record) {
  EventBatch& batch = slot.batch;
  const std::size_t size = batch.call.size();
  if (size >= kSegmentEvents || batch.completions.size() >= 4 * kSegmentEvents ||
      batch.user_values.size() >= 16 * kSegmentEvents || (pending_ > kMaxPending && size >= kShortSegment)) [[unlikely]]
    MERIDIAN_TRY_DO(flush(slot));
  batch.enter_ticks.push_back(record.head.enter_ticks);
  batch.leave_ticks.push_back(record.head.leave_ticks);
  batch.call.push_back(static_cast<CallId>(record.head.header.call));
  batch.payload.push_back(Payload::local);
  batch.flags.push_back(static_cast<std::uint8_t>(record.head.header.flags & ~kFlagMore));
  batch.completion_count.push_back(0);
  ++pending_;
  ++events_;
  return {};
}

bool RecordDecoder::take_fixed_part(Slot& slot, const Record& record) {
  if (record.body_words() < fixed_words(record.payload())) return false;
  EventBatch& batch = slot.batch;
  const std::uint64_t* const body = record.body();
  switch (record.payload()) {
    case Payload::sendrecv:
      batch.p2p.push_back(load_words<PointToPoint>(body));
      batch.p2p.push_back(load_words<PointToPoint>(body + words_of<PointToPoint>));
      return true;
    case Payload::p2p:
      batch.p2p.push_back(load_words<PointToPoint>(body));
      return true;
    case Payload::coll:
      batch.coll.push_back(load_words<Collective>(body));
      return true;
    case Payload::rma:
      batch.rma.push_back(load_words<Rma>(body));
      return true;
    case Payload::io:
      batch.io.push_back(load_words<FileAccess>(body));
      return true;
    case Payload::user: {
      const auto use = load_words<UserUse>(body);
      batch.user.push_back(use);
      const auto* const values = body + words_of<UserUse>;
      batch.user_values.insert(batch.user_values.end(), values, values + use.words);
      return true;
    }
    case Payload::handle:
      batch.handles.push_back(load_words<HandleUse>(body));
      return true;
    case Payload::lock:
      batch.locks.push_back(load_words<LockUse>(body));
      return true;
    case Payload::thread_op:
      batch.thread_ops.push_back(load_words<ThreadOp>(body));
      return true;
    default:
      return true;
  }
}

void RecordDecoder::take_completions(Slot& slot, const Record& record, std::span<const std::uint64_t> words,
                                     bool is_known) {
  EventBatch& batch = slot.batch;
  const bool has_requests = record.payload() == Payload::requests;
  if (!is_known && !has_requests) return;
  std::uint32_t& count = batch.completion_count.back();
  for (std::size_t at = 0; at < words.size(); at += words_of<Completion>) {
    auto entry = load_words<Completion>(words.data() + at);
    if (has_requests && entry.request == 0) continue;  // a hole, left by a null request
    if (!is_known) entry = {.request = entry.request, .source = 0, .tag = 0, .bytes = kNotKnown};
    if (count == kMaxCompletions) {
      ++damaged_;
      return;
    }
    batch.completions.push_back(entry);
    ++count;
  }
}

Status RecordDecoder::feed_unfinished(std::uint32_t index, std::span<const std::uint64_t> words) {
  if (is_stopped(index) || slot_at(index).thread_row == SIZE_MAX || words.size() < kHeadWords) return {};
  Slot& slot = *slots_[index];
  const auto head = load_words<RecordHead>(words.data());
  const std::uint64_t block_left = (block_bytes_ - slot.position % block_bytes_) / kWordBytes;
  const Record whole{head, words.first(std::min<std::size_t>({head.header.words, words.size(), block_left}))};
  // If no block was opened yet, the words there are left from an earlier lap of the ring: they begin before our last
  // record.
  if (!is_call(whole.payload()) || head.header.call == 0 || head.header.call >= kCallCount ||
      (whole.has(kFlagHidden) && whole.payload() != Payload::user) || head.enter_ticks < slot.last_ticks)
    return {};
  if (whole.payload() == Payload::user) {  // it has no duration, so its record is complete
    bool is_valid = whole.words.size() >= kHeadWords + words_of<UserUse>;
    return is_valid ? decode_call(slot, whole, is_valid) : Status{};
  }
  const std::size_t completions_at = kHeadWords + fixed_words(whole.payload());
  const std::size_t completion_words = head.header.completions * words_of<Completion>;
  const std::size_t known_words = completions_at + completion_words + (whole.has(kFlagSite) ? 1 : 0);
  const bool has_body =
      whole.words.size() >= known_words && (!whole.has(kFlagSite) || is_site(slot, whole.words[known_words - 1]));
  Record record = whole;
  record.head.leave_ticks = head.enter_ticks;
  // Counters are not there yet.
  record.head.header.flags =
      static_cast<std::uint8_t>(kFlagUnfinished | (head.header.flags & (kFlagAbandoned | (has_body ? kFlagSite : 0))));
  MERIDIAN_TRY_DO(begin_event(slot, record));
  if (!has_body) return {};
  slot.batch.payload.back() = record.payload();
  take_fixed_part(slot, record);
  take_completions(slot, record, whole.words.subspan(completions_at, completion_words), false);
  if (whole.has(kFlagSite)) take_site(slot, whole.words[known_words - 1]);
  return {};
}

Status RecordDecoder::flush(Slot& slot) {
  if (slot.batch.call.empty()) return {};
  ThreadRow& thread = meta_.threads[slot.thread_row];
  thread.events += slot.batch.call.size();
  pending_ -= slot.batch.call.size();
  Status status = sink_(ThreadId{thread.thread}, slot.batch);
  clear(slot.batch);
  return status;
}

Status RecordDecoder::finish() {
  for (auto& slot : slots_) {
    if (!slot) continue;
    MERIDIAN_TRY_DO(flush(*slot));
    slot.reset();
  }
  const auto sort = [](auto& rows, auto ticks) {
    std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return ticks(a) < ticks(b); });
  };
  sort(meta_.threads, [](const ThreadRow& row) { return std::uint64_t{row.thread}; });
  sort(meta_.anchors, [](const AnchorRow& row) { return row.before_ticks; });
  sort(meta_.exchanges, [](const ExchangeRow& row) { return row.sent_ticks; });
  sort(meta_.comms, [](const CommRow& row) { return std::pair{row.enter_ticks, row.thread}; });
  sort(meta_.members, [](const MembersRow& row) { return std::pair{row.born_ticks, row.remote}; });
  sort(meta_.texts, [](const TextRow& row) { return row.ticks; });
  sort(meta_.usages, [](const UsageRow& row) { return std::pair{row.ticks, row.usage.thread}; });
  sort(meta_.overheads, [](const OverheadRow& row) { return std::pair{row.enter_ticks, row.thread}; });
  take_user_definitions();
  return {};
}

}  // namespace meridian
