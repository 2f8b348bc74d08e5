// SPDX-License-Identifier: Apache-2.0
#include "trace/records/slot_decoder.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "trace/records/poll_phase.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMaxPending = 256 * 1024;  // events in all batches before short ones are passed on, too
constexpr std::size_t kShortSegment = 256;

constexpr std::uint8_t kNotPlain = 0xff;

// Words of rows by payload; kNotPlain: for decode().
constexpr auto kPlainWords = [] {
  std::array<std::uint8_t, 256> words{};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto payload = static_cast<Payload>(i);
    const bool is_plain =
        is_call(payload) && payload != Payload::user && payload != Payload::comm && payload != Payload::polls;
    words[i] = is_plain ? static_cast<std::uint8_t>(fixed_words(payload)) : kNotPlain;
  }
  return words;
}();

}  // namespace

void SlotDecoder::stop() {
  is_stopped_ = true;
  ++shared_.damaged;
}

Status SlotDecoder::feed(std::uint64_t position, std::span<const std::uint64_t> words) {
  if (is_stopped_) return {};
  if (position > position_) {
    stop();
    return {};
  }
  const std::uint64_t known = (position_ - position) / kWordBytes;
  words = words.subspan(std::min<std::size_t>(known, words.size()));
  while (!words.empty()) {
    if (is_small(words.front())) builder_.expect_no_more();
    words = words.subspan(take_plain(words));
    if (words.empty()) break;
    if (must_flush()) {
      MERIDIAN_TRY_DO(flush());
      continue;
    }
    if (is_block_start()) calls_.clear();
    const Cut cut = cut_record(words, block_left());
    bool is_valid = cut.kind != Cut::Kind::damage && (cut.kind == Cut::Kind::pad || calls_.see(cut.record.words));
    if (is_valid && cut.kind == Cut::Kind::record) MERIDIAN_TRY_DO(decode(cut.record, is_valid));
    if (!is_valid) {
      stop();
      return {};
    }
    position_ += cut.words * kWordBytes;
    words = words.subspan(cut.words);
  }
  return {};
}

bool SlotDecoder::must_flush() const noexcept {
  return builder_.is_full() || (shared_.pending > kMaxPending && builder_.events() >= kShortSegment);
}

std::size_t SlotDecoder::take_one_plain(std::span<const std::uint64_t> words, std::uint64_t left) {
  constexpr unsigned kPlainFlags = kFlagFailed | kFlagSite;
  const std::uint64_t* const record = words.data();
  const bool is_whole = !is_small(record[0]);
  KnownCalls::Call call;
  if (is_whole) {
    if (words.size() < kHeadWords) return 0;
    call.head = whole_head(record);
    call.words = call.head.header.words;
    if (call.words < kHeadWords || call.words > left || call.words > words.size()) return 0;
  } else {
    auto taken = calls_.take(words.first(std::min<std::size_t>(words.size(), left)), last_ticks_);
    if (!taken || taken->is_part) return 0;
    call = *taken;
  }
  const RecordHeader& header = call.head.header;
  const std::size_t fixed = kPlainWords[header.payload];
  const bool has_site = (header.flags & kFlagSite) != 0;
  const std::size_t length = kHeadWords + fixed + header.completions * words_of<Completion> + (has_site ? 1 : 0);
  if (fixed == kNotPlain || (header.flags & ~kPlainFlags) != 0 || header.call == 0 || header.call >= kCallCount ||
      header.words != length)
    return 0;
  if (is_whole) {
    call.body = {record + kHeadWords, length - kHeadWords - (has_site ? 1 : 0)};
    call.site = has_site ? record[length - 1] : 0;
  }
  if (has_site && !stacks_.is_site(call.site)) return 0;
  if (is_whole && !calls_.see(words.first(length))) return 0;
  const ThreadStacks::Site site = has_site ? stacks_.site(call.site) : ThreadStacks::Site{};
  builder_.add_plain(call.head, call.body.data(), fixed, has_site ? &site : nullptr);
  last_ticks_ = call.head.leave_ticks;
  ++shared_.pending;
  ++shared_.events;
  return call.words;
}

bool SlotDecoder::prepare(std::size_t entry) {
  const LearnedCalls::Key key = calls_.key(entry);
  const auto header = std::bit_cast<RecordHeader>(key.header);
  const std::size_t fixed = kPlainWords[header.payload];
  const bool has_site = (header.flags & kFlagSite) != 0;
  const std::size_t body = fixed + header.completions * words_of<Completion>;
  if (key.header == 0 || fixed == kNotPlain || (header.flags & ~kFlagSite) != 0 || header.call >= kCallCount ||
      header.words != kHeadWords + body + (has_site ? 1 : 0) || (has_site && !stacks_.is_site(key.site)))
    return false;
  calls_.prepared()[entry] = {.is_ready = true,
                              .flags = header.flags,
                              .fixed = static_cast<std::uint8_t>(fixed),
                              .body = static_cast<std::uint8_t>(body),
                              .payload = static_cast<Payload>(header.payload),
                              .call = static_cast<CallId>(header.call),
                              .site = has_site ? stacks_.site(key.site) : ThreadStacks::Site{}};
  return true;
}

std::size_t SlotDecoder::events_until_flush() const noexcept {
  const std::size_t events = builder_.events();
  const std::size_t room = BatchBuilder::kSegmentEvents - events;
  if (shared_.pending <= kMaxPending) return std::min(room, kMaxPending - shared_.pending + 1);
  return std::min(room, kShortSegment - events);
}

std::size_t SlotDecoder::take_same(std::span<const std::uint64_t> words) {
  constexpr std::size_t kLeast = 4, kMost = 256;
  constexpr std::uint64_t kParts = kSmallRecord | kSmallPart | std::uint64_t{0xffff} << kSmallMaskShift;
  const KnownCalls::Prepared* const prepared = calls_.prepared();
  if (prepared == nullptr || builder_.has_many_completions()) return 0;
  const std::size_t most = std::min({words.size(), kMost, events_until_flush()});
  std::uint8_t entries[kMost];
  std::size_t count = 0;
  for (; count < most && (words[count] & kParts) == kSmallRecord; ++count) {
    const std::size_t entry = small_entry(words[count]);
    if (!prepared[entry].is_ready && !prepare(entry)) [[unlikely]]
      break;
    entries[count] = static_cast<std::uint8_t>(entry);
  }
  if (count < kLeast) return 0;
  last_ticks_ = builder_.add_same(calls_, std::span{entries}.first(count), words.data(), last_ticks_);
  shared_.pending += count;
  shared_.events += count;
  return count;
}

std::size_t SlotDecoder::take_small(std::span<const std::uint64_t> words) {
  constexpr std::size_t kMostInRun = 64;  // memory for this many is prepared
  const KnownCalls::Prepared* const prepared = calls_.prepared();
  if (prepared == nullptr) return 0;
  const std::size_t most = std::min({words.size(), kMostInRun, events_until_flush()});
  BatchBuilder::Run run{builder_, most};
  std::uint64_t ticks = last_ticks_;
  std::size_t at = 0;
  while (run.size() < most && at < words.size() && !run.is_full()) {
    const std::uint64_t word = words[at];
    if ((word & (kSmallRecord | kSmallPart)) != kSmallRecord) break;
    const std::size_t entry = small_entry(word);
    const KnownCalls::Prepared& call = prepared[entry];
    if (!call.is_ready && !prepare(entry)) [[unlikely]]
      break;
    std::size_t taken = 1;
    if (small_mask(word) != 0) taken = calls_.change(entry, call.body, words.subspan(at));
    if (taken == 0) break;
    const std::uint64_t enter = ticks + small_pause(word);
    ticks = enter + small_duration(word);
    run.add(call, calls_.body(entry), enter, ticks);
    at += taken;
  }
  last_ticks_ = ticks;
  shared_.pending += run.size();
  shared_.events += run.size();
  return at;
}

std::size_t SlotDecoder::take_plain(std::span<const std::uint64_t> words) {
  if (!has_thread() || builder_.expects_more()) return 0;
  std::size_t at = 0;
  while (at < words.size() && !must_flush()) {
    if (is_block_start()) calls_.clear();
    const std::size_t left = std::min<std::size_t>(words.size() - at, block_left());
    std::size_t taken = 0;
    if (is_small(words[at])) {
      taken = take_same(words.subspan(at, left));
      if (taken == 0) taken = take_small(words.subspan(at, left));
    }
    if (taken == 0) taken = take_one_plain(words.subspan(at), left);
    if (taken == 0) break;
    at += taken;
    position_ += taken * kWordBytes;
  }
  return at;
}

Status SlotDecoder::decode(const Record& record, bool& is_valid) {
  const bool is_thread = record.payload() == Payload::thread;
  is_valid = record.body_words() >= fixed_words(record.payload()) && (is_thread || has_thread());
  if (!is_valid) return {};
  if (is_call(record.payload())) {
    MERIDIAN_TRY_DO(decode_call(record, is_valid));
  } else if (is_thread) {
    MERIDIAN_TRY_DO(flush());  // the batch belongs to the previous thread
    is_valid = begin_thread(record);
  } else if (record.payload() == Payload::stack) {
    is_valid = record.body_words() == words_of<StackNode> && stacks_.add(record.body_as<StackNode>(), shared_.stacks);
  } else {
    is_valid = definitions_.take(record, thread().thread);
  }
  last_ticks_ = record.head.leave_ticks;
  return {};
}

bool SlotDecoder::begin_thread(const Record& record) {
  const auto begin = record.body_as<ThreadBegin>();
  thread_row_ = shared_.meta.threads.size();
  shared_.meta.threads.push_back(
      {.thread = begin.thread, .kernel_tid = begin.kernel_tid, .begin_ticks = record.head.enter_ticks, .events = 0});
  definitions_.begin_thread();
  stacks_.clear();
  calls_.clear();
  builder_.begin_thread();
  return record.body_words() == words_of<ThreadBegin>;
}

// The first event with counters determines their number for all events.
bool SlotDecoder::has_counters(const Record& record, std::size_t words) {
  std::uint32_t& per_event = shared_.meta.counters_per_event;
  if (!record.has(kFlagCounters)) return words == 0;
  if (per_event == 0) per_event = static_cast<std::uint32_t>(words / 2);
  return words == 2 * std::size_t{per_event};
}

Status SlotDecoder::decode_call(const Record& record, bool& is_valid) {
  const std::uint16_t call = record.head.header.call;
  if (record.payload() == Payload::polls) return decode_polls(record, false, is_valid);
  const auto parts = parts_of(record);
  is_valid = call < kCallCount && parts && (parts->site.empty() || stacks_.is_site(parts->site[0])) &&
             has_counters(record, parts->rest.size());
  if (!is_valid) return {};
  if (record.has(kFlagAbandoned)) calls_.clear();
  if (builder_.is_continuation(record)) {
    add_completions(record, parts->completions, true);
    return {};
  }
  const bool is_event = call != 0 && !record.is_hidden();
  if (is_event) MERIDIAN_TRY_DO(begin_event(record.head));
  if (record.payload() == Payload::comm) definitions_.take_birth(record, thread().thread);
  if (!is_event) {
    is_valid = call != 0 || record.payload() == Payload::comm;
    return {};
  }
  builder_.add_row(record, parts->values);
  // The entries of an abandoned call were stored before it: requests without an outcome.
  add_completions(record, parts->completions, !record.has(kFlagAbandoned));
  if (!parts->site.empty()) builder_.add_site(stacks_.site(parts->site[0]));
  if (!parts->rest.empty()) builder_.add_counters(parts->rest);
  return {};
}

/// An event for each place.
Status SlotDecoder::decode_polls(const Record& record, bool is_open, bool& is_valid) {
  const auto phase = poll_phase(record);
  is_valid = phase && std::ranges::all_of(*phase, [&](const PollEvent& event) { return stacks_.is_site(event.site); });
  if (!is_valid) return {};
  for (const PollEvent& event : *phase) {
    RecordHead head = event.head;
    if (is_open) head.header.flags |= kFlagPolling;
    MERIDIAN_TRY_DO(begin_event(head));
    builder_.add_polls(event.row);
    if (event.site != 0) builder_.add_site(stacks_.site(event.site));
  }
  builder_.is_continuation(record);  // what comes next does not continue an earlier call
  return {};
}

Status SlotDecoder::begin_event(const RecordHead& head) {
  if (must_flush()) [[unlikely]]
    MERIDIAN_TRY_DO(flush());
  builder_.begin_event(head);
  ++shared_.pending;
  ++shared_.events;
  return {};
}

void SlotDecoder::add_completions(const Record& record, std::span<const std::uint64_t> words, bool has_outcome) {
  if (!builder_.add_completions(words, record.payload(), has_outcome)) ++shared_.damaged;
}

// The record is being made smaller, or is small already: its call has returned.
Status SlotDecoder::feed_small(std::span<const std::uint64_t> words) {
  if (is_block_start()) return {};  // left from an earlier lap: a block begins with a whole record
  if (must_flush()) MERIDIAN_TRY_DO(flush());
  builder_.expect_no_more();
  if ((words.front() & kSmallPart) == 0) {
    take_one_plain(words, block_left());
    return {};
  }
  const auto call = calls_.take(words, last_ticks_);
  if (!call || call->head.header.call >= kCallCount) return {};
  RecordHead head{};
  head.header.call = call->head.header.call;
  head.header.flags = kFlagUnfinished;
  head.enter_ticks = head.leave_ticks = call->head.enter_ticks;
  return begin_event(head);
}

Status SlotDecoder::feed_unfinished(std::span<const std::uint64_t> words) {
  if (is_stopped_ || !has_thread() || words.size() < kHeadWords) return {};
  if (is_small(words.front())) return feed_small(words);
  const auto head = whole_head(words.data());
  Record record{head, words.first(std::min<std::size_t>({head.header.words, words.size(), block_left()}))};
  // If no block was opened yet, these words are left from an earlier lap of the ring: they begin before the last
  // record.
  if (!is_call(record.payload()) || head.header.call == 0 || head.header.call >= kCallCount || record.is_hidden() ||
      head.enter_ticks < last_ticks_)
    return {};
  bool is_valid = true;
  if (record.payload() == Payload::user) return decode_call(record, is_valid);  // it has no duration, so it is complete
  if (record.payload() == Payload::polls) return decode_polls(record, true, is_valid);
  auto parts = parts_of(record);
  if (parts && !parts->site.empty() && !stacks_.is_site(parts->site[0])) parts.reset();
  record.head.leave_ticks = head.enter_ticks;
  // Counters are not stored yet.
  record.head.header.flags =
      static_cast<std::uint8_t>(kFlagUnfinished | (head.header.flags & (kFlagAbandoned | (parts ? kFlagSite : 0))));
  MERIDIAN_TRY_DO(begin_event(record.head));
  if (!parts) return {};
  builder_.add_row(record, {});
  add_completions(record, parts->completions, false);
  if (!parts->site.empty()) builder_.add_site(stacks_.site(parts->site[0]));
  return {};
}

Status SlotDecoder::flush() {
  if (builder_.events() == 0) return {};
  thread().events += builder_.events();
  shared_.pending -= builder_.events();
  Status status = shared_.sink(ThreadId{thread().thread}, builder_.batch());
  builder_.clear();
  return status;
}

bool SlotDecoder::restore() {
  const RankMeta& meta = shared_.meta;
  shared_.pending += builder_.events();
  return position_ % kWordBytes == 0 && (has_thread() ? thread_row_ < meta.threads.size() : builder_.events() == 0) &&
         definitions_.is_consistent() && calls_.is_consistent() && stacks_.are_within(shared_.stacks.size()) &&
         builder_.is_consistent(meta.counters_per_event);
}

}  // namespace meridian
