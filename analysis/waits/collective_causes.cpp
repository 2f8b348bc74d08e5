// SPDX-License-Identifier: Apache-2.0
#include "analysis/waits/collective_causes.hpp"

#include <algorithm>
#include <iterator>

namespace meridian {

Status CollectiveCauses::read(std::uint64_t number) {
  parts_.clear();
  MERIDIAN_TRY(const MergedPart any, trace_->part(number));
  for (std::int32_t i = 0; i < any.parts; ++i) {
    MERIDIAN_TRY(parts_.emplace_back(), trace_->part(any.first_part + static_cast<std::uint64_t>(i)));
  }
  return {};
}

Status CollectiveCauses::find() {
  starts_.clear();
  causes_.assign(parts_.size(), std::nullopt);
  last_of_all_.reset();
  for (const MergedPart& part : parts_) {
    MERIDIAN_TRY(starts_.emplace_back(), window_->event(part.start));
  }
  // A participant without data has no shape: it neither waits nor is waited for.
  CollectiveShape shape = CollectiveShape::none;
  for (const MergedPart& part : parts_) shape = std::min(shape, shape_of(part));
  const auto has_vectors = [&](const WindowEvent& start) { return (*functions_)[start.call].has_vectors; };
  if (shape == CollectiveShape::prefix) {
    look_at_prefix();
  } else if (shape == CollectiveShape::one_to_all || shape == CollectiveShape::all_to_one) {
    look_at_root(shape);
  } else if (shape == CollectiveShape::all_to_all || std::ranges::any_of(starts_, has_vectors)) {
    look_at_all_to_all(shape);
  }
  return {};
}

/// Without a shape, the bytes decide: each rank states what it sends to each other one.
bool CollectiveCauses::takes_part(std::size_t i, CollectiveShape shape) const {
  return shape == CollectiveShape::all_to_all ? shape_of(parts_[i]) == CollectiveShape::all_to_all
                                              : starts_[i].bytes_sent != 0;
}

void CollectiveCauses::look_at_all_to_all(CollectiveShape shape) {
  std::optional<std::size_t> latest;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (takes_part(i, shape) && (!latest || starts_[i].enter_ns > starts_[*latest].enter_ns)) latest = i;
  if (!latest) return;
  const bool is_barrier = (*functions_)[starts_[*latest].call].is_barrier;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (shape != CollectiveShape::all_to_all || shape_of(parts_[i]) == CollectiveShape::all_to_all)
      wait_for(is_barrier ? WaitKind::barrier : WaitKind::all_to_all, i, starts_[*latest]);
  if (shape == CollectiveShape::all_to_all) last_of_all_ = latest;
}

void CollectiveCauses::look_at_root(CollectiveShape shape) {
  const auto root = std::ranges::find(parts_, parts_.front().root, &MergedPart::comm_rank);
  if (root == parts_.end()) return;
  const auto at = static_cast<std::size_t>(root - parts_.begin());
  if (shape_of(parts_[at]) == CollectiveShape::none) return;
  if (shape == CollectiveShape::one_to_all) {
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (i != at && shape_of(parts_[i]) != CollectiveShape::none) wait_for(WaitKind::late_root, i, starts_[at]);
    return;
  }
  const WindowEvent* latest = nullptr;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (i != at && shape_of(parts_[i]) != CollectiveShape::none &&
        (latest == nullptr || starts_[i].enter_ns > latest->enter_ns))
      latest = &starts_[i];
  if (latest != nullptr) wait_for(WaitKind::early_root, at, *latest);
}

void CollectiveCauses::look_at_prefix() {
  std::vector<std::size_t> order(parts_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::erase_if(order, [&](std::size_t i) { return shape_of(parts_[i]) == CollectiveShape::none; });
  std::ranges::sort(order, {}, [&](std::size_t i) { return parts_[i].comm_rank; });
  std::size_t latest = order.front();
  for (const std::size_t i : order) {
    if (starts_[i].enter_ns > starts_[latest].enter_ns) latest = i;
    if (i != latest) wait_for(WaitKind::prefix, i, starts_[latest]);
  }
}

std::int64_t CollectiveCauses::wait_ns(std::size_t i, const WindowEvent& completion) const {
  return std::min(causes_[i]->causer.enter_ns, completion.leave_ns) -
         std::max(completion.enter_ns, starts_[i].enter_ns);
}

Result<KeptCauses::Found> KeptCauses::find(std::uint64_t part_number) {
  const auto has = [&](const CollectiveCauses& causes) {
    const std::uint64_t first = causes.parts().front().first_part;
    return part_number >= first && part_number - first < causes.parts().size();
  };
  auto found = std::ranges::find_if(kept_, has);
  if (found == kept_.end()) {
    if (kept_.size() >= kKept) kept_.pop_front();
    CollectiveCauses causes = reader_;
    MERIDIAN_TRY_DO(causes.read(part_number));
    MERIDIAN_TRY_DO(causes.find());
    kept_.push_back(std::move(causes));
    found = std::prev(kept_.end());
  }
  return Found{&*found, static_cast<std::size_t>(part_number - found->parts().front().first_part)};
}

Result<std::optional<FoundWait>> KeptCauses::of(std::uint64_t part_number) {
  MERIDIAN_TRY(const Found found, find(part_number));
  return found.instance->causes()[found.part];
}

Result<std::optional<FoundWait>> KeptCauses::wait_of(std::uint64_t part_number, const WindowEvent& completion) {
  MERIDIAN_TRY(const Found found, find(part_number));
  std::optional<FoundWait> wait = found.instance->causes()[found.part];
  if (wait) wait->ns = found.instance->wait_ns(found.part, completion);
  return wait;
}

}  // namespace meridian
