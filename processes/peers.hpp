// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "processes/processes.hpp"

namespace meridian {

/// The other processes on this host, observed through /proc: a launcher may leave the rest of a job waiting for a
/// process that was killed (srun without --kill-on-bad-exit).
class Peers {
 public:
  Peers() = default;
  /// Exchanges messages with all processes; every one of them has to call this.
  static Result<Peers> introduce(Processes& processes);
  /// "process 2 of the merge (pid 1234 on host X) has ended", for a process that no longer runs.
  std::optional<Error> find_ended() const;

 private:
  struct Peer {
    int rank = 0;
    std::int32_t pid = 0;
    std::uint64_t start = 0;  ///< see process_start()
  };
  std::string host_;
  std::vector<Peer> peers_;
};

}  // namespace meridian
