// SPDX-License-Identifier: Apache-2.0
#include "merger/match/windows/window_epochs.hpp"

#include <algorithm>
#include <utility>

namespace meridian {
namespace {

constexpr std::size_t kMostOpen = 1 << 16;  // epochs of a pair without their counterparts

}  // namespace

/// Epochs that were never completed refer to each other.
WindowEpochs::~WindowEpochs() {
  for (auto& [rank, access] : access_) access->exposures.clear();
}

void WindowEpochs::emit_if_between(const Caller& call, const Caller& causer, WaitKind kind) {
  if (call.enter_ns < causer.enter_ns && causer.enter_ns < call.leave_ns)
    awaited_->push_back({call.call, causer.call, kind});
}

void WindowEpochs::start(std::int32_t rank, const Caller& call, const std::vector<std::int32_t>& targets) {
  const auto access = std::make_shared<Access>();
  access->start = access->last = access->longest = access->latest_post = call;
  access->missing = targets.size();
  if (const auto last = std::exchange(access_[rank], access); last != nullptr) last->exposures.clear();
  for (const std::int32_t target : targets) {
    Pair& pair = pairs_[{rank, target}];
    if (pair.exposures.empty()) {
      if (pair.accesses.size() < kMostOpen) pair.accesses.push_back(access);
      continue;
    }
    const std::shared_ptr<Exposure> exposure = pair.exposures.front();
    pair.exposures.pop_front();
    join(access, exposure);
  }
}

void WindowEpochs::access(std::int32_t rank, const Caller& call) {
  const auto found = access_.find(rank);
  if (found == access_.end()) return;
  Access& access = *found->second;
  if (call.leave_ns >= access.last.leave_ns) access.last = call;
  const Caller& longest = access.longest;
  const bool is_first = longest.call == access.start.call;
  if (is_first || call.leave_ns - call.enter_ns > longest.leave_ns - longest.enter_ns) access.longest = call;
}

void WindowEpochs::complete(std::int32_t rank, const Caller& call) {
  const auto found = access_.find(rank);
  if (found == access_.end()) return;
  const std::shared_ptr<Access> access = found->second;
  access_.erase(found);
  access->complete = call;
  access->is_complete = true;
  finish(*access);
  for (const std::shared_ptr<Exposure>& exposure : std::exchange(access->exposures, {})) finish(*exposure);
}

void WindowEpochs::post(std::int32_t rank, const Caller& call, const std::vector<std::int32_t>& origins) {
  const auto exposure = std::make_shared<Exposure>();
  exposure->post = call;
  exposure->missing = origins.size();
  exposure_[rank] = exposure;
  for (const std::int32_t origin : origins) {
    Pair& pair = pairs_[{origin, rank}];
    if (pair.accesses.empty()) {
      if (pair.exposures.size() < kMostOpen) pair.exposures.push_back(exposure);
      continue;
    }
    const std::shared_ptr<Access> access = pair.accesses.front();
    pair.accesses.pop_front();
    join(access, exposure);
  }
}

void WindowEpochs::wait(std::int32_t rank, const Caller& call) {
  const auto found = exposure_.find(rank);
  if (found == exposure_.end()) return;
  const std::shared_ptr<Exposure> exposure = found->second;
  exposure_.erase(found);
  exposure->wait = call;
  exposure->is_over = true;
  finish(*exposure);
}

void WindowEpochs::join(const std::shared_ptr<Access>& access, const std::shared_ptr<Exposure>& exposure) {
  if (access->latest_post.call == access->start.call || exposure->post.enter_ns > access->latest_post.enter_ns)
    access->latest_post = exposure->post;
  if (!access->is_complete) access->exposures.push_back(exposure);
  exposure->accesses.push_back(access);
  --access->missing;
  --exposure->missing;
  finish(*access);
  finish(*exposure);
}

/// Depending on the library, the origin waits for the post when it starts, when it accesses memory or when it completes.
void WindowEpochs::finish(Access& access) {
  if (access.missing != 0 || !access.is_complete) return;
  emit_if_between(access.start, access.latest_post, WaitKind::late_post);
  if (access.longest.call != access.start.call)
    emit_if_between(access.longest, access.latest_post, WaitKind::late_post);
  emit_if_between(access.complete, access.latest_post, WaitKind::late_post);
}

void WindowEpochs::finish(Exposure& exposure) {
  if (exposure.missing != 0 || !exposure.is_over || exposure.accesses.empty()) return;
  const auto is_complete = [](const std::shared_ptr<Access>& access) { return access->is_complete; };
  if (!std::ranges::all_of(exposure.accesses, is_complete)) return;
  const Access& latest = **std::ranges::max_element(
      exposure.accesses, {}, [](const std::shared_ptr<Access>& access) { return access->complete.enter_ns; });
  const Caller& wait = exposure.wait;
  if (wait.enter_ns < latest.complete.enter_ns) {
    if (latest.last.leave_ns > wait.enter_ns) awaited_->push_back({wait.call, latest.last.call, WaitKind::early_wait});
    awaited_->push_back({wait.call, latest.complete.call, WaitKind::late_complete});
  }
  exposure.accesses.clear();  // once
}

}  // namespace meridian
