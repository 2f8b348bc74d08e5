// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "processes/mpi/plugin.hpp"
#include "processes/peers.hpp"
#include "processes/processes.hpp"

namespace meridian {

/// The processes that a launcher of MPI started. At most one object in the life of a process, because MPI starts once. If
/// this process exits without finish(), after an error, all processes end: they would otherwise wait for it.
class MpiProcesses final : public Processes {
 public:
  /// Longer messages go in pieces: the end of a piece shows both sides that bytes flow and that sleeping would delay them.
  static constexpr std::uint64_t kPieceBytes = 1U << 20U;

  /// Loads `plugin`, the libmeridian-processes.so of the MPI whose launcher started this process, and starts MPI. Waits
  /// until all processes have called this. It prints or ends the process itself in some cases of failure, as MPI does.
  static Result<std::unique_ptr<MpiProcesses>> start(const std::filesystem::path& plugin,
                                                     std::uint64_t piece_bytes = kPieceBytes);

  int rank() const noexcept override { return rank_; }
  int count() const noexcept override { return count_; }
  Status send(int to, Message message) override;
  /// Notices within about a second when any process on this host has ended, not only `from`.
  Result<Message> receive(int from) override;

  /// Ends MPI, as soon as all processes have called this. All messages must have been received. Nothing can be sent
  /// afterwards.
  Status finish();
  /// Ends all processes at once; the job ends with `code`, if the launcher passes it on.
  [[noreturn]] void abort(int code);

 private:
  explicit MpiProcesses(const MpiPlugin& plugin) : plugin_{plugin} {}
  Status wait(const std::function<Result<Arrival>()>& poll);

  const MpiPlugin& plugin_;
  std::int32_t rank_ = 0;
  std::int32_t count_ = 1;
  Peers peers_;
};

}  // namespace meridian
