// SPDX-License-Identifier: Apache-2.0
#include "writer/samples/sampler.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <utility>

#include "trace/model/event.hpp"
#include "trace/model/module_key.hpp"
#include "trace/model/sample_keys.hpp"
#include "trace/model/system_clock.hpp"
#include "trace/records/finish/places.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kBetweenTimesNs = 2'000'000'000;  // between texts with sampled times
constexpr std::uint64_t kRoundsWithAPeriod = 8;           // a new one cuts the present step short
constexpr std::uint64_t kLongestRoundNs = 100'000'000, kShortestRoundNs = 5'000'000;
constexpr double kQuiteFull = 0.25, kNearlyEmpty = 0.0625;  // of a buffer of switches at the end of a round
constexpr std::uint64_t kSamplesInARound = 15;              // of a thread: a quarter of what the kernel's buffer holds
constexpr std::uint64_t kShortestStepNs = 200'000;          // 25 in the shortest round
constexpr std::uint64_t kSecondNs = 1'000'000'000;
constexpr std::uint64_t kSilentSamples = 20,
                        kSilentNs = kSecondNs / 2;  // of processor time, without a sample by signal

std::uint64_t now_ns() noexcept { return static_cast<std::uint64_t>(system_clock_ns(CLOCK_MONOTONIC)); }

/// The setting by which Linux permits events; empty: unknown.
std::string paranoid_level() {
  std::ifstream file{"/proc/sys/kernel/perf_event_paranoid"};
  std::string level;
  file >> level;
  return level;
}

}  // namespace

Sampler::Sampler(RingFile& ring, ThreadEvent::Open open, SwitchEvent::Open open_switches)
    : ring_{ring},
      open_{open},
      files_{ring.header().pid},
      processor_{open_switches},
      memory_{ring.header().pid, ring.clock()},
      energy_{ring.clock()} {
  const std::uint32_t rate = ring.header().sample_hz;
  if (rate == 0) return;
  period_ns_ = kSecondNs / rate;
  round_ns_ = longest_round_ns_ = std::min(kLongestRoundNs, kSamplesInARound * period_ns_);
  random_ = (ring.header().process_start ^ static_cast<std::uint64_t>(ring.header().pid) << 32) | 1;
}

// Xorshift (G. Marsaglia, Journal of Statistical Software 8, 2003): 20 % around the period, so that no loop of the program is in
// step with it.
std::uint64_t Sampler::draw_period() noexcept {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return period_ns_ * (800 + random_ % 401) / 1000;
}

void Sampler::begin() {
  if (ring_.output_dir().empty()) return;
  clock_ = TickLine::make(ring_.clock());
  auto spool = SampleSpoolWriter::create(samples_in_output(ring_.output_dir(), ring_.world_rank()), ring_);
  if (!clock_ || !spool) {  // a test's clock, or a full disk
    state_ = State::ended;
    return;
  }
  spool_.emplace(*std::move(spool));
  energy_.begin(ring_.output_dir());
  const RingFileHeader& header = ring_.header();
  buffers_ = SampleBuffers::open(ring_);
  if (period_ns_ != 0 && header.has_python.load(std::memory_order_acquire) != 0)
    python_.emplace(header.pid, header.python, clock_->clock());
  state_ = period_ns_ == 0 ? State::readings_only : State::sampling;
  round_ns_ = shortest_round_ns();  // until it is known how often the threads are switched
}

void Sampler::refuse(const std::string& reason) {
  if (std::exchange(is_refused_, true)) return;
  std::string text = reason;
  if (const std::string level = paranoid_level(); !level.empty()) text += "; kernel.perf_event_paranoid = " + level;
  spool_->add(kSamplesRefusedKey, text, 0);
}

void Sampler::sample(std::uint32_t number, std::int32_t kernel_tid) {
  if (kernel_tid <= 0) return;
  live_.push_back(kernel_tid);
  if (const auto known = threads_.find(kernel_tid);
      known != threads_.end() && (!known->second || known->second->number == number))
    return;
  Thread thread;
  thread.number = number;
  thread.period_ns = draw_period();
  if (buffers_ ? !open_signal(thread, kernel_tid) : !open_samples(thread, kernel_tid)) return;
  thread.counts = schedule_counts(ring_.header().pid, kernel_tid).value_or(ScheduleCounts{});
  thread.heard_ns = thread.counts.ran_ns;
  processor_.add(number, kernel_tid, *clock_, thread.counts);
  threads_[kernel_tid] = std::move(thread);
}

bool Sampler::open_samples(Thread& thread, std::int32_t kernel_tid) {
  auto event = ThreadEvent::open(kernel_tid, step_of(thread), clock_->clock(), open_);
  if (event) {
    thread.event = *std::move(event);
    if (python_ && python_->kernel_tid() == kernel_tid) python_->watch(thread.event->descriptor());
  } else if (event.error().code != Errc::not_found) {  // otherwise it has ended
    refuse(event.error().what);
    threads_[kernel_tid].reset();
  }
  return thread.event.has_value();
}

bool Sampler::open_signal(Thread& thread, std::int32_t kernel_tid) {
  if (thread.number >= kSampleBuffers) return false;
  const SampleBuffer& head = buffers_->head(thread.number);
  const SampleState state = head.state.load(std::memory_order_acquire);
  thread.signal = SignalEvent::open(*buffers_, thread.number);
  if (thread.signal && python_ && python_->kernel_tid() == kernel_tid) python_->watch(thread.signal->bell());
  if (state == SampleState::refused) refuse(refusal(head.problem));
  if (state == SampleState::blocked) spool_->add(kSamplesBlockedKey, "", thread.number);
  if (state == SampleState::refused || state == SampleState::blocked) threads_[kernel_tid].reset();
  return thread.signal.has_value();
}

// A thread that blocks the signal gets none, however long it computes.
void Sampler::listen(Thread& thread) {
  if (!thread.signal || thread.is_silent) return;
  if (thread.counts.ran_ns - thread.heard_ns < kSilentSamples * period_ns_ + kSilentNs) return;
  thread.is_silent = true;
  spool_->add(kSamplesBlockedKey, "", thread.number);
}

void Sampler::find_threads() {
  live_.clear();
  for (std::uint32_t i = 0; i < ring_.geometry().slot_count; ++i) {
    const RingSlot& slot = ring_.slot(i);
    const SlotState state = slot.state.load(std::memory_order_acquire);
    if (state == SlotState::free && slot.head.load(std::memory_order_acquire) == 0) break;  // slots are taken in order
    if (state == SlotState::active) sample(slot.thread, slot.kernel_tid);
  }
  // Threads that make no calls have a card only. Cards change when a thread begins or ends.
  const std::uint32_t cards = ring_.header().next_thread.load(std::memory_order_acquire);
  const bool has_pending = std::ranges::any_of(cards_, [](const ThreadCard& card) {
    const CardState state = card.state.load(std::memory_order_relaxed);
    return state == CardState::taken || state == CardState::live;
  });
  if (cards != known_cards_ || has_pending)
    if (auto read = ring_.cards()) cards_ = *std::move(read);
  known_cards_ = cards;
  for (std::uint32_t number = 0; number < cards_.size(); ++number)
    if (cards_[number].state.load(std::memory_order_relaxed) == CardState::live)
      sample(number, cards_[number].kernel_tid);
}

void Sampler::take_python() {
  if (!python_) return;
  python_->take();
  for (const PythonReader::Line& line : python_->take_lines()) spool_->add(kScriptKey, line.text, line.site);
  const int refusal = python_->refusal();
  if (refusal != 0 && python_refusal_ == 0) spool_->add(kPythonRefusedKey, meridian::refusal(refusal), 0);
  python_refusal_ = refusal;
}

std::uint32_t Sampler::stack_of(const CopiedStack& copied, const std::vector<std::uint64_t>* lines) {
  unwind(copied, files_, addresses_);
  if (lines != nullptr) put_python_lines(*lines, files_, python_->interpreter(), addresses_);
  std::uint32_t row = 0;
  const std::size_t known_rows = rows_.size();
  for (auto address = addresses_.rbegin(); address != addresses_.rend(); ++address) {
    row = stacks_.row_of(row, *address);
    if (row == StackTable::kNoRow) return 0;
  }
  if (rows_.size() != known_rows)
    for (const std::uint64_t address : addresses_) files_.note(address - 1);
  return row;
}

void Sampler::store(std::uint64_t until_ns) {
  std::ranges::stable_sort(taken_, {}, &Taken::time_ns);
  for (; stored_rows_ < rows_.size(); ++stored_rows_) spool_->add(rows_[stored_rows_]);
  const auto rest = std::ranges::lower_bound(taken_, until_ns, {}, &Taken::time_ns);
  for (auto taken = taken_.begin(); taken != rest; ++taken) {
    taken->row.ticks = clock_->ticks_at(taken->time_ns);
    spool_->add(taken->row);
  }
  taken_.erase(taken_.begin(), rest);
}

void Sampler::store_sampled_times() {
  for (auto& [kernel_tid, thread] : threads_) {
    if (!thread || thread->sampled_ns == std::exchange(thread->stored_ns, thread->sampled_ns)) continue;
    spool_->add(kSamplesProcessorKey, std::to_string(thread->sampled_ns), thread->number);
  }
}

// Threads that yield to one another are switched a million times a second.
void Sampler::adapt_round(double filled) noexcept {
  if (filled > kQuiteFull) round_ns_ = std::max(round_ns_ / 2, shortest_round_ns());
  if (filled < kNearlyEmpty) round_ns_ = std::min(round_ns_ * 2, longest_round_ns_);
}

std::uint64_t Sampler::drain(std::int32_t kernel_tid, Thread& thread) {
  if (!thread.event && !thread.signal) return 0;
  const bool has_lines = python_ && python_->kernel_tid() == kernel_tid;
  std::uint64_t samples = 0;
  const auto take = [&](std::uint64_t time_ns, const CopiedStack& copied) {
    const std::uint32_t stack = stack_of(copied, has_lines ? &python_->at(time_ns) : nullptr);
    taken_.push_back({time_ns, {0, thread.number, stack}});
    ++samples;
  };
  if (thread.signal) {
    const std::uint64_t dropped = thread.signal->drain(take);
    thread.sampled_ns = thread.signal->processor_ns();
    if (samples != 0) thread.heard_ns = thread.counts.ran_ns;
    return dropped;
  }
  const std::uint64_t dropped = thread.event->drain(take);
  thread.sampled_ns += (samples + dropped) * thread.period_ns;  // the others stand for those that were dropped
  thread.owed_ns -= static_cast<double>((samples + dropped) * thread.period_ns) * (1 - thread.share);
  const bool is_paid = thread.share < 1 && thread.owed_ns <= 0;
  if (is_paid) thread.share = 1;
  if (is_paid || rounds_ % kRoundsWithAPeriod == 0) set_period(thread);
  return dropped;
}

std::uint64_t Sampler::shortest_round_ns() const noexcept { return std::min(kShortestRoundNs, longest_round_ns_); }

std::uint64_t Sampler::next_round_ns() const noexcept { return std::min(last_round_ns_ + round_ns_, until_ns_); }

std::uint64_t Sampler::nap_ns() const noexcept {
  if (state_ == State::waiting) return period_ns_ != 0 ? kUntilBeginNs : UINT64_MAX;  // MPI_Init wakes the writer
  if (state_ == State::readings_only) return kReadingNapNs;
  if (until_ns_ == UINT64_MAX) return round_ns_;
  const std::uint64_t now = now_ns(), next = next_round_ns();
  return next > now ? next - now : 1;
}

std::uint64_t Sampler::step_of(const Thread& thread) noexcept {
  const double step = static_cast<double>(thread.period_ns) * thread.share;
  return thread.share < 1 ? std::max(static_cast<std::uint64_t>(step), kShortestStepNs) : thread.period_ns;
}

void Sampler::set_period(Thread& thread) noexcept {
  thread.period_ns = draw_period();
  thread.event->set_period(step_of(thread));
}

// Samples stand for the rest, too: they are closer to one another after it, as many as there would have been.
void Sampler::resume(std::int32_t kernel_tid, Thread& thread) {
  if (!thread.signal) {
    const std::uint64_t rested = thread.counts.switches - thread.rested.switches;
    thread.owed_ns = static_cast<double>(thread.counts.ran_ns - thread.rested.ran_ns);
    thread.share = double{SwitchBudget::kMost} / static_cast<double>(SwitchBudget::kMost + rested);
    thread.period_ns = draw_period();
    auto event = ThreadEvent::open(kernel_tid, step_of(thread), clock_->clock(), open_);
    if (!event) return;  // it has ended, or the next round tries again
    thread.event = *std::move(event);
    if (python_ && python_->kernel_tid() == kernel_tid) python_->watch(thread.event->descriptor());
  }
  thread.is_resting = false;
  processor_.add(thread.number, kernel_tid, *clock_, thread.counts);
  round_ns_ = shortest_round_ns();
}

void Sampler::rest(std::int32_t kernel_tid, Thread& thread) {
  thread.is_resting = true;
  processor_.rest(kernel_tid, thread.counts, clock_->now_ns());
  if (thread.signal) return;
  thread.event.reset();
  if (python_ && python_->kernel_tid() == kernel_tid) python_->watch(-1);
  thread.rested = thread.counts;
}

void Sampler::watch(std::int32_t kernel_tid, Thread& thread) {
  const auto counts = schedule_counts(ring_.header().pid, kernel_tid);
  if (!counts || counts->switches < thread.counts.switches) return;
  const std::uint64_t switches = counts->switches - std::exchange(thread.counts, *counts).switches;
  const bool is_watched = thread.budget.spend(switches, now_ns());
  if (!is_watched) until_ns_ = std::min(until_ns_, thread.budget.next_ns());
  listen(thread);
  processor_.sum(kernel_tid, *counts, clock_->now_ns(), *clock_);
  if (thread.is_resting && is_watched)
    resume(kernel_tid, thread);
  else if (!thread.is_resting && !is_watched)
    rest(kernel_tid, thread);
}

bool Sampler::take_readings(bool is_last) {
  memory_.take(now_ns(), is_last, *spool_);
  energy_.take(now_ns(), is_last, *spool_);
  return static_cast<bool>(spool_->store());
}

void Sampler::take_round(bool is_last) {
  clock_->read_clocks();
  files_.refresh();
  find_threads();
  const std::uint64_t begin_ns = clock_->now_ns();  // all earlier samples are in the kernel's buffers
  take_python();
  const bool is_time = now_ns() - last_times_ns_ >= kBetweenTimesNs || is_last;
  std::uint64_t lost = 0;
  for (auto& [kernel_tid, thread] : threads_)
    if (thread) lost += drain(kernel_tid, *thread);
  ++rounds_;
  adapt_round(processor_.drain(*clock_));
  until_ns_ = UINT64_MAX;
  for (auto& [kernel_tid, thread] : threads_)
    if (thread) watch(kernel_tid, *thread);
  processor_.store(is_last ? UINT64_MAX : clock_->ticks_at(begin_ns), *spool_);
  clock_->read_clocks();
  store(is_last ? UINT64_MAX : begin_ns);
  for (const std::string& file : files_.take_new_files()) spool_->add(kModuleKey, file, ++new_files_);
  if (lost != 0) spool_->add(kSamplesLostKey, std::to_string(lost_ += lost), 0);
  const auto has_ended = [this](const auto& entry) { return std::ranges::find(live_, entry.first) == live_.end(); };
  if (is_time || std::ranges::any_of(threads_, has_ended)) {
    store_sampled_times();
    last_times_ns_ = now_ns();
  }
  std::erase_if(threads_, [&](const auto& entry) {
    if (!has_ended(entry)) return false;
    processor_.remove(entry.first);
    if (entry.second && entry.second->signal) entry.second->signal->release();
    return true;
  });
  if (!take_readings(is_last)) end();
}

void Sampler::end(State state) {
  python_.reset();
  threads_.clear();
  cards_.clear();
  state_ = state;
}

void Sampler::run() {
  if (state_ == State::waiting) begin();
  const bool is_over = ring_.header().run_state.load(std::memory_order_acquire) >= RunState::finalized;
  if (state_ == State::readings_only && (!take_readings(is_over) || is_over)) end();
  if (state_ != State::sampling || now_ns() < next_round_ns()) return;
  last_round_ns_ = now_ns();
  take_round(is_over);
  const bool is_refused =
      is_refused_ && std::ranges::none_of(threads_, [](const auto& entry) { return entry.second.has_value(); });
  if (is_over)
    end();
  else if (is_refused && state_ == State::sampling)
    end(State::readings_only);
}

void Sampler::settle() {
  if (state_ == State::waiting) begin();
  if (state_ == State::sampling) take_round(true);
  if (state_ == State::readings_only) (void)take_readings(true);
}

}  // namespace meridian
