#include "writer/record_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace meridian {
namespace {

constexpr std::size_t kMaxPending = 256 * 1024;  // events in all batches before short ones are handed over too
constexpr std::size_t kShortSegment = 256;
constexpr std::size_t kHeadWords = words_of<RecordHead>;

constexpr bool is_call(Payload payload) noexcept { return payload >= Payload::local && payload <= Payload::handle; }

// Words between the head and the completions.
constexpr std::size_t fixed_words(Payload payload) noexcept {
  switch (payload) {
    case Payload::p2p: return words_of<PointToPoint>;
    case Payload::sendrecv: return 2 * words_of<PointToPoint>;
    case Payload::coll: return words_of<Collective>;
    case Payload::comm: return words_of<CommBirth>;
    case Payload::rma: return words_of<Rma>;
    case Payload::io: return words_of<FileAccess>;
    case Payload::handle: return words_of<HandleUse>;
    case Payload::thread: return words_of<ThreadBegin>;
    case Payload::anchor: return words_of<Anchor>;
    case Payload::exchange: return words_of<Exchange>;
    case Payload::members: return words_of<Members>;
    case Payload::text: return words_of<Text>;
    case Payload::overhead: return words_of<Overhead>;
    case Payload::none:
    case Payload::pad:
    case Payload::local:
    case Payload::requests: break;
  }
  return 0;
}

template <class T>
T load(const std::uint64_t* words) noexcept {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(static_cast<void*>(&value), words, sizeof value);
  return value;
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
  batch.sites.clear();
  batch.counters.clear();
}

}  // namespace

struct RecordDecoder::Record {
  RecordHead head;
  std::span<const std::uint64_t> words;  // all of it

  Payload payload() const noexcept { return static_cast<Payload>(head.header.payload); }
  bool has(RecordFlag flag) const noexcept { return (head.header.flags & flag) != 0; }
  const std::uint64_t* body() const noexcept { return words.data() + kHeadWords; }
  std::size_t body_words() const noexcept { return words.size() - kHeadWords; }
};

struct RecordDecoder::Slot {
  std::uint64_t position = 0;
  std::uint64_t last_ticks = 0;  // of the record before
  bool is_stopped = false;
  bool is_text_open = false;     // the next text goes on with the last
  bool is_more_expected = false;
  std::size_t thread_row = SIZE_MAX;  // in RankMeta::threads; SIZE_MAX: no thread yet
  std::size_t last_text = SIZE_MAX;
  std::size_t last_birth = SIZE_MAX;
  std::size_t last_members = SIZE_MAX;
  EventBatch batch;
};

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
    const auto header = load<RecordHeader>(words.data());
    const std::uint64_t block_left = (block_bytes_ - slot.position % block_bytes_) / kWordBytes;
    bool is_valid = header.words > 0 && header.words <= block_left && header.words <= words.size();
    if (header.payload == static_cast<std::uint8_t>(Payload::pad)) {
      is_valid = is_valid && header.words == block_left;
    } else if (is_valid && header.words >= kHeadWords) {
      const Record record{load<RecordHead>(words.data()), words.first(header.words)};
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
  const std::size_t completions_at = kHeadWords + fixed_words(record.payload());
  const std::size_t completion_words = header.completions * words_of<Completion>;
  const std::size_t site_words = record.has(kFlagSite) ? 1 : 0;
  const std::size_t known_words = completions_at + completion_words + site_words;
  is_valid = header.call < kCallCount && known_words <= record.words.size();
  if (!is_valid) return {};
  const std::size_t counter_words = record.words.size() - known_words;
  if (record.has(kFlagCounters) && meta_.counters_per_event == 0)
    meta_.counters_per_event = static_cast<std::uint32_t>(counter_words);
  is_valid = counter_words == (record.has(kFlagCounters) ? meta_.counters_per_event : 0);
  if (!is_valid) return {};

  const auto completions = record.words.subspan(completions_at, completion_words);
  const EventBatch& batch = slot.batch;
  const bool is_continuation = record.payload() == Payload::requests && !batch.call.empty() &&
                               (record.has(kFlagMore) || slot.is_more_expected) &&
                               record.head.enter_ticks == record.head.leave_ticks &&
                               batch.payload.back() == Payload::requests &&
                               batch.call.back() == static_cast<CallId>(header.call);
  slot.is_more_expected = record.has(kFlagMore);
  if (is_continuation) {
    take_completions(slot, record, completions, true);
    return {};
  }
  if (header.call != 0) {
    MERIDIAN_TRY_DO(begin_event(slot, record));
    slot.batch.payload.back() = record.payload();
  }
  if (record.payload() == Payload::comm) {
    const auto birth = load<CommBirth>(record.body());
    if (birth.comm != 0 && !record.has(kFlagFailed)) take_birth(slot, record, birth);
  }
  if (header.call == 0) {
    is_valid = record.payload() == Payload::comm;
    return {};
  }
  take_fixed_part(slot, record);
  // Of an abandoned call the entries are as they were before it: requests, but no outcome.
  take_completions(slot, record, completions, !record.has(kFlagAbandoned));
  if (site_words != 0) slot.batch.sites.push_back(record.words[completions_at + completion_words]);
  const auto counters = record.words.last(counter_words);
  slot.batch.counters.insert(slot.batch.counters.end(), counters.begin(), counters.end());
  return {};
}

Status RecordDecoder::begin_event(Slot& slot, const Record& record) {
  EventBatch& batch = slot.batch;
  const std::size_t size = batch.call.size();
  if (size >= kSegmentEvents || batch.completions.size() >= 4 * kSegmentEvents ||
      (pending_ > kMaxPending && size >= kShortSegment)) [[unlikely]]
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
      batch.p2p.push_back(load<PointToPoint>(body));
      batch.p2p.push_back(load<PointToPoint>(body + words_of<PointToPoint>));
      return true;
    case Payload::p2p: batch.p2p.push_back(load<PointToPoint>(body)); return true;
    case Payload::coll: batch.coll.push_back(load<Collective>(body)); return true;
    case Payload::rma: batch.rma.push_back(load<Rma>(body)); return true;
    case Payload::io: batch.io.push_back(load<FileAccess>(body)); return true;
    case Payload::handle: batch.handles.push_back(load<HandleUse>(body)); return true;
    default: return true;
  }
}

void RecordDecoder::take_completions(Slot& slot, const Record& record, std::span<const std::uint64_t> words,
                                     bool is_known) {
  EventBatch& batch = slot.batch;
  const bool has_requests = record.payload() == Payload::requests;
  if (!is_known && !has_requests) return;
  std::uint32_t& count = batch.completion_count.back();
  for (std::size_t at = 0; at < words.size(); at += words_of<Completion>) {
    auto entry = load<Completion>(words.data() + at);
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

void RecordDecoder::take_birth(Slot& slot, const Record& record, const CommBirth& birth) {
  slot.last_birth = meta_.comms.size();
  meta_.comms.push_back({.birth = birth,
                         .call = record.head.header.call,  // a CallId: RankFileWriter knows the file's numbers
                         .thread = meta_.threads[slot.thread_row].thread,
                         .enter_ticks = record.head.enter_ticks,
                         .leave_ticks = record.head.leave_ticks});
}

bool RecordDecoder::decode_other(Slot& slot, const Record& record) {
  const RecordHead& head = record.head;
  const std::uint64_t* const body = record.body();
  const bool is_exact = record.body_words() == fixed_words(record.payload());
  switch (record.payload()) {
    case Payload::thread: {
      const auto begin = load<ThreadBegin>(body);
      slot.thread_row = meta_.threads.size();
      slot.last_text = slot.last_birth = slot.last_members = SIZE_MAX;
      slot.is_text_open = slot.is_more_expected = false;
      meta_.threads.push_back(
          {.thread = begin.thread, .kernel_tid = begin.kernel_tid, .begin_ticks = head.enter_ticks, .events = 0});
      return is_exact;
    }
    case Payload::anchor: {
      const auto anchor = load<Anchor>(body);
      const auto phase = static_cast<AnchorPhase>(anchor.phase);
      meta_.anchors.push_back({phase, head.enter_ticks, head.leave_ticks, anchor.monotonic_ns, anchor.realtime_ns});
      if (phase == AnchorPhase::finish) meta_.is_finalized = true;  // stored inside MPI_Finalize alone
      return is_exact;
    }
    case Payload::exchange: {
      const auto exchange = load<Exchange>(body);
      meta_.exchanges.push_back({exchange.peer, static_cast<AnchorPhase>(exchange.phase), head.enter_ticks,
                                 exchange.peer_received_ticks, exchange.peer_replied_ticks, head.leave_ticks});
      return is_exact;
    }
    case Payload::overhead: {
      const auto overhead = load<Overhead>(body);
      meta_.overheads.push_back({static_cast<OverheadKind>(overhead.kind), meta_.threads[slot.thread_row].thread,
                                 head.enter_ticks, head.leave_ticks, overhead.count});
      return is_exact;
    }
    case Payload::members: return take_members(slot, record);
    case Payload::text: return take_text(slot, record);
    default: return false;
  }
}

bool RecordDecoder::take_members(Slot& slot, const Record& record) {
  const auto members = load<Members>(record.body());
  const std::size_t list_words = record.body_words() - words_of<Members>;
  if (list_words != (std::size_t{members.count} + 1) / 2) return false;
  if (members.first == 0) {
    std::uint64_t born = record.head.enter_ticks;
    if (slot.last_birth != SIZE_MAX && meta_.comms[slot.last_birth].birth.comm == members.comm)
      born = meta_.comms[slot.last_birth].leave_ticks;
    slot.last_members = meta_.members.size();
    meta_.members.push_back({members.comm, born, members.remote != 0, {}});
  }
  if (slot.last_members == SIZE_MAX) return false;
  MembersRow& row = meta_.members[slot.last_members];
  if (row.comm != members.comm || row.remote != (members.remote != 0) || row.world_ranks.size() != members.first)
    return false;
  const std::uint64_t* const list = record.body() + words_of<Members>;
  for (std::uint32_t i = 0; i < members.count; ++i)
    row.world_ranks.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(list[i / 2] >> (32 * (i % 2)))));
  return true;
}

bool RecordDecoder::take_text(Slot& slot, const Record& record) {
  const auto text = load<Text>(record.body());
  const std::size_t byte_words = record.body_words() - words_of<Text>;
  if (byte_words != (std::size_t{text.bytes} + kWordBytes - 1) / kWordBytes) return false;
  const std::string both{reinterpret_cast<const char*>(record.body() + words_of<Text>), text.bytes};
  const std::size_t key_bytes = both.find('\0');
  if (key_bytes == std::string::npos) return false;
  TextRow row{both.substr(0, key_bytes), both.substr(key_bytes + 1), text.handle, record.head.enter_ticks};
  if (slot.is_text_open && meta_.texts[slot.last_text].key == row.key) {
    meta_.texts[slot.last_text].value += row.value;
  } else {
    slot.last_text = meta_.texts.size();
    meta_.texts.push_back(std::move(row));
  }
  slot.is_text_open = text.more != 0;
  return true;
}

Status RecordDecoder::feed_unfinished(std::uint32_t index, std::span<const std::uint64_t> words) {
  if (is_stopped(index) || slot_at(index).thread_row == SIZE_MAX || words.size() < kHeadWords) return {};
  Slot& slot = *slots_[index];
  const auto head = load<RecordHead>(words.data());
  const std::uint64_t block_left = (block_bytes_ - slot.position % block_bytes_) / kWordBytes;
  const Record whole{head, words.first(std::min<std::size_t>({head.header.words, words.size(), block_left}))};
  // Where no block was opened yet, what is there was left by an earlier lap of the ring: it began before our last record.
  if (!is_call(whole.payload()) || head.header.call == 0 || head.header.call >= kCallCount ||
      head.enter_ticks < slot.last_ticks)
    return {};
  const std::size_t completions_at = kHeadWords + fixed_words(whole.payload());
  const std::size_t completion_words = head.header.completions * words_of<Completion>;
  const bool has_body = whole.words.size() >= completions_at + completion_words;
  Record record = whole;
  record.head.leave_ticks = head.enter_ticks;
  // Nothing follows an unfinished call: neither site nor counters are there yet.
  record.head.header.flags = static_cast<std::uint8_t>(kFlagUnfinished | (head.header.flags & kFlagAbandoned));
  MERIDIAN_TRY_DO(begin_event(slot, record));
  if (!has_body) return {};
  slot.batch.payload.back() = record.payload();
  take_fixed_part(slot, record);
  take_completions(slot, record, whole.words.subspan(completions_at, completion_words), false);
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
  sort(meta_.overheads, [](const OverheadRow& row) { return std::pair{row.enter_ticks, row.thread}; });
  return {};
}

}  // namespace meridian
