// SPDX-License-Identifier: Apache-2.0
#include "analysis/collective_waits.hpp"

#include <algorithm>

namespace meridian {
namespace {

// Of MergedPart::shape.
constexpr std::int32_t kAllToAll = 0, kOneToAll = 1, kAllToOne = 2, kPrefix = 3, kNone = 4;

}  // namespace

Status CollectiveWaits::look(bool all) {
  while (parts_left_ != 0) {
    if (parts_.empty()) {
      MERIDIAN_TRY(const MergedPart last, trace_.part(parts_left_ - 1));
      for (std::int32_t i = 0; i < last.parts; ++i) {
        MERIDIAN_TRY(parts_.emplace_back(), trace_.part(last.first_part + static_cast<std::uint64_t>(i)));
      }
    }
    for (const MergedPart& part : parts_)
      if (!all && !window_.has_reached(std::min(part.start, part.completion))) return {};
    parts_left_ = parts_.front().first_part;
    MERIDIAN_TRY_DO(look_at_instance());
    parts_.clear();
  }
  return {};
}

Status CollectiveWaits::look_at_instance() {
  starts_.clear();
  for (const MergedPart& part : parts_) {
    MERIDIAN_TRY(starts_.emplace_back(), window_.event(part.start));
  }
  // A participant without data has no shape: it neither waits nor is waited for.
  std::int32_t shape = kNone;
  for (const MergedPart& part : parts_) shape = std::min(shape, part.shape);
  if (shape == kPrefix) return look_at_prefix();
  if (shape == kOneToAll || shape == kAllToOne) return look_at_root(shape);
  const bool is_by_bytes =
      std::ranges::any_of(starts_, [&](const WindowEvent& start) { return functions_[start.call].has_vectors; });
  return shape == kAllToAll || is_by_bytes ? look_at_all_to_all(shape) : Status{};
}

/// Without a shape, the bytes decide: each rank states what it sends to each other one.
bool CollectiveWaits::takes_part(std::size_t i, std::int32_t shape) const {
  return shape == kAllToAll ? parts_[i].shape == kAllToAll : starts_[i].bytes_sent != 0;
}

Status CollectiveWaits::look_at_all_to_all(std::int32_t shape) {
  const WindowEvent* latest = nullptr;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (takes_part(i, shape) && (latest == nullptr || starts_[i].enter_ns > latest->enter_ns)) latest = &starts_[i];
  if (latest == nullptr) return {};
  const bool is_barrier = functions_[latest->call].is_barrier;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (shape != kAllToAll || parts_[i].shape == kAllToAll)
      MERIDIAN_TRY_DO(wait_in(is_barrier ? WaitKind::barrier : WaitKind::all_to_all, i, *latest));
  if (shape == kAllToAll)
    look_at_completion(is_barrier ? WaitKind::barrier_completion : WaitKind::all_to_all_completion, *latest);
  return {};
}

/// For blocking calls only: non-blocking ones return as soon as they have begun.
void CollectiveWaits::look_at_completion(WaitKind kind, const WindowEvent& latest) {
  const WindowEvent* first = nullptr;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].shape != kAllToAll) continue;
    if (parts_[i].start != parts_[i].completion) return;
    if (first == nullptr || starts_[i].leave_ns < first->leave_ns) first = &starts_[i];
  }
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].shape != kAllToAll) continue;
    const std::int64_t ns = starts_[i].leave_ns - std::max(first->leave_ns, latest.enter_ns);
    if (ns > 0) sums_.add_completion(kind, ns, starts_[i], *first);
  }
}

Status CollectiveWaits::look_at_root(std::int32_t shape) {
  const auto root = std::ranges::find(parts_, parts_.front().root, &MergedPart::comm_rank);
  if (root == parts_.end()) return {};
  const auto at = static_cast<std::size_t>(root - parts_.begin());
  if (parts_[at].shape == kNone) return {};
  if (shape == kOneToAll) {
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (i != at && parts_[i].shape != kNone) MERIDIAN_TRY_DO(wait_in(WaitKind::late_root, i, starts_[at]));
    return {};
  }
  const WindowEvent* latest = nullptr;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (i != at && parts_[i].shape != kNone && (latest == nullptr || starts_[i].enter_ns > latest->enter_ns))
      latest = &starts_[i];
  return latest == nullptr ? Status{} : wait_in(WaitKind::early_root, at, *latest);
}

Status CollectiveWaits::look_at_prefix() {
  std::vector<std::size_t> order(parts_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::erase_if(order, [&](std::size_t i) { return parts_[i].shape == kNone; });
  std::ranges::sort(order, {}, [&](std::size_t i) { return parts_[i].comm_rank; });
  std::size_t latest = order.front();
  for (const std::size_t i : order) {
    if (starts_[i].enter_ns > starts_[latest].enter_ns) latest = i;
    if (i != latest) MERIDIAN_TRY_DO(wait_in(WaitKind::prefix, i, starts_[latest]));
  }
  return {};
}

/// The wait of participant `i` for a call, in the call in which it leaves the collective.
Status CollectiveWaits::wait_in(WaitKind kind, std::size_t i, const WindowEvent& causer) {
  WindowEvent here = starts_[i];
  if (parts_[i].completion != parts_[i].start) {
    MERIDIAN_TRY(here, window_.event(parts_[i].completion));
  }
  const std::int64_t ns = std::min(causer.enter_ns, here.leave_ns) - std::max(here.enter_ns, starts_[i].enter_ns);
  return ns > 0 ? sums_.add({kind, ns, causer}, here) : Status{};
}

}  // namespace meridian
