// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "merger/match/messages/match_messages.hpp"
#include "merger/model/event_ref.hpp"

namespace meridian {

/// Epochs of groups on one window: MPI_Win_start to MPI_Win_complete (access), MPI_Win_post to MPI_Win_wait (exposure).
/// The n-th access of an origin that names a target belongs to the n-th exposure of this target that names the origin
/// (MPI 4.1, 12.5). Memory is bounded by the epochs under way.
class WindowEpochs {
 public:
  explicit WindowEpochs(std::vector<AwaitedCall>& awaited) : awaited_{&awaited} {}
  WindowEpochs(WindowEpochs&&) = default;
  WindowEpochs& operator=(WindowEpochs&&) = default;
  ~WindowEpochs();

  void start(std::int32_t rank, const Caller& call, const std::vector<std::int32_t>& targets);
  /// A call that accesses the memory of a target.
  void access(std::int32_t rank, const Caller& call);
  void complete(std::int32_t rank, const Caller& call);
  void post(std::int32_t rank, const Caller& call, const std::vector<std::int32_t>& origins);
  void wait(std::int32_t rank, const Caller& call);

 private:
  struct Exposure;
  struct Access {
    Caller start{}, complete{};
    Caller last{};     // access, or the start
    Caller longest{};  // access
    Caller latest_post{};
    std::size_t missing = 0;  // posts
    bool is_complete = false;
    std::vector<std::shared_ptr<Exposure>> exposures{};  // until it is complete
  };
  struct Exposure {
    Caller post{}, wait{};
    std::size_t missing = 0;  // accesses
    bool is_over = false;
    std::vector<std::shared_ptr<Access>> accesses{};
  };
  /// Of an origin and a target: epochs without their counterparts.
  struct Pair {
    std::deque<std::shared_ptr<Access>> accesses{};
    std::deque<std::shared_ptr<Exposure>> exposures{};
  };

  void join(const std::shared_ptr<Access>& access, const std::shared_ptr<Exposure>& exposure);
  void finish(Access& access);
  void finish(Exposure& exposure);
  /// The first call may have waited for the enter of the second one.
  void emit_if_between(const Caller& call, const Caller& causer, WaitKind kind);

  std::vector<AwaitedCall>* awaited_;
  std::map<std::int32_t, std::shared_ptr<Access>> access_;      // under way, by rank
  std::map<std::int32_t, std::shared_ptr<Exposure>> exposure_;  // likewise
  std::map<std::pair<std::int32_t, std::int32_t>, Pair> pairs_;
};

}  // namespace meridian
