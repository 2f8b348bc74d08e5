// SPDX-License-Identifier: Apache-2.0
#include "processes/mpi_processes.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace meridian {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

/// An answer often comes at once.
constexpr microseconds kQuick{50};
/// While bytes flow: time for the next piece at 500 MB/s.
constexpr microseconds kFlowing{2000};
constexpr microseconds kShortestPause{20};
constexpr microseconds kLongestPause{1000};
constexpr std::chrono::seconds kBetweenChecks{1};
/// After all processes have finished, messages that nobody received stay under way.
constexpr std::chrono::seconds kUnread{1};

/// Polls at first, then sleeps. A pause is a fraction of the time waited so far: two processes that answer each other would
/// otherwise make each other's pauses longer and longer.
class Pauses {
 public:
  void progressed() {
    begin_ = Clock::now();
    quick_ = kFlowing;
  }
  void pause() const {
    const auto waited = std::chrono::duration_cast<microseconds>(Clock::now() - begin_);
    if (waited >= quick_) std::this_thread::sleep_for(std::clamp(waited / 8, kShortestPause, kLongestPause));
  }

 private:
  Clock::time_point begin_ = Clock::now();
  microseconds quick_ = kQuick;
};

void* allocate(void* message, std::uint64_t bytes) {
  try {
    static_cast<Message*>(message)->resize(bytes);
  } catch (const std::exception&) {
    return nullptr;
  }
  return static_cast<Message*>(message)->data();
}

Error failed(const std::string& action, const char* reason) {
  return Error{Errc::io, "cannot " + action + ": " + reason, ""};
}

/// From the start of MPI to finish().
struct {
  const MpiPlugin* plugin = nullptr;
  pid_t pid = 0;  ///< a fork may exit whenever it wants
} unfinished;

void abort_unfinished() {
  if (unfinished.plugin != nullptr && unfinished.pid == ::getpid()) unfinished.plugin->abort(1);
}

void release(void* message) { delete static_cast<Message*>(message); }

Result<const MpiPlugin*> load(const std::filesystem::path& path) {
  const std::string name = path.string();
  // Global, because Open MPI's components look for the symbols of its libraries. Never closed: MPI leaves handlers behind.
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    const char* const reason = ::dlerror();
    return Error{Errc::io, "cannot load '" + name + "': " + (reason != nullptr ? reason : "unknown reason"),
                 "load the module, or install the package, of the MPI library whose launcher started this process"};
  }
  const auto entry = reinterpret_cast<decltype(&meridian_mpi_plugin)>(::dlsym(library, "meridian_mpi_plugin"));
  const MpiPlugin* const plugin = entry != nullptr ? entry(kMpiPluginVersion) : nullptr;
  if (plugin == nullptr)
    return Error{Errc::unsupported, "cannot use '" + name + "': it belongs to another version of meridian",
                 "install meridian and its libraries from the same build"};
  return plugin;
}

}  // namespace

Result<std::unique_ptr<MpiProcesses>> MpiProcesses::start(const std::filesystem::path& path,
                                                          std::uint64_t piece_bytes) {
  MERIDIAN_TRY(const MpiPlugin* const plugin, load(path));
  std::unique_ptr<MpiProcesses> processes{new MpiProcesses{*plugin}};
  unfinished = {.plugin = plugin, .pid = ::getpid()};
  if (const char* const reason = plugin->start(piece_bytes, release, &processes->rank_, &processes->count_))
    return failed("start MPI", reason);
  // Only now: handlers run in reverse order, and those of the MPI library must not come first.
  std::atexit(abort_unfinished);
  MERIDIAN_TRY(processes->peers_, Peers::introduce(*processes));
  return processes;
}

Status MpiProcesses::send(int to, Message message) {
  auto owner = std::make_unique<Message>(std::move(message));
  const void* const data = owner->data();
  const std::uint64_t bytes = owner->size();
  // The plugin releases it, even during this call.
  if (const char* const reason = plugin_.send(to, data, bytes, owner.release()))
    return failed("send a message to process " + std::to_string(to), reason);
  return {};
}

/// Until `poll` returns Arrival::whole. Meanwhile, messages are sent and the other processes observed.
Status MpiProcesses::wait(const std::function<Result<Arrival>()>& poll) {
  Pauses pauses;
  Clock::time_point next_check = Clock::now() + kBetweenChecks;
  for (std::optional<Error> ended;;) {
    MERIDIAN_TRY(const Arrival arrival, poll());
    if (arrival == Arrival::whole) return {};
    if (ended) return *std::move(ended);
    std::uint64_t released = 0, left = 0;
    if (const char* const reason = plugin_.advance(&released, &left)) return failed("send a message", reason);
    if (arrival == Arrival::part || released > 0) pauses.progressed();
    pauses.pause();
    if (Clock::now() < next_check) continue;
    // One more poll before it counts: the last process may have brought what this one waits for, and ended.
    ended = peers_.find_ended();
    next_check = Clock::now() + kBetweenChecks;
  }
}

Result<Message> MpiProcesses::receive(int from) {
  Message message;
  MERIDIAN_TRY_DO(wait([&]() -> Result<Arrival> {
    Arrival arrival{};
    if (const char* const reason = plugin_.receive(from, allocate, &message, &arrival))
      return failed("receive a message of process " + std::to_string(from), reason);
    return arrival;
  }));
  return message;
}

Status MpiProcesses::finish() {
  MERIDIAN_TRY_DO(wait([&]() -> Result<Arrival> {
    bool is_met = false;
    if (const char* const reason = plugin_.meet(&is_met)) return failed("wait for the other processes", reason);
    return is_met ? Arrival::whole : Arrival::nothing;
  }));
  const Clock::time_point end = Clock::now() + kUnread;
  MERIDIAN_TRY_DO(wait([&]() -> Result<Arrival> {
    std::uint64_t released = 0, left = 0;
    if (const char* const reason = plugin_.advance(&released, &left)) return failed("send a message", reason);
    return left == 0 || Clock::now() > end ? Arrival::whole : Arrival::nothing;
  }));
  if (const char* const reason = plugin_.finalize()) return failed("end MPI", reason);
  unfinished = {};
  return {};
}

void MpiProcesses::abort(int code) {
  std::fflush(nullptr);
  plugin_.abort(code);
  std::_Exit(code);  // in case the MPI library returns
}

}  // namespace meridian
