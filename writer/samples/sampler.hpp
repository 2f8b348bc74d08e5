// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trace/format/rank/sample_table.hpp"
#include "trace/records/finish/sample_spool.hpp"
#include "trace/records/stack_table.hpp"
#include "trace/ring/ring_file.hpp"
#include "trace/ring/sample_buffers.hpp"
#include "writer/samples/energy_times.hpp"
#include "writer/samples/loaded_files.hpp"
#include "writer/samples/memory_times.hpp"
#include "writer/samples/processor_times.hpp"
#include "writer/samples/python_watch.hpp"
#include "writer/samples/schedule_counts.hpp"
#include "writer/samples/signal_event.hpp"
#include "writer/samples/switch_budget.hpp"
#include "writer/samples/thread_event.hpp"
#include "writer/samples/tick_line.hpp"

namespace meridian {

/// Samples the threads of the process that made a ring, from MPI_Init to the end of MPI_Finalize: the kernel takes the samples, or the
/// threads themselves by a signal (MERIDIAN_SAMPLES_BY), this unwinds their stacks and appends them to a spool, with the intervals in which the threads had no processor, and with what the
/// kernel counts of the process's memory and of the host's energy. The last two are there without samples, too: if none are wanted, or the
/// kernel permits none. A failure is recorded; the rest of the recording goes on.
class Sampler {
 public:
  /// `ring` must outlive this.
  explicit Sampler(RingFile& ring, ThreadEvent::Open open = &ThreadEvent::open_event,
                   SwitchEvent::Open open_switches = &SwitchEvent::open_event);

  /// Whether run() has to be called: MPI_Finalize has not ended.
  bool is_on() const noexcept { return state_ != State::ended; }
  /// Whether threads are or will be sampled: MERIDIAN_SAMPLES is not 0, and the kernel permits it.
  bool takes_samples() const noexcept { return is_on() && state_ != State::readings_only && period_ns_ != 0; }
  /// Longest time until the next call of run(); the largest number: it is not needed before the program wakes the writer.
  std::uint64_t nap_ns() const noexcept;
  /// Begins once the process has an output directory; then takes over samples, at most one time in a round.
  void run();
  /// Stores all samples that the kernel has.
  void settle();

 private:
  /// Between looks for the output directory: what is computed before the first round has no samples.
  static constexpr std::uint64_t kUntilBeginNs = 10'000'000;
  /// Without samples nothing is in a hurry. The writer is often awake in between.
  static constexpr std::uint64_t kReadingNapNs = 250'000'000;
  enum class State : std::uint8_t { waiting, sampling, readings_only, ended };
  struct Thread {
    std::uint32_t number = 0;           // ThreadId
    std::optional<ThreadEvent> event;   // none: it rests, or has `signal`
    std::optional<SignalEvent> signal;  // does not rest
    bool is_resting = false;            // is switched too often to have single intervals
    std::uint64_t period_ns = 0;        // that a sample stands for
    std::uint64_t sampled_ns = 0;       // sum of the periods of its samples, lost ones included
    std::uint64_t stored_ns = 0;        // the same, when it was last stored
    SwitchBudget budget;
    ScheduleCounts counts;       // at the last round
    ScheduleCounts rested;       // while it rests: when that began
    double owed_ns = 0;          // of the last rest: has no samples yet
    double share = 1;            // of the processor time that samples stand for, of that in which they are taken
    std::uint64_t heard_ns = 0;  // by a signal: processor time, when it last had new samples
    bool is_silent = false;      // has had none for a while, and this is recorded
  };
  struct Taken {
    std::uint64_t time_ns = 0;
    SampleRow row;
  };

  void begin();
  void take_round(bool is_last);
  /// What the kernel counts of memory and energy, if it is time; false: the spool cannot be written.
  bool take_readings(bool is_last);
  void find_threads();
  void sample(std::uint32_t number, std::int32_t kernel_tid);
  /// False: the thread is not sampled, or not yet.
  bool open_samples(Thread& thread, std::int32_t kernel_tid);
  bool open_signal(Thread& thread, std::int32_t kernel_tid);
  void listen(Thread& thread);
  /// Takes over the samples of a thread; returns how many the kernel dropped.
  std::uint64_t drain(std::int32_t kernel_tid, Thread& thread);
  /// Lets a thread that is switched very often rest, or watches it again.
  void watch(std::int32_t kernel_tid, Thread& thread);
  void resume(std::int32_t kernel_tid, Thread& thread);
  void rest(std::int32_t kernel_tid, Thread& thread);
  static std::uint64_t step_of(const Thread& thread) noexcept;
  void set_period(Thread& thread) noexcept;
  std::uint64_t shortest_round_ns() const noexcept;
  std::uint64_t next_round_ns() const noexcept;
  std::uint32_t stack_of(const CopiedStack& copied, const std::vector<std::uint64_t>* lines);
  void take_python();
  void store(std::uint64_t until_ns);
  void store_sampled_times();
  void adapt_round(double filled) noexcept;
  void refuse(const std::string& reason);
  void end(State state = State::ended);
  std::uint64_t draw_period() noexcept;

  RingFile& ring_;
  ThreadEvent::Open open_;
  State state_ = State::waiting;
  std::uint64_t period_ns_ = 0;
  std::uint64_t round_ns_ = 0;  // between two rounds
  std::uint64_t longest_round_ns_ = 0;
  std::uint64_t until_ns_ = UINT64_MAX;  // when the first of the threads that rest is watched again
  std::uint64_t last_round_ns_ = 0, last_times_ns_ = 0, rounds_ = 0;
  std::uint64_t random_ = 0;
  std::optional<TickLine> clock_;
  std::optional<SampleSpoolWriter> spool_;
  std::optional<SampleBuffers> buffers_;  // of samples by a signal
  LoadedFiles files_;
  std::optional<PythonWatch> python_;  // of a program that runs Python
  int python_refusal_ = 0;
  ProcessorTimes processor_;
  MemoryTimes memory_;
  EnergyTimes energy_;
  std::map<std::int32_t, std::optional<Thread>> threads_;  // by kernel id; nullopt: the kernel refuses it
  std::vector<std::int32_t> live_;                         // of the last round
  std::uint32_t known_cards_ = 0;
  std::vector<ThreadCard> cards_;
  std::vector<Taken> taken_;  // not stored yet
  std::vector<StackRow> rows_;
  StackTable stacks_{rows_};
  std::size_t stored_rows_ = 1;
  std::vector<std::uint64_t> addresses_;
  std::uint64_t lost_ = 0;
  std::uint64_t new_files_ = 0;  // stored
  bool is_refused_ = false;
};

}  // namespace meridian
