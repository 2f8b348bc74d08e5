// SPDX-License-Identifier: Apache-2.0
#include "merger/match/collectives/match_collectives.hpp"

#include <algorithm>
#include <limits>

#include "merger/match/collectives/group_dependencies.hpp"
#include "trace/model/collective_bytes.hpp"

namespace meridian {
namespace {

constexpr std::uint32_t kNoPart = PartId::kNone;
constexpr std::uint32_t kAfterGap = 1U << 31;
constexpr int kSeriesBits = 16;
constexpr std::uint64_t kMostApart = std::uint64_t{1} << 22;  // of two ranks, in collectives; more mean damage

constexpr std::int64_t kEarliest = std::numeric_limits<std::int64_t>::min();

bool is_all_to_all_reversed(std::span<const CollectivePart> parts) noexcept {
  std::int64_t last = kEarliest, second = kEarliest;  // enters
  for (const CollectivePart& part : parts) {
    if (part.shape == CollectiveShape::none) continue;
    second = std::max(second, std::min(last, part.enter_ns));
    last = std::max(last, part.enter_ns);
  }
  return std::ranges::any_of(parts, [&](const CollectivePart& part) {
    return part.shape != CollectiveShape::none && part.leave_ns <= (part.enter_ns == last ? second : last);
  });
}

}  // namespace

bool is_reversed(std::span<const CollectivePart> parts) noexcept {
  CollectiveShape shape = CollectiveShape::none;
  const CollectivePart* root = nullptr;
  for (const CollectivePart& part : parts) {
    if (part.shape != CollectiveShape::none) shape = part.shape;
    if (part.comm_rank == part.root && part.shape != CollectiveShape::none) root = &part;
  }
  const auto is_other = [&](const CollectivePart& part) {
    return part.shape != CollectiveShape::none && &part != root;
  };
  switch (shape) {
    case CollectiveShape::all_to_all:
      return is_all_to_all_reversed(parts);
    case CollectiveShape::one_to_all:
      return root != nullptr && std::ranges::any_of(parts, [&](const CollectivePart& part) {
               return is_other(part) && part.leave_ns <= root->enter_ns;
             });
    case CollectiveShape::all_to_one:
      return root != nullptr && std::ranges::any_of(parts, [&](const CollectivePart& part) {
               return is_other(part) && root->leave_ns <= part.enter_ns;
             });
    case CollectiveShape::prefix: {
      std::int64_t last = kEarliest;
      for (const CollectivePart& part : parts) {
        if (part.shape == CollectiveShape::none) continue;
        if (part.leave_ns <= last) return true;
        last = std::max(last, part.enter_ns);
      }
      return false;
    }
    case CollectiveShape::none:
      return false;
  }
  return false;
}

std::uint64_t CollectiveStarts::of(std::uint32_t comm, std::uint32_t epoch, std::uint32_t rank_index) const {
  const auto ranks = starts_.find({comm, epoch});
  if (ranks == starts_.end()) return kUnknown;
  const auto start = ranks->second.find(rank_index);
  return start == ranks->second.end() ? kUnknown : start->second;
}

std::vector<std::uint64_t> CollectiveStarts::begins(std::uint32_t comm, std::uint32_t epoch,
                                                    std::size_t members) const {
  std::vector<std::uint64_t> numbers;
  if (const auto ranks = starts_.find({comm, epoch}); ranks != starts_.end())
    for (const auto& [rank, start] : ranks->second) numbers.push_back(start);
  numbers.resize(members, kUnknown);
  return numbers;
}

CollectiveMatcher::CollectiveMatcher(std::span<const CommResolver> resolvers, std::size_t comms,
                                     std::vector<CollectivePart>& parts, Findings& findings)
    : rows_{parts}, findings_{findings}, members_(comms), plain_stream_(comms, kNoPart) {
  for (const CommResolver& resolver : resolvers) {
    RankState state;
    state.entered.resize(resolver.size());
    state.initialised.resize(resolver.size());
    state.comm.resize(resolver.size());
    state.is_given_up.resize(resolver.size());
    for (const CommResolver::Birth& birth : resolver.births()) {
      state.comm[birth.comm.number] = birth.comm.comm;
      ++members_[birth.comm.comm];
    }
    ranks_.push_back(std::move(state));
  }
}

std::uint32_t CollectiveMatcher::stream_of(std::uint32_t comm, std::uint32_t series) {
  std::uint32_t& known = series == 0 ? plain_stream_[comm] : series_.try_emplace({comm, series}, kNoPart).first->second;
  if (known == kNoPart) {
    known = static_cast<std::uint32_t>(streams_.size());
    streams_.emplace_back().comm = comm;
    streams_.back().members = members_[comm];
  }
  return known;
}

void CollectiveMatcher::skip(std::uint32_t rank_index, const LocalComm& comm, std::uint64_t entered,
                             std::uint32_t initialised) {
  ranks_[rank_index].entered[comm.number] = entered;
  ranks_[rank_index].initialised[comm.number] = initialised;
}

std::uint32_t CollectiveMatcher::skip_series(std::uint32_t rank_index, const LocalComm& comm, std::uint32_t series,
                                             std::uint64_t started) {
  streams_[stream_of(comm.comm, series)].starts[rank_index] = started;
  return series;
}

void CollectiveMatcher::begin() {
  std::vector<std::vector<std::uint64_t*>> numbers(plain_stream_.size());  // [CommId]
  for (RankState& rank : ranks_)
    for (std::size_t i = 0; i < rank.comm.size(); ++i) numbers[rank.comm[i]].push_back(&rank.entered[i]);
  for (std::size_t comm = 0; comm < numbers.size(); ++comm)
    if (std::ranges::any_of(numbers[comm], [](const std::uint64_t* number) { return *number != 0; }))
      skip(streams_[stream_of(static_cast<std::uint32_t>(comm), 0)], numbers[comm]);
  for (Stream& stream : streams_) {
    std::vector<std::uint64_t*> started;
    for (auto& [rank, number] : stream.starts) started.push_back(&number);
    if (!started.empty()) skip(stream, started);
  }
}

/// numbers  of the first collective of each member. Before the least of them there is nothing.
void CollectiveMatcher::skip(Stream& stream, std::span<std::uint64_t* const> numbers) {
  stream.is_late = true;
  stream.base = **std::ranges::min_element(numbers, {}, [](const std::uint64_t* number) { return *number; });
  for (std::uint64_t* const number : numbers) {
    *number = std::min(*number, stream.base + kMostApart);
    stream.begins.push_back(*number);
  }
}

std::uint32_t CollectiveMatcher::new_series(std::uint32_t rank_index, const LocalComm& comm) {
  return ++ranks_[rank_index].initialised[comm.number];
}

std::uint32_t CollectiveMatcher::instance_of(std::uint32_t stream_number, std::uint64_t number) {
  Stream& stream = streams_[stream_number];
  if (number < stream.base) return kNoPart;
  while (stream.base + stream.instances.size() <= number) {
    std::uint32_t index;
    if (free_instances_.empty()) {
      index = static_cast<std::uint32_t>(instances_.size());
      instances_.emplace_back();
    } else {
      index = free_instances_.back();
      free_instances_.pop_back();
    }
    Instance& instance = instances_[index];
    instance.parts.clear();
    instance.stream = stream_number;
    instance.number = stream.base + stream.instances.size();
    instance.open = 0;
    instance.has_abandoned = false;
    stream.instances.push_back(index);
  }
  return stream.instances[static_cast<std::size_t>(number - stream.base)];
}

PartId CollectiveMatcher::enter(const Caller& caller, const LocalComm& comm, const CallFacts& what,
                                const Collective& arguments, std::uint32_t series) {
  // Collectives after a gap form a stream of their own.
  const bool is_counted_anew = caller.epoch != 0 && starts_.is_needed();
  const std::uint64_t start = is_counted_anew ? starts_.of(comm.comm, caller.epoch, caller.rank_index) : 0;
  if (caller.is_uncountable || start == CollectiveStarts::kUnknown || (is_counted_anew && series != 0)) {
    findings_.add(findings_.gap());
    return {};
  }
  const bool is_after_gap = caller.epoch != 0;
  if (is_after_gap) series |= kAfterGap | caller.epoch << kSeriesBits;
  const std::uint32_t stream = stream_of(comm.comm, series);
  if (is_counted_anew && streams_[stream].starts.empty())
    streams_[stream].begins = starts_.begins(comm.comm, caller.epoch, streams_[stream].members);
  std::uint64_t& entered = series == 0 ? ranks_[caller.rank_index].entered[comm.number]
                                       : streams_[stream].starts.try_emplace(caller.rank_index, start).first->second;
  const std::uint32_t index = instance_of(stream, entered++);
  if (index == kNoPart) return {};  // closed without this rank: possible only in a damaged trace
  Instance& instance = instances_[index];
  instance.is_inter = comm.is_inter;
  ++instance.open;
  Part part;
  part.row.comm = comm.comm;
  part.row.shape = what.shape;
  part.row.comm_rank = comm.rank;
  part.row.root = arguments.root >= 0 && !comm.is_inter ? arguments.root : -1;
  part.row.start = part.row.completion = caller.call;
  part.row.enter_ns = part.row.leave_ns = caller.enter_ns;
  if (comm.is_inter) {
    part.row.side = comm.side;
    const GroupDependency its = group_dependency(what.bytes, arguments);
    part.row.is_awaited = its.is_awaited;
    part.row.waits = its.waits;
    part.wait_for_group = its.kind;
  }
  part.kind = what.kind;
  part.has_data = carries_data(what.bytes, arguments, part.row.root == comm.rank);
  part.is_among_neighbours = what.bytes == BytesRule::over_neighbours;
  part.sends = arguments.send_bytes != 0;
  part.receives = arguments.receive_bytes != 0;
  instance.parts.push_back(part);
  return {index, static_cast<std::uint32_t>(instance.parts.size() - 1)};
}

void CollectiveMatcher::leave(PartId id, const Caller& caller) {
  if (id.instance == kNoPart) return;
  Instance& instance = instances_[id.instance];
  Part& part = instance.parts[id.part];
  part.row.completion = caller.call;
  part.row.leave_ns = caller.leave_ns;
  part.is_left = true;
  --instance.open;
  close_if_complete(id.instance);
}

void CollectiveMatcher::abandon(PartId id) {
  if (id.instance == kNoPart) return;
  Instance& instance = instances_[id.instance];
  instance.has_abandoned = true;
  --instance.open;
  close_if_complete(id.instance);
}

void CollectiveMatcher::close_if_complete(std::uint32_t index) {
  Instance& instance = instances_[index];
  Stream& stream = streams_[instance.stream];
  if (instance.open != 0) return;
  if (instance.parts.size() < stream.members) {
    const auto absent = std::ranges::count_if(stream.ended, [&](std::uint64_t n) { return n <= instance.number; }) +
                        std::ranges::count_if(stream.begins, [&](std::uint64_t n) { return n > instance.number; });
    if (instance.parts.size() + static_cast<std::size_t>(absent) < stream.members) return;
  }
  close(instance);
  stream.instances[static_cast<std::size_t>(instance.number - stream.base)] = kNoPart;
  free_instances_.push_back(index);
  while (!stream.instances.empty() && stream.instances.front() == kNoPart) {
    stream.instances.pop_front();
    ++stream.base;
  }
}

void CollectiveMatcher::report(const Instance& instance, FindingId id) {
  findings_.add(id, 1, [&] {
    const Stream& stream = streams_[instance.stream];
    const EventRef& call = instance.parts.front().row.start;
    return "communicator " + std::to_string(stream.comm) + " collective " + std::to_string(instance.number) +
           " (rank " + std::to_string(call.rank) + " thread " + std::to_string(call.thread) + " call " +
           std::to_string(call.event) + ", " + std::to_string(instance.parts.size()) + " of " +
           std::to_string(stream.members) + " ranks)";
  });
}

void CollectiveMatcher::close(Instance& instance) {
  std::vector<Part>& parts = instance.parts;
  if (parts.empty()) return;
  std::ranges::stable_sort(parts, {}, [](const Part& part) { return part.row.comm_rank; });
  const Stream& stream = streams_[instance.stream];
  if (stream.is_late &&
      std::ranges::any_of(stream.begins, [&](std::uint64_t number) { return number > instance.number; }))
    return;  // it began before the trace
  const Part& first = parts.front();
  const bool is_mismatch = std::ranges::any_of(
      parts, [&](const Part& part) { return part.kind != first.kind || part.row.root != first.row.root; });
  if (is_mismatch) report(instance, FindingId::collective_mismatch);
  if (instance.has_abandoned || parts.size() < streams_[instance.stream].members)
    report(instance, has_cut_ranks_ ? FindingId::call_cut_off : FindingId::collective_incomplete);

  const std::size_t first_row = rows_.size();
  for (Part& part : parts) {
    part.row.instance = totals_.instances;
    part.row.parts = static_cast<std::int32_t>(parts.size());
    if (is_mismatch || instance.is_inter || !part.is_left || !part.has_data) part.row.shape = CollectiveShape::none;
    if (is_mismatch || !part.is_left) part.row.is_awaited = part.row.waits = false;
    rows_.push_back(part.row);
  }
  if (!is_mismatch) look_at_neighbours(parts);
  if (instance.is_inter) look_at_groups(parts);
  totals_.calls += parts.size();
  ++totals_.instances;
  const std::span rows = std::span{rows_}.subspan(first_row);
  if (!is_reversed(rows)) return;
  if (!findings_.has_gaps()) {
    ++totals_.reversed;
    return;
  }
  // Some parts belong to another collective whose other parts are in a gap, and it is unknown which ones.
  if (!is_mismatch) report(instance, FindingId::collective_mismatch);
  totals_.calls -= parts.size();
  --totals_.instances;
  rows_.resize(first_row);
}

/// Each rank waits for the last of those from which it receives. `parts`: by group rank.
void CollectiveMatcher::look_at_neighbours(std::span<const Part> parts) {
  if (awaited_ == nullptr || !parts.front().is_among_neighbours) return;
  for (const Part& here : parts) {
    const auto sources = sources_->find({here.row.comm, here.row.comm_rank});
    if (sources == sources_->end() || !here.is_left || !here.receives) continue;
    const Part* latest = nullptr;
    for (const std::int32_t rank : sources->second) {
      const auto other = std::ranges::lower_bound(parts, rank, {}, [](const Part& part) { return part.row.comm_rank; });
      if (other == parts.end() || other->row.comm_rank != rank || !other->sends) continue;
      if (latest == nullptr || other->row.enter_ns > latest->row.enter_ns) latest = &*other;
    }
    if (latest != nullptr) await(here, *latest, WaitKind::neighbours);
  }
}

/// On an intercommunicator, a rank waits for the last one of the other group.
void CollectiveMatcher::look_at_groups(std::span<const Part> parts) {
  if (awaited_ == nullptr) return;
  const Part* latest[2] = {};
  for (const Part& part : parts) {
    const Part*& known = latest[part.row.side & 1];
    if (part.row.is_awaited && (known == nullptr || part.row.enter_ns > known->row.enter_ns)) known = &part;
  }
  for (const Part& here : parts)
    if (const Part* const other = latest[1 - (here.row.side & 1)]; here.row.waits && other != nullptr)
      await(here, *other, here.wait_for_group);
}

/// Nothing, if the call cannot have waited.
void CollectiveMatcher::await(const Part& here, const Part& latest, WaitKind kind) {
  if (latest.row.enter_ns > here.row.enter_ns && latest.row.enter_ns < here.row.leave_ns)
    awaited_->push_back({here.row.completion, latest.row.start, kind});
}

void CollectiveMatcher::end_stream(std::uint32_t number, std::uint64_t entered) {
  streams_[number].ended.push_back(entered);
  std::vector<std::uint32_t> waiting;
  for (std::size_t i = 0; i < streams_[number].instances.size(); ++i)
    if (streams_[number].instances[i] != kNoPart) waiting.push_back(streams_[number].instances[i]);
  for (const std::uint32_t index : waiting) close_if_complete(index);
}

void CollectiveMatcher::end_rank(std::uint32_t rank_index) {
  const RankState& rank = ranks_[rank_index];
  for (std::size_t i = 0; i < rank.comm.size(); ++i)
    if (!rank.is_given_up[i]) end_stream(stream_of(rank.comm[i], 0), rank.entered[i]);
  for (Stream& stream : streams_) {
    const auto starts = stream.starts.find(rank_index);
    if (starts != stream.starts.end())
      end_stream(static_cast<std::uint32_t>(&stream - streams_.data()), starts->second);
  }
}

void CollectiveMatcher::give_up(std::uint32_t rank_index, const LocalComm& comm) {
  RankState& rank = ranks_[rank_index];
  if (rank.is_given_up[comm.number]) return;
  rank.is_given_up[comm.number] = true;
  end_stream(stream_of(comm.comm, 0), rank.entered[comm.number]);
}

CollectiveTotals CollectiveMatcher::finish() {
  for (Stream& stream : streams_)
    for (std::size_t i = 0; i < stream.instances.size(); ++i)
      if (stream.instances[i] != kNoPart) close(instances_[stream.instances[i]]);
  return totals_;
}

}  // namespace meridian
