// SPDX-License-Identifier: Apache-2.0
#pragma once

// Processes without MPI, for unit tests.

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "processes/processes.hpp"

namespace meridian::test {

/// The test is process 0; processes 1 to count - 1 are forks of it, connected by sockets. All see the memory that the
/// test had when it made this object.
class ForkedProcesses final : public Processes {
 public:
  /// `work` runs in each of the other processes, which then ends with success if it returned true.
  ForkedProcesses(int count, const std::function<bool(Processes&)>& work) : peers_(static_cast<std::size_t>(count)) {
    std::fflush(nullptr);  // or the forks print it, too
    const auto ranks = static_cast<std::size_t>(count);
    std::vector<std::vector<int>> ends(ranks, std::vector<int>(ranks, -1));  // ends[a][b]: the socket of a to b
    for (std::size_t a = 0; a < ranks; ++a)
      for (std::size_t b = a + 1; b < ranks; ++b) {
        std::array<int, 2> pair{};
        MERIDIAN_CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) == 0);
        ends[a][b] = pair[0];
        ends[b][a] = pair[1];
      }
    for (int rank = 1; rank < count; ++rank) {
      const pid_t child = ::fork();
      MERIDIAN_CHECK(child >= 0);
      if (child == 0) {
        children_.clear();
        keep(rank, ends);
        run(work);
      }
      children_.push_back(child);
    }
    keep(0, ends);
  }
  ForkedProcesses(const ForkedProcesses&) = delete;
  ForkedProcesses& operator=(const ForkedProcesses&) = delete;
  ~ForkedProcesses() override { join(); }

  int rank() const noexcept override { return rank_; }
  int count() const noexcept override { return static_cast<int>(peers_.size()); }

  Status send(int to, Message message) override {
    Peer& peer = peers_[static_cast<std::size_t>(to)];
    if (peer.socket < 0) return ended(to);
    const std::uint64_t bytes = message.size();
    const auto* const header = reinterpret_cast<const std::uint8_t*>(&bytes);
    peer.out.insert(peer.out.end(), header, header + sizeof bytes);
    peer.out.insert(peer.out.end(), message.begin(), message.end());
    exchange(0);
    return {};
  }

  Result<Message> receive(int from) override {
    Peer& peer = peers_[static_cast<std::size_t>(from)];
    for (;;) {
      std::uint64_t bytes = 0;
      const std::size_t there = peer.in.size() - peer.taken;
      if (there >= sizeof bytes) std::memcpy(&bytes, peer.in.data() + peer.taken, sizeof bytes);
      if (there >= sizeof bytes && there - sizeof bytes >= bytes) {
        const auto begin = peer.in.begin() + static_cast<std::ptrdiff_t>(peer.taken + sizeof bytes);
        Message message(begin, begin + static_cast<std::ptrdiff_t>(bytes));
        peer.taken += sizeof bytes + bytes;
        if (peer.taken == peer.in.size()) {
          peer.in.clear();
          peer.taken = 0;
        }
        return message;
      }
      if (peer.socket < 0) return ended(from);
      exchange(-1);
    }
  }

  /// Waits until the other processes have ended, which then receive no further messages.
  /// returns  whether all ended with success
  bool join() {
    disconnect();
    for (const pid_t child : std::exchange(children_, {})) {
      int status = 0;
      while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
      has_failed_ = has_failed_ || status != 0;
    }
    return !has_failed_;
  }

 private:
  struct Peer {
    int socket = -1;                ///< -1: of this process, or of one that has ended
    std::vector<std::uint8_t> in;   ///< received; `taken` bytes of it belong to messages that receive() has returned
    std::vector<std::uint8_t> out;  ///< to be sent; `sent` bytes of it are in the socket
    std::size_t taken = 0;
    std::size_t sent = 0;

    void close() {
      ::close(std::exchange(socket, -1));
      out.clear();
      sent = 0;
    }
  };

  static Error ended(int rank) { return Error{Errc::io, "process " + std::to_string(rank) + " has ended", ""}; }

  /// Closes the sockets of all other processes, whose end would otherwise go unnoticed.
  void keep(int rank, const std::vector<std::vector<int>>& ends) {
    rank_ = rank;
    for (std::size_t owner = 0; owner < ends.size(); ++owner)
      for (std::size_t other = 0; other < ends.size(); ++other) {
        if (owner == static_cast<std::size_t>(rank))
          peers_[other].socket = ends[owner][other];
        else if (owner != other)
          ::close(ends[owner][other]);
      }
  }

  [[noreturn]] void run(const std::function<bool(Processes&)>& work) {
    bool is_good = false;
    try {
      is_good = work(*this);
    } catch (const std::exception& problem) {
      std::fprintf(stderr, "process %d: %s\n", rank_, problem.what());
    }
    disconnect();
    std::fflush(nullptr);
    ::_exit(is_good ? 0 : 1);
  }

  void disconnect() {
    while (std::ranges::any_of(peers_, [](const Peer& peer) { return !peer.out.empty(); })) exchange(-1);
    for (Peer& peer : peers_)
      if (peer.socket >= 0) peer.close();
  }

  /// Moves bytes from and to all others, as many as go without waiting. Reads from all of them, because two processes
  /// that only write to each other would wait forever.
  void exchange(int timeout_ms) {
    std::vector<pollfd> polled;
    for (const Peer& peer : peers_)
      polled.push_back({peer.socket, static_cast<short>(POLLIN | (peer.out.empty() ? 0 : POLLOUT)), 0});
    if (::poll(polled.data(), polled.size(), timeout_ms) <= 0) return;
    for (std::size_t i = 0; i < polled.size(); ++i) {
      if ((polled[i].revents & POLLOUT) != 0) write_to(peers_[i]);
      if (peers_[i].socket >= 0 && (polled[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0) read_from(peers_[i]);
    }
  }

  static void write_to(Peer& peer) {
    const ssize_t written =
        ::send(peer.socket, peer.out.data() + peer.sent, peer.out.size() - peer.sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (written > 0) peer.sent += static_cast<std::size_t>(written);
    // After a failure, what the other process has sent before it ended is still to be read.
    if (peer.sent == peer.out.size() || (written < 0 && errno != EAGAIN && errno != EINTR)) {
      peer.out.clear();
      peer.sent = 0;
    }
  }

  static void read_from(Peer& peer) {
    std::array<std::uint8_t, 65536> bytes;
    const ssize_t got = ::recv(peer.socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got > 0)
      peer.in.insert(peer.in.end(), bytes.begin(), bytes.begin() + got);
    else if (got == 0 || (errno != EAGAIN && errno != EINTR))
      peer.close();
  }

  int rank_ = 0;
  std::vector<Peer> peers_;  ///< one for each process
  std::vector<pid_t> children_;
  bool has_failed_ = false;
};

}  // namespace meridian::test
