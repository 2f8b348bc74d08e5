// SPDX-License-Identifier: Apache-2.0
#include "merger/statistics/add_profiles.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "trace/format/rank/rank_end.hpp"
#include "trace/model/call_facts.hpp"
#include "trace/model/log_ranges.hpp"

namespace meridian {
namespace {

/// The length of a tick of one rank on the common time, from the ticks that its tables name.
class TickLength {
 public:
  TickLength(const RankMeta& meta, const ClockMap& clock) {
    std::uint64_t first = ~std::uint64_t{0}, last = 0;
    const auto take = [&](std::uint64_t ticks) {
      first = std::min(first, ticks);
      last = std::max(last, ticks);
    };
    for (const AnchorRow& row : meta.anchors) take(row.before_ticks);
    for (const ProfileCallRow& row : meta.profile.calls) take(row.seen_ticks);
    for (const SegmentRow& row : meta.segments) take(row.first_ticks);
    if (first < last)
      ns_ = static_cast<long double>(clock.to_global(last) - clock.to_global(first)) /
            static_cast<long double>(last - first);
  }
  std::uint64_t ns(std::uint64_t ticks) const noexcept {
    return static_cast<std::uint64_t>(std::clamp(static_cast<long double>(ticks) * ns_ + 0.5L, 0.0L, kMostNs));
  }
  unsigned __int128 squares(unsigned __int128 ticks2) const noexcept {
    return static_cast<unsigned __int128>(
        std::clamp(static_cast<long double>(ticks2) * ns_ * ns_, 0.0L, kMostNs * kMostNs));
  }

 private:
  static constexpr long double kMostNs = 9e18L;  // more mean damage
  long double ns_ = 1;
};

/// Adds the sums of one rank.
class RankProfileReader {
 public:
  RankProfileReader(Trace& trace, std::size_t index)
      : trace_{trace}, index_{index}, meta_{trace.files[index]->meta()}, tick_{meta_, trace.clocks.maps[index]} {}

  void add_calls(Statistics& statistics, CommStatistics& comms) {
    for (const ProfileCallRow& row : meta_.profile.calls) {
      if (row.calls == 0) continue;
      const std::uint32_t call = number_of(row.call);
      const std::uint64_t total_ns = tick_.ns(row.ticks);
      const ProfiledCalls calls{
          .rank = meta_.rank,
          .thread = row.thread,
          .call = call,
          .path = row.site != 0 ? trace_.rank_sites[index_].path(row.site, row.node) : kNoPath,
          .count = row.calls,
          .total_ns = total_ns,
          .min_ns = tick_.ns(row.least_ticks),
          .max_ns = tick_.ns(row.most_ticks),
          .squares = tick_.squares(row.squares.value()),
          .bytes_sent = row.bytes_sent,
          .bytes_received = row.bytes_received,
      };
      statistics.add(calls);
      if (const LocalComm* const comm = comm_of(row.comm, row.seen_ticks))
        comms.add(comm->comm, call, row.calls, static_cast<std::int64_t>(total_ns), row.bytes_sent, row.bytes_received);
    }
    for (const ProfileTimeRow& row : meta_.profile.times)
      if (row.range < LogRanges::kCount)
        statistics.add_times(number_of(row.call), tick_.ns(middle_of(row.range)), row.count);
  }

  /// A rank that ended outside of MPI has no event at its end.
  void add_end(Statistics& statistics) const {
    const bool is_profile = std::ranges::find(meta_.texts, kProfileKey, &TextRow::key) != meta_.texts.end();
    if (!is_profile || meta_.is_finalized) return;
    std::uint64_t last = rank_end_of(meta_).ticks;
    if (last == 0)
      for (const ProfileCallRow& row : meta_.profile.calls) last = std::max(last, row.seen_ticks);
    if (last != 0) statistics.extend(meta_.rank, trace_.clocks.maps[index_].to_global(last));
  }

  void add_messages(MessageTotals& messages) const {
    for (const ProfilePeerRow& row : meta_.profile.peers) {
      const LocalComm* const comm = comm_of(row.comm, row.seen_ticks);
      const std::int32_t world = comm != nullptr ? comm->world_rank(row.peer) : kUnknownMember;
      messages.matched += row.messages;
      messages.bytes += row.bytes;
      messages.ranks[index_].messages_sent += row.messages;
      messages.ranks[index_].bytes_sent += row.bytes;
      if (world < 0 || static_cast<std::size_t>(world) >= trace_.rank_index.size()) continue;
      PairTraffic& pair = messages.pairs[{meta_.rank, world}];
      pair.messages += row.messages;
      pair.bytes += row.bytes;
      const std::uint32_t receiver = trace_.rank_index[static_cast<std::size_t>(world)];
      if (receiver == kMissingRank) continue;
      messages.ranks[receiver].messages_received += row.messages;
      messages.ranks[receiver].bytes_received += row.bytes;
    }
  }

  void add_objects(ObjectTotals& objects) const {
    for (const ProfileCallRow& row : meta_.profile.calls)
      objects.add(static_cast<std::uint32_t>(index_), meta_.calls[row.call], row.object, row.seen_ticks, row.calls,
                  row.accesses, row.bytes_sent + row.bytes_received, static_cast<std::int64_t>(tick_.ns(row.ticks)));
  }

  /// Adds the rank's calls of collectives, by communicator. Every member of a communicator takes part in each of its collectives.
  void count_collectives(std::map<std::uint32_t, std::uint64_t>& calls_of_comm) const {
    for (const ProfileCallRow& row : meta_.profile.calls) {
      const LocalComm* const comm = comm_of(row.comm, row.seen_ticks);
      const Role role = facts_of(meta_.calls[row.call]).role;
      if (comm != nullptr && (role == Role::collective || role == Role::icollective))
        calls_of_comm[comm->comm] += row.calls;
    }
  }

 private:
  std::uint32_t number_of(std::uint32_t call) const {
    const CallId id = meta_.calls[call];
    return id == CallId::none ? trace_.unknown_call[index_] : static_cast<std::uint32_t>(id);
  }
  const LocalComm* comm_of(std::uint64_t handle, std::uint64_t ticks) const {
    return handle == 0 ? nullptr : trace_.communicators.resolvers[index_].at(handle, ticks);
  }
  static std::uint64_t middle_of(std::uint32_t range) {
    return static_cast<std::uint64_t>((LogRanges::begin(range) + LogRanges::begin(range + 1)) / 2);
  }

  Trace& trace_;
  std::size_t index_;
  const RankMeta& meta_;
  TickLength tick_;
};

}  // namespace

void add_profiles(Trace& trace, Matched& matched, Statistics& statistics, CommStatistics& comms) {
  std::map<std::uint32_t, std::uint64_t> instances;  // by communicator
  for (std::size_t i = 0; i < trace.files.size(); ++i) {
    if (trace.files[i]->meta().profile.calls.empty()) continue;
    RankProfileReader reader{trace, i};
    reader.add_calls(statistics, comms);
    reader.add_end(statistics);
    reader.add_messages(matched.messages);
    reader.add_objects(matched.objects);
    std::map<std::uint32_t, std::uint64_t> calls;
    reader.count_collectives(calls);
    for (const auto& [comm, count] : calls) {
      matched.collectives.calls += count;
      instances[comm] = std::max(instances[comm], count);
    }
  }
  for (const auto& [comm, count] : instances) matched.collectives.instances += count;
}

std::vector<SizeSummary> profiled_sizes(const Trace& trace) {
  std::map<std::pair<std::string, std::uint64_t>, SizeSummary> rows;
  for (const RankFile* file : trace.files) {
    const RankMeta& meta = file->meta();
    for (const ProfileSizeRow& size : meta.profile.sizes) {
      const std::string group{kGroups[static_cast<std::size_t>(info(meta.calls[size.call]).group)].name};
      const std::uint64_t least = size.size_class == 0 ? 0 : std::uint64_t{1} << std::min(size.size_class - 1, 63U);
      SizeSummary& row =
          rows.try_emplace({group, least}, SizeSummary{.group = group, .at_least_bytes = least}).first->second;
      row.count += size.count;
      row.bytes += size.bytes;
    }
  }
  std::vector<SizeSummary> list;
  list.reserve(rows.size());
  for (auto& [key, row] : rows) list.push_back(std::move(row));
  return list;
}

}  // namespace meridian
