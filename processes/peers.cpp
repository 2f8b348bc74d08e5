// SPDX-License-Identifier: Apache-2.0
#include "processes/peers.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "trace/ring/process_start.hpp"

namespace meridian {
namespace {

using Text = std::array<char, 128>;

/// What a process tells the others about itself.
struct Introduction {
  Text host{};
  Text boot{};       ///< identifies the host: two may have the same name
  Text pid_space{};  ///< in which its pid is valid: each container may have its own
  std::uint64_t start = 0;
  std::int64_t pid = 0;
};
static_assert(std::is_trivially_copyable_v<Introduction>);

Introduction introduction() {
  Introduction self;
  self.pid = ::getpid();
  self.start = process_start(::getpid());
  ::gethostname(self.host.data(), self.host.size() - 1);
  if (::readlink("/proc/self/ns/pid", self.pid_space.data(), self.pid_space.size() - 1) < 0) self.pid_space = {};
  if (const int file = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC); file >= 0) {
    if (::read(file, self.boot.data(), self.boot.size() - 1) < 0) self.boot = {};
    ::close(file);
  }
  return self;
}

Message message_of(std::span<const Introduction> introductions) {
  const std::span bytes = std::as_bytes(introductions);
  Message message(bytes.size());
  std::memcpy(message.data(), bytes.data(), bytes.size());
  return message;
}

Status read(const Message& message, std::span<Introduction> introductions) {
  if (message.size() != introductions.size_bytes())
    return Error{Errc::damaged, "the processes of the merge are of different builds of meridian",
                 "start the same program everywhere"};
  std::memcpy(introductions.data(), message.data(), message.size());
  return {};
}

/// Process 0 collects the introductions and sends all of them to all.
Result<std::vector<Introduction>> exchange(Processes& processes) {
  std::vector<Introduction> all(static_cast<std::size_t>(processes.count()));
  if (processes.rank() != 0) {
    MERIDIAN_TRY_DO(processes.send(0, message_of({{introduction()}})));
    MERIDIAN_TRY(const Message message, processes.receive(0));
    MERIDIAN_TRY_DO(read(message, all));
    return all;
  }
  all[0] = introduction();
  for (int rank = 1; rank < processes.count(); ++rank) {
    MERIDIAN_TRY(const Message message, processes.receive(rank));
    MERIDIAN_TRY_DO(read(message, std::span{all}.subspan(static_cast<std::size_t>(rank), 1)));
  }
  for (int rank = 1; rank < processes.count(); ++rank) MERIDIAN_TRY_DO(processes.send(rank, message_of(all)));
  return all;
}

}  // namespace

Result<Peers> Peers::introduce(Processes& processes) {
  MERIDIAN_TRY(const std::vector<Introduction> all, exchange(processes));
  Peers peers;
  const Introduction& self = all[static_cast<std::size_t>(processes.rank())];
  peers.host_ = self.host.data();
  for (int rank = 0; rank < processes.count(); ++rank) {
    const Introduction& other = all[static_cast<std::size_t>(rank)];
    const bool is_here = self.boot[0] != '\0' && self.pid_space[0] != '\0' && other.boot == self.boot &&
                         other.pid_space == self.pid_space;
    const auto pid = static_cast<std::int32_t>(other.pid);
    // A process that cannot be seen although it runs (hidden by the options of /proc) would later seem to have ended.
    if (rank == processes.rank() || !is_here || other.start == 0 || process_start(pid) != other.start) continue;
    peers.peers_.push_back({.rank = rank, .pid = pid, .start = other.start});
  }
  return peers;
}

std::optional<Error> Peers::find_ended() const {
  for (const Peer& peer : peers_)
    if (!is_running(peer.pid, peer.start))
      return Error{Errc::io,
                   "process " + std::to_string(peer.rank) + " of the merge (pid " + std::to_string(peer.pid) +
                       " on host " + host_ + ") has ended",
                   "if it printed no error, it was killed: the memory of the host may be exhausted, or the job was "
                   "cancelled"};
  return std::nullopt;
}

}  // namespace meridian
