// hot
// SPDX-License-Identifier: Apache-2.0
#include "pmpi/rings/polls.hpp"

namespace meridian {
namespace {

/// Polls that are measured before the clock is read at some only.
constexpr std::uint32_t kMeasuredFirst = 4;
constexpr std::uint64_t kAddressBits = (std::uint64_t{1} << 48) - 1;

constexpr std::uint64_t record_words(std::uint32_t places) noexcept {
  return words_of<RecordHead> + places * words_of<PollPlace>;
}
static_assert(record_words(kMaxPollPlaces) <= kMaxFixedWords);

/// Fills in a place with one poll.
void set_place(const ThreadState& thread, PollPlace& counts, const PollPhase::Place& place,
               std::uint64_t ticks) noexcept {
  const bool is_probe = place.comm != 0;
  counts = {.call = place.from >> 48,
            .site = thread.site_header != 0 ? place.from & kAddressBits : 0,
            .comm = place.comm,
            .peer = is_probe ? static_cast<std::int32_t>(place.route & 0xffffffff) : -1,
            .tag = is_probe ? static_cast<std::int32_t>(place.route >> 32) : -1,
            .calls = 1,
            .timed = 1,
            .timed_ticks = ticks};
}

void open_ring(ThreadState& thread) noexcept {
  std::atomic_signal_fence(std::memory_order_release);
  thread.limit = thread.block_limit;
}

/// Sets the polls before the next reading of the clock.
void set_step(PollPhase& phase, bool is_near) noexcept {
  phase.near = is_near ? phase.near + 1 : 0;
  phase.step = phase.near >= kMeasuredFirst ? kPollStride - 1 : 0;
  phase.left = phase.step;
}

struct PollSums {
  std::uint64_t calls = 0;
  std::uint64_t measured = 0;
  std::uint64_t ticks = 0;  ///< of those measured
};
PollSums sums_of(std::uint64_t* at, std::uint32_t places) noexcept {
  PollSums sums;
  for (std::uint32_t i = 0; i < places; ++i) {
    const PollPlace& counts = poll_counts(at, i);
    sums.calls += counts.calls;
    sums.measured += counts.timed + counts.samples;
    sums.ticks += counts.timed_ticks + counts.sampled_ticks;
  }
  return sums;
}

}  // namespace

void begin_polls(ThreadState& thread, std::uint64_t* at, const PollPhase::Place& place) noexcept {
  // Its entries are overwritten: if the process is killed meanwhile, the call has none.
  store_release(at[0], header_word(static_cast<CallId>(place.from >> 48), Payload::local, words_of<RecordHead>));
  set_place(thread, poll_counts(at, 0), place, at[2] - at[1]);
  store_release(at[0], header_word(static_cast<CallId>(place.from >> 48), Payload::polls, record_words(1)));
  PollPhase& phase = thread.polls;
  phase.places = 1;
  phase.recent = 0;
  phase.near = phase.step = phase.left = 0;
  phase.last_ticks = at[2];
  phase.place[0] = place;
  phase.block_limit = thread.block_limit;
  thread.block_limit = thread.ring;
  open_ring(thread);
}

bool begin_timed_poll(ThreadState& thread, PollTurn& turn) noexcept {
  PollPhase& phase = thread.polls;
  const std::uint64_t now = read_ticks();
  const std::uint64_t gap = now - phase.last_ticks;
  const std::uint64_t between = phase.step - phase.left;  // polls at which the clock was not read
  const std::uint64_t longest = phase.places == 1 ? kPollGapTicks : kPollWideGapTicks;
  if (gap > longest + between * kPollNearTicks) {
    close_polls(thread, now);
    return false;
  }
  turn.enter_ticks = now;
  return true;
}

void end_timed_poll(ThreadState& thread, const PollTurn& turn, const PollPhase::Place& place) noexcept {
  PollPhase& phase = thread.polls;
  std::uint64_t* at = turn.at;
  const std::uint64_t leave = read_ticks();
  const std::uint64_t ticks = leave - turn.enter_ticks;
  if (phase.recent == kMaxPollPlaces) {  // one place too many: another phase
    const void* const frame = thread.frame;
    close_polls(thread, turn.enter_ticks);
    at = make_room(thread, kMaxFixedWords, frame);
    if (at == nullptr) return;  // counted there
    enter_call(thread, frame);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (was_interrupted(thread, at)) at = begin_again(thread, frame);
    if (at == nullptr) return;
    at[1] = turn.enter_ticks;
    at[2] = leave;
    return begin_polls(thread, at, place);
  }
  const std::uint64_t between = phase.step - phase.left;
  const bool is_near = leave - phase.last_ticks <= (between + 1) * kPollNearTicks;
  PollPlace& counts = poll_counts(at, phase.recent);
  if (phase.recent == phase.places) {
    set_place(thread, counts, place, ticks);
    phase.place[phase.places++] = place;
    store_release(at[0], header_word(static_cast<CallId>(at[0] & 0xffff), Payload::polls, record_words(phase.places)));
  } else {
    ++counts.calls;
    if (phase.step == 0) {
      ++counts.timed;
      counts.timed_ticks += ticks;
    } else {
      ++counts.samples;
      counts.sampled_ticks += ticks;
      counts.squares += static_cast<double>(ticks) * static_cast<double>(ticks);
    }
  }
  at[2] = leave;
  phase.last_ticks = leave;
  set_step(phase, is_near);
  open_ring(thread);
}

std::uint64_t end_polls(ThreadState& thread, const PollTurn& turn, std::uint64_t leave_ticks) noexcept {
  PollPhase& phase = thread.polls;
  std::uint64_t enter = turn.enter_ticks;
  if (enter == 0) {
    const PollSums sums = sums_of(turn.at, phase.places);
    const std::uint64_t period = (leave_ticks - phase.last_ticks) / (phase.step - phase.left);
    const std::uint64_t mean = sums.ticks / sums.measured;
    enter = leave_ticks - (mean < period ? mean : period);
    ++phase.left;  // this poll is not one of those without a reading
  }
  close_polls(thread, enter);
  return enter;
}

void close_polls(ThreadState& thread, std::uint64_t now) noexcept {
  PollPhase& phase = thread.polls;
  std::uint64_t* const at = thread.cursor;
  const std::uint64_t unread = phase.step - phase.left;
  if (unread != 0) {  // the last polls took as long as those before
    const std::uint64_t calls = sums_of(at, phase.places).calls;
    const std::uint64_t later = (phase.last_ticks - at[1]) / (calls - unread) * unread;
    at[2] = later < now - phase.last_ticks ? phase.last_ticks + later : now;
  }
  thread.block_limit = phase.block_limit;
  const std::uint64_t words = record_words(phase.places);
  phase.places = 0;
  phase.recent = 0;
  phase.left = phase.step = 0;
  leave_call(thread, at, words);
}

void abandon_poll(ThreadState& thread) noexcept {
  PollPhase& phase = thread.polls;
  if (phase.recent < phase.places)
    ++poll_counts(thread.cursor, phase.recent).calls;
  else
    phase.recent = 0;
  thread.limit = thread.block_limit;
}

}  // namespace meridian
