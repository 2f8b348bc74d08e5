// SPDX-License-Identifier: Apache-2.0
#include "writer/writer_process.hpp"

#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

#include "trace/model/system_clock.hpp"
#include "trace/records/finish/finish_rank.hpp"
#include "trace/records/finish/places.hpp"
#include "trace/records/finish/snapshot_rank.hpp"
#include "trace/ring/ring_futex.hpp"
#include "trace/ring/ring_head.hpp"
#include "writer/recover.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kBetweenLooksNs = 200'000'000;
constexpr int kUntilReapedMs = 100;
constexpr std::chrono::milliseconds kNap{5}, kUntilEnd{1000};

/// struct pidfd_info of <linux/pidfd.h> in its first version.
struct PidfdInfo {
  std::uint64_t mask = 0;
  std::uint64_t cgroup = 0;
  std::uint32_t ids[11] = {};
  std::int32_t exit_status = 0;
};
static_assert(sizeof(PidfdInfo) == 64);
constexpr unsigned long kGetPidfdInfo = _IOWR(0xff, 11, PidfdInfo);
constexpr std::uint64_t kHasExitStatus = 1 << 3;

/// The status of a process that has ended, for which its parent has not waited yet.
std::optional<int> zombie_status(std::int32_t pid) {
  std::ifstream file{"/proc/" + std::to_string(pid) + "/stat"};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  const std::size_t name_end = text.rfind(')');  // the name may contain anything
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields{text.substr(name_end + 1)};
  std::string state, field;
  fields >> state;
  constexpr int kFieldsUntilStatus = 52 - 3;
  for (int i = 0; i < kFieldsUntilStatus; ++i) fields >> field;
  int status = 0;
  const auto [end, problem] = std::from_chars(field.data(), field.data() + field.size(), status);
  return state == "Z" && problem == std::errc{} ? std::optional{status} : std::nullopt;
}

/// The status of a process that has ended, from Linux 6.15 on. It is there once the parent has waited for the process.
std::optional<int> reaped_status(int pidfd) noexcept {
  for (const bool is_last : {false, true}) {
    PidfdInfo info{.mask = kHasExitStatus};
    if (::ioctl(pidfd, kGetPidfdInfo, &info) != 0) break;
    if ((info.mask & kHasExitStatus) != 0) return info.exit_status;
    pollfd reaped{.fd = pidfd, .events = 0, .revents = 0};  // POLLHUP
    while (!is_last && ::poll(&reaped, 1, kUntilReapedMs) < 0 && errno == EINTR) continue;
  }
  return std::nullopt;
}

}  // namespace

void WriterProcess::end(std::optional<int> status) noexcept {
  end_ = rank_ended_now(ring_.clock(), status);
  has_ended_.store(true, std::memory_order_release);
  wake();
}

void WriterProcess::want_snapshot() noexcept {
  is_snapshot_wanted_.store(true, std::memory_order_release);
  wake();
}

void WriterProcess::wake() noexcept {
  const int before = errno;
  RingFileHeader& header = ring_.shared_header();
  header.wake.fetch_add(1, std::memory_order_seq_cst);
  futex_wake_all(header.wake);
  errno = before;
}

// The process has ended, or has announced that it stores no more and has no call in progress that could still be
// recorded.
bool WriterProcess::is_over() const {
  if (has_ended_.load(std::memory_order_acquire) || (is_watching_ && !ring_.is_process_alive())) return true;
  if (ring_.header().run_state.load(std::memory_order_acquire) != RunState::ended) return false;
  for (std::uint32_t slot = 0; slot < ring_.geometry().slot_count; ++slot) {
    const std::uint64_t head = ring_.slot(slot).head.load(std::memory_order_acquire);
    std::uint64_t header[1] = {};
    if (head % ring_.geometry().block_bytes != 0 && (!ring_.read(slot, head, header) || header[0] != 0)) return false;
  }
  return true;
}

Status WriterProcess::run() {
  RingFileHeader& header = ring_.shared_header();
  header.writer_pid.store(static_cast<std::int32_t>(::getpid()), std::memory_order_release);
  header.writer_state.store(WriterState::draining, std::memory_order_release);
  for (;;) {
    const std::uint32_t seen = header.wake.load(std::memory_order_seq_cst);
    const bool is_last = is_over();  // before draining, so that nothing can follow
    serve();
    if (is_last) break;
    start_snapshot();
    if (!compress()) sleep(seen);
  }
  Status left = leave();
  header.writer_state.store(left ? WriterState::left : WriterState::failed, std::memory_order_release);
  header.served.fetch_add(1, std::memory_order_seq_cst);
  futex_wake_all(header.served);
  return left;
}

// The program increments `wake`, then reads `writer_asleep`; the writer does it in the other order. Both sequences are
// sequentially consistent, so one of the two always sees the other, and an increment in between makes the futex return
// at once.
void WriterProcess::sleep(std::uint32_t seen) {
  RingFileHeader& header = ring_.shared_header();
  header.writer_asleep.store(1, std::memory_order_seq_cst);
  if (header.wake.load(std::memory_order_seq_cst) != seen) {
    // there is something to do
  } else if (is_watching_) {
    futex_wait(header.wake, seen, std::min(kBetweenLooksNs, sampler_.nap_ns()));
  } else if (sampler_.is_on()) {
    futex_wait(header.wake, seen, sampler_.nap_ns());
  } else {
    futex_wait(header.wake, seen);
  }
  header.writer_asleep.store(0, std::memory_order_seq_cst);
}

void WriterProcess::start_snapshot() {
  if (snapshot_pid_ > 0 && ::waitpid(snapshot_pid_, nullptr, WNOHANG) == 0) return;  // its end wakes this process
  snapshot_pid_ = 0;
  if (!is_snapshot_wanted_.load(std::memory_order_acquire) || ring_.output_dir().empty()) return;
  is_snapshot_wanted_.store(false, std::memory_order_release);
  std::string name = "meridian-writer", what = kMakeSnapshot, ring = ring_.path().string();
  char* const arguments[] = {name.data(), what.data(), ring.data(), nullptr};
  if (::posix_spawn(&snapshot_pid_, "/proc/self/exe", nullptr, nullptr, arguments, environ) != 0) snapshot_pid_ = 0;
}

void WriterProcess::serve() {
  RingFileHeader& header = ring_.shared_header();
  if (!has_failed_) {
    const Status drained = drain_.run(compressor_.most_bytes());
    if (!drained && drained.error().code == Errc::io) {
      has_failed_ = true;
      header.writer_state.store(WriterState::failed, std::memory_order_release);
    }
  }
  header.served.fetch_add(1, std::memory_order_seq_cst);
  futex_wake_all(header.served);
  sampler_.run();  // after the program has been served
  copy_head();
  answer_finish();
}

bool WriterProcess::compress() {
  return drain_.spool() &&
         compressor_.run(*drain_.spool(), static_cast<std::uint64_t>(system_clock_ns(CLOCK_MONOTONIC)));
}

/// After draining, so that the copy refers to nothing that is not in the spool. A failure only means that a lost host leaves less.
void WriterProcess::copy_head() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_copy_ || has_failed_) return;
  const std::filesystem::path output_dir = ring_.output_dir();
  if (output_dir.empty()) return;
  next_copy_ = now + kBetweenCopies;
  static_cast<void>(bool{write_ring_head(ring_, head_in_output(output_dir, ring_.world_rank()), kCallCount)});
}

void WriterProcess::answer_finish() {
  RingFileHeader& header = ring_.shared_header();
  const std::uint32_t wanted = header.finish_requested.load(std::memory_order_seq_cst);
  if (wanted == header.finish_served.load(std::memory_order_relaxed)) return;
  (void)finish();  // a failure is retried at the end of the program, and then by the merger
  header.finish_served.store(wanted, std::memory_order_release);
  header.served.fetch_add(1, std::memory_order_seq_cst);
  futex_wake_all(header.served);
}

RankEnd WriterProcess::end() const {
  if (has_ended_.load(std::memory_order_acquire)) return end_;
  if (ring_.header().run_state.load(std::memory_order_acquire) == RunState::ended) return rank_exits_now(ring_.clock());
  return {};
}

Status WriterProcess::finish() {
  const std::filesystem::path output_dir = ring_.output_dir();
  if (output_dir.empty()) return Error{Errc::not_found, "the program has no output directory yet", ""};
  sampler_.settle();
  auto progress = progress_of(ring_);  // before: later records make a difference to it
  if (drain_.spool()) compressor_.settle(*drain_.spool());
  const auto pieces = pieces_of(ring_.path(), output_dir, ring_.world_rank());
  MERIDIAN_TRY(const FinishedRank finished,
               finish_rank(ring_, pieces, output_dir, RecordSource::pieces_and_ring, end()));
  finished_progress_ = std::move(progress);
  return {};
}

Status WriterProcess::leave() {
  const std::filesystem::path output_dir = ring_.output_dir();
  if (output_dir.empty()) {
    // Ended before it had a rank and an output directory: no rank file can be made, even of calls before MPI_Init.
    remove_leftovers(ring_, {});
    return {};
  }
  if (finished_progress_ != progress_of(ring_)) {
    // A process in exit() has its code in a moment.
    for (auto waited = kNap; waited <= kUntilEnd && !is_watching_ && !has_ended_.load(std::memory_order_acquire);
         waited += kNap)
      std::this_thread::sleep_for(kNap);
    MERIDIAN_TRY_DO(finish());
  }
  remove_leftovers(ring_, output_dir);
  return {};
}

std::optional<int> wait_for_process(std::int32_t pid, std::uint64_t start) {
  std::optional<int> status;
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0u));
  // A pidfd of another process with the same pid is useless; a pidfd of the right process remains valid.
  if (handle >= 0 && is_running(pid, start)) {
    pollfd waiting{.fd = handle, .events = POLLIN, .revents = 0};
    while (::poll(&waiting, 1, -1) < 0 && errno == EINTR) continue;
    status = reaped_status(handle);
    if (!status) status = zombie_status(pid);
    if (!status) status = reaped_status(handle);  // its parent has waited for it between the two questions
  } else {
    while (is_running(pid, start)) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  close_descriptor(handle);
  return status;
}

}  // namespace meridian
