// SPDX-License-Identifier: Apache-2.0
#include "merger/statistics/comm_statistics.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "trace/model/call_facts.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

double time_of(const CommSummary& comm) noexcept { return comm.p2p_s + comm.collective_s + comm.other_s; }

}  // namespace

CommStatistics::CommStatistics(std::size_t communicators, std::span<const NamedCall> calls) : sums_(communicators) {
  kinds_.reserve(calls.size());
  for (const NamedCall& call : calls) {
    const CallGroup group = group_by_name(call.group);
    kinds_.push_back(group == CallGroup::p2p ? kP2p : group == CallGroup::coll ? kCollective : kOther);
  }
}

std::vector<CommSummary> CommStatistics::summaries(const std::vector<Communicator>& list,
                                                   const std::vector<Group>& groups) const {
  const auto size_of = [&](std::uint32_t group) { return group == kNoGroup ? 0 : groups[group].size(); };
  std::map<std::tuple<std::string, CommKind, std::size_t>, CommSummary> rows;
  for (std::size_t i = 0; i < sums_.size() && i < list.size(); ++i) {
    const Communicator& comm = list[i];
    const Sums& at = sums_[i];
    if (comm.kind == CommKind::user || at.calls[kP2p] + at.calls[kCollective] + at.calls[kOther] == 0) continue;
    const std::size_t ranks = size_of(comm.group) + size_of(comm.remote_group);
    CommSummary& row = rows[{comm.name, comm.kind, ranks}];
    row.name = comm.name;
    row.kind = kCommKindNames[static_cast<std::size_t>(comm.kind)];
    row.ranks = ranks;
    ++row.communicators;
    row.p2p_calls += at.calls[kP2p];
    row.p2p_s += seconds(at.time_ns[kP2p]);
    row.collective_calls += at.calls[kCollective];
    row.collective_s += seconds(at.time_ns[kCollective]);
    row.other_calls += at.calls[kOther];
    row.other_s += seconds(at.time_ns[kOther]);
    row.bytes_sent += at.bytes_sent;
    row.bytes_received += at.bytes_received;
  }
  std::vector<CommSummary> result;
  result.reserve(rows.size());
  for (auto& [key, row] : rows) result.push_back(std::move(row));
  std::ranges::stable_sort(result, [](const CommSummary& a, const CommSummary& b) { return time_of(b) < time_of(a); });
  return result;
}

}  // namespace meridian
