// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace meridian::imported {

/// A message that a persistent request repeats.
struct Repeated {
  std::uint32_t comm = 0;  ///< the archive's number
  std::int32_t peer = 0;   ///< -1: any
  std::int32_t tag = 0;    ///< -1: any
  std::uint64_t bytes = 0;
};

/// Persistent requests of one location, as far as an archive shows them. It has their starts, with the message of a send, and their
/// completions, with that of a receive; but MPI_Send_init and MPI_Recv_init are regions without arguments. Starts that are
/// alike and never overlap are given one request. Requests are numbered in the order in which they are first needed, so the call that
/// makes the n-th one has returned by then.
class PersistentRequests {
 public:
  /// A point in the location: later ones are larger.
  using Moment = std::uint64_t;

  /// A send begins in a call that began at `call`. `made`: calls that made send requests before. If all these are in use, it is
  /// one whose completion is not recorded. Nothing: the program does not make enough requests.
  std::optional<std::uint32_t> start_send(const Repeated& message, std::uint32_t made, Moment call);
  void end_send(std::uint32_t number) { sends_[number].in_use_since = kUnused; }

  /// A receive that had begun at `started` is complete. `made`: calls that had made receive requests then.
  std::optional<std::uint32_t> end_receive(const Repeated& message, std::uint32_t made, Moment started, Moment now);

  /// [number] What the requests repeat; a receive that had several senders or tags is one from any of them.
  std::vector<Repeated> sends() const { return repeated(sends_); }
  std::vector<Repeated> receives() const { return repeated(receives_); }

 private:
  static constexpr Moment kUnused = ~Moment{0};
  struct Request {
    Repeated message;
    Moment free_from = 0;           // receives
    Moment in_use_since = kUnused;  // sends: the call that has started it
  };
  using Key = std::tuple<std::uint32_t, std::int32_t, std::int32_t, std::uint64_t>;
  static std::vector<Repeated> repeated(const std::vector<Request>& requests);

  std::vector<Request> sends_, receives_;
  std::map<Key, std::vector<std::uint32_t>> alike_sends_, alike_receives_;  // numbers of requests
};

}  // namespace meridian::imported
