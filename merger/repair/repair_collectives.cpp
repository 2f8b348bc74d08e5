// SPDX-License-Identifier: Apache-2.0
#include "merger/repair/repair_collectives.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace meridian {
namespace {

constexpr std::int64_t kPending = -1;
constexpr std::int32_t kHighestCommRank = 1 << 28;

Error impossible(const CollectivePart& part) {
  return Error{Errc::invalid_argument,
               "cannot order collective " + std::to_string(part.instance) + ": it names rank " +
                   std::to_string(part.comm_rank) + " of its communicator",
               ""};
}

}  // namespace

Result<CollectiveTable> CollectiveTable::create(TempSpool<CollectivePart>& spool,
                                                const std::filesystem::path& scratch) {
  CollectiveTable table;
  std::uint64_t instances = 0;
  TempSpoolReader<CollectivePart> reader{spool};
  for (const CollectivePart* part = reader.next(); part != nullptr; part = reader.next()) {
    if (part->comm_rank < 0 || part->comm_rank > kHighestCommRank) return impossible(*part);
    instances = std::max(instances, part->instance + 1);
  }
  MERIDIAN_TRY_DO(reader.status());
  MERIDIAN_TRY(table.instances_, MappedArray<Instance>::create(scratch, instances));
  MERIDIAN_TRY_DO(table.register_parts(spool, scratch));
  return table;
}

Status CollectiveTable::register_parts(TempSpool<CollectivePart>& spool, const std::filesystem::path& scratch) {
  TempSpoolReader<CollectivePart> reader{spool};
  for (const CollectivePart* part = reader.next(); part != nullptr; part = reader.next()) {
    if (part->shape == CollectiveShape::none) continue;
    Instance& instance = instances_[part->instance];
    ++instance.parts;
    instance.shape = part->shape;
    instance.root = part->root;
    instance.has_root = instance.has_root || part->comm_rank == part->root;
    instance.prefix_size = std::max(instance.prefix_size, static_cast<std::uint32_t>(part->comm_rank) + 1);
  }
  MERIDIAN_TRY_DO(reader.status());

  std::uint64_t slots = 0;
  for (std::uint64_t i = 0; i < instances_.size(); ++i)
    if (instances_[i].shape == CollectiveShape::prefix) {
      instances_[i].prefix_first = slots;
      slots += instances_[i].prefix_size;
    }
  if (slots == 0) return {};
  MERIDIAN_TRY(prefix_, MappedArray<std::int64_t>::create(scratch, slots));
  TempSpoolReader<CollectivePart> again{spool};
  for (const CollectivePart* part = again.next(); part != nullptr; part = again.next()) {
    const Instance& instance = instances_[part->instance];
    if (part->shape == CollectiveShape::prefix)
      prefix_[instance.prefix_first + static_cast<std::uint64_t>(part->comm_rank)] = kPending;
  }
  return again.status();
}

bool CollectiveTable::enter(Part& part, std::int64_t stamp) {
  Instance& instance = instances_[part.instance];
  part.entered = stamp;
  instance.second_enter = std::max(instance.second_enter, std::min(instance.last_enter, stamp));
  instance.last_enter = std::max(instance.last_enter, stamp);
  ++instance.entered;
  if (part.comm_rank == instance.root) instance.root_enter = stamp;
  switch (instance.shape) {
    case CollectiveShape::all_to_all:
    case CollectiveShape::all_to_one:
      return instance.entered == instance.parts;
    case CollectiveShape::one_to_all:
      return part.comm_rank == instance.root;
    case CollectiveShape::none:
      return false;
    case CollectiveShape::prefix:
      break;
  }
  std::int64_t* const slots = &prefix_[instance.prefix_first];
  slots[part.comm_rank] = stamp;
  const std::uint32_t known_before = instance.prefix_known;
  for (std::uint32_t& k = instance.prefix_known; k < instance.prefix_size && slots[k] != kPending; ++k)
    if (k > 0) slots[k] = std::max(slots[k], slots[k - 1]);
  return instance.prefix_known != known_before;
}

CollectiveTable::Need CollectiveTable::need(const Part& part) const {
  const Instance& instance = instances_[part.instance];
  if (!is_sink(part)) return {};
  switch (instance.shape) {
    case CollectiveShape::all_to_all:
    case CollectiveShape::all_to_one:
      return {instance.entered == instance.parts,
              part.entered == instance.last_enter ? instance.second_enter : instance.last_enter};
    case CollectiveShape::one_to_all:
      return {instance.root_enter != 0, instance.root_enter};
    case CollectiveShape::none:
      return {};
    case CollectiveShape::prefix:
      break;
  }
  const auto rank = static_cast<std::uint32_t>(part.comm_rank);
  if (instance.prefix_known < rank) return {false, 0};
  return {true, prefix_[instance.prefix_first + rank - 1]};
}

bool CollectiveTable::is_sink(const Part& part) const {
  const Instance& instance = instances_[part.instance];
  switch (instance.shape) {
    case CollectiveShape::all_to_all:
      return true;
    case CollectiveShape::one_to_all:
      return instance.has_root && part.comm_rank != instance.root;
    case CollectiveShape::all_to_one:
      return part.comm_rank == instance.root;
    case CollectiveShape::prefix:
      return part.comm_rank > 0;
    case CollectiveShape::none:
      break;
  }
  return false;
}

bool CollectiveTable::is_source(const Part& part) const {
  const Instance& instance = instances_[part.instance];
  switch (instance.shape) {
    case CollectiveShape::all_to_all:
    case CollectiveShape::prefix:
      return true;
    case CollectiveShape::one_to_all:
      return part.comm_rank == instance.root;
    case CollectiveShape::all_to_one:
      return part.comm_rank != instance.root;
    case CollectiveShape::none:
      break;
  }
  return false;
}

void CollectiveTable::leave(const Part& part, std::int64_t stamp) {
  std::int64_t& first = instances_[part.instance].first_exit;
  first = first == 0 ? stamp : std::min(first, stamp);
}

std::int64_t CollectiveTable::first_exit(const Part& part) const {
  return is_source(part) ? instances_[part.instance].first_exit : 0;
}

void CollectiveTable::withdraw(std::uint64_t instance) {
  instances_[instance].shape = CollectiveShape::none;
  instances_[instance].is_withdrawn = true;
}

void CollectiveTable::release_pages() const noexcept {
  instances_.release_pages();
  prefix_.release_pages();
}

}  // namespace meridian
