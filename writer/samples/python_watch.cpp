// SPDX-License-Identifier: Apache-2.0
#include "writer/samples/python_watch.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "trace/model/event.hpp"
#include "trace/model/system_clock.hpp"
#include "trace/ring/ring_futex.hpp"

namespace meridian {
namespace {

/// After a sample: what is read later may be another function.
constexpr std::uint64_t kLatestReadingNs = 3'000'000;
constexpr std::size_t kMostReadings = 1 << 14;    // that nobody takes over
constexpr std::uint64_t kBellNapNs = 20'000'000;  // at the doorbell, while a bell tells of samples

}  // namespace

PythonWatch::PythonWatch(std::int32_t pid, const PythonPlace& place, clockid_t clock)
    : place_{place}, clock_{clock}, doorbell_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)}, reader_{pid, place} {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // handlers run in the main thread
  try {
    if (doorbell_) thread_ = std::thread{[this] { run(); }};
  } catch (const std::system_error&) {
    // Without it samples have no lines, but all else is recorded.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

PythonWatch::~PythonWatch() {
  {
    const std::scoped_lock lock{mutex_};
    is_over_ = true;
  }
  wake();
  if (thread_.joinable()) thread_.join();
}

void PythonWatch::wake() noexcept {
  const std::uint64_t one = 1;
  (void)!::write(doorbell_.get(), &one, sizeof one);
}

void PythonWatch::change_to(Source source) {
  {
    const std::scoped_lock lock{mutex_};
    next_source_ = std::move(source);
    has_next_source_ = true;
  }
  wake();
}

void PythonWatch::watch(int event) {
  Source source;
  source.event = Descriptor{event >= 0 ? ::fcntl(event, F_DUPFD_CLOEXEC, 0) : -1};
  change_to(std::move(source));
}

void PythonWatch::watch(const std::atomic<std::uint32_t>& bell) {
  Source source;
  source.bell = &bell;
  source.heard = bell.load(std::memory_order_acquire);
  change_to(std::move(source));
}

bool PythonWatch::wait() {
  if (source_.bell != nullptr) {
    futex_wait(*source_.bell, source_.heard, kBellNapNs);
    const std::uint32_t now = source_.bell->load(std::memory_order_acquire);
    if (now != std::exchange(source_.heard, now)) return true;
  }
  pollfd waits[2] = {{doorbell_.get(), POLLIN, 0}, {source_.event.get(), POLLIN, 0}};  // a negative one is ignored
  if (::poll(waits, 2, source_.bell != nullptr ? 0 : -1) <= 0) return false;
  if (waits[0].revents != 0) {
    std::uint64_t count = 0;
    (void)!::read(doorbell_.get(), &count, sizeof count);
    return false;
  }
  const bool has_sample = (waits[1].revents & POLLIN) != 0;
  if (!has_sample) source_.event = Descriptor{};  // the thread has ended
  return has_sample;
}

void PythonWatch::run() {
  std::vector<std::uint64_t> sites;
  for (;;) {
    const bool has_sample = wait();
    const std::scoped_lock lock{mutex_};
    if (is_over_) return;
    if (std::exchange(has_next_source_, false)) source_ = std::exchange(next_source_, Source{});
    if (!has_sample) continue;
    const auto now_ns = static_cast<std::uint64_t>(system_clock_ns(clock_));
    reader_.read(sites);
    if (!sites.empty() && new_readings_.size() < kMostReadings) new_readings_.push_back({now_ns, sites});
  }
}

void PythonWatch::take() {
  const std::scoped_lock lock{mutex_};
  readings_ = std::exchange(new_readings_, {});
  next_ = 0;
}

const std::vector<std::uint64_t>& PythonWatch::at(std::uint64_t time_ns) {
  static const std::vector<std::uint64_t> kNone;
  while (next_ < readings_.size() && readings_[next_].time_ns < time_ns) ++next_;
  const bool is_read = next_ < readings_.size() && readings_[next_].time_ns - time_ns <= kLatestReadingNs;
  return is_read ? readings_[next_].sites : kNone;
}

std::vector<PythonReader::Line> PythonWatch::take_lines() {
  const std::scoped_lock lock{mutex_};
  return reader_.take_lines();
}

int PythonWatch::refusal() {
  const std::scoped_lock lock{mutex_};
  return reader_.refusal();
}

// What the interpreter itself does belongs to the line that it runs; code that it calls remains below that.
void put_python_lines(const std::vector<std::uint64_t>& lines, const LoadedFiles& files, std::uint64_t interpreter,
                      std::vector<std::uint64_t>& addresses) {
  if (lines.empty()) return;
  const auto is_replaced = [&](std::uint64_t address) {
    return address == kStackLost || address == kStackDeeper || files.is_same_file(address - 1, interpreter);
  };
  addresses.erase(std::ranges::find_if(addresses, is_replaced), addresses.end());
  addresses.insert(addresses.end(), lines.begin(), lines.end());
}

}  // namespace meridian
