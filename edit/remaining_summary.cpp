// SPDX-License-Identifier: Apache-2.0
#include "edit/remaining_summary.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

#include "merged/read_numbers.hpp"
#include "trace/model/call_id.hpp"
#include "trace/model/event.hpp"
#include "trace/model/user_fields.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostCalls = 1 << 16;  // numbers of calls have 16 bits
constexpr std::uint32_t kFirstPath = kLostPath + 1;

CommKind kind_of(std::string_view name) {
  const auto found = std::ranges::find(kCommKindNames, name);
  return found == kCommKindNames.end() ? CommKind::intra
                                       : static_cast<CommKind>(std::distance(kCommKindNames.begin(), found));
}

std::size_t first_user_call(const MergedDefinitions& names) {
  for (std::size_t i = kCallCount; i < names.calls.size(); ++i)
    if (names.calls[i].group == "user") return i;
  return names.calls.size();
}

std::int32_t highest_rank(const MergedDefinitions& names) {
  std::int32_t highest = -1;
  for (const MergedRank& rank : names.ranks) highest = std::max(highest, rank.rank);
  return highest;
}

std::unique_ptr<Trace> describe_stored(const MergedDefinitions& names) {
  auto trace = std::make_unique<Trace>();
  for (const MergedCall& call : names.calls) trace->calls.push_back({call.name, call.group});
  for (const MergedCommunicator& comm : names.communicators)
    trace->communicators.list.push_back({kind_of(comm.kind), comm.parent, comm.name, comm.group, comm.remote_group});
  trace->communicators.groups = names.groups;
  trace->sites = std::make_unique<SiteTable>();
  trace->paths = std::make_unique<PathTable>();
  trace->has_sites = !names.sites.empty();
  trace->has_stacks = !names.paths.empty();
  trace->user.first_call = first_user_call(names);
  for (std::size_t call = trace->user.first_call; call < names.calls.size(); ++call)
    trace->user.list.push_back({UserKind::region, {}, names.calls[call].name, {}, static_cast<std::uint16_t>(call)});
  return trace;
}

}  // namespace

RemainingSummary::RemainingSummary(const StoredTrace& stored, Summary original, std::unique_ptr<Trace> trace)
    : stored_{&stored},
      original_{std::move(original)},
      trace_{std::move(trace)},
      statistics_{highest_rank(stored.definitions()) + 1, trace_->calls.size(), trace_->user.first_call},
      user_{trace_->user},
      comms_{trace_->communicators.list.size(), trace_->calls},
      dropped_of_location_(stored.definitions().locations.size()),
      events_of_call_(trace_->calls.size()),
      dropped_of_call_(trace_->calls.size()),
      is_region_(trace_->calls.size()) {}

Result<RemainingSummary> RemainingSummary::make(const StoredTrace& stored, Summary original) {
  const MergedDefinitions& names = stored.definitions();
  if (names.calls.size() > kMostCalls) return damaged_merged("there are too many functions");
  for (const MergedCommunicator& comm : names.communicators)
    for (const std::uint32_t group : {comm.group, comm.remote_group})
      if (group != kNoGroup && group >= names.groups.size())
        return damaged_merged("a communicator has a group that is not there");
  std::map<std::int32_t, std::uint64_t> threads;
  for (const MergedLocation& location : names.locations) {
    if (location.rank < 0 || names.find_rank(location.rank) == nullptr)
      return damaged_merged("a thread has a rank that is not there");
    ++threads[location.rank];
  }
  RemainingSummary summary{stored, std::move(original), describe_stored(names)};
  MERIDIAN_TRY_DO(summary.fill_sites());
  // Streams of calls that the program makes inside others have no thread of the system, and are not counted as threads.
  for (const RankSummary& rank : summary.original_.ranks) {
    if (names.find_rank(rank.rank) == nullptr) return damaged_merged("the summary has a rank that is not there");
    if (rank.all_threads >= threads[rank.rank]) continue;
    for (const MergedLocation& location : names.locations)
      if (location.rank == rank.rank && location.kernel_tid == 0)
        summary.statistics_.set_nested(rank.rank, location.thread);
  }
  return summary;
}

Status RemainingSummary::fill_sites() {
  const MergedDefinitions& names = stored_->definitions();
  const auto contradiction = [] { return damaged_merged("call sites contradict each other"); };
  for (std::size_t i = 1; i < names.modules.size(); ++i)
    if (trace_->sites->module({names.modules[i].path, names.modules[i].identity}) != i) return contradiction();
  for (std::size_t i = 0; i < names.sites.size(); ++i) {
    const MergedSite& site = names.sites[i];
    if (site.module != 0 && site.module >= names.modules.size()) return contradiction();
    if (i != 0 && trace_->sites->site(site.module, site.offset) != i) return contradiction();
    places_.push_back({site.function, site.outer, site.file, site.line, site.column});
  }
  if (places_.empty()) places_.resize(1);
  has_paths_ = !names.paths.empty();
  for (std::size_t i = kFirstPath; i < names.paths.size(); ++i) {
    const MergedPath& path = names.paths[i];
    if (path.parent >= i || path.site >= places_.size() || trace_->paths->path(path.parent, path.site) != i)
      return contradiction();
  }
  if (!has_paths_)
    for (std::uint32_t i = 1; i < names.sites.size(); ++i)
      if (trace_->paths->path(kNoPath, i) != i + kLostPath) return contradiction();
  return {};
}

void RemainingSummary::note(const EditedEvent& event) {
  const std::int32_t rank = stored_->definitions().locations[event.location].rank;
  PerRank& at = ranks_[rank];
  at.first_ns = std::min(at.first_ns, event.enter_ns);
  at.latest_ns = std::max(at.latest_ns, event.leave_ns());
  first_ns_ = std::min(first_ns_, event.enter_ns);
  latest_ns_ = std::max(latest_ns_, event.leave_ns());
  const auto call = static_cast<std::size_t>(event.stored.call);
  ++events_of_call_[call];
  if ((event.stored.flags & (kFlagBegins | kFlagEnds)) != 0) is_region_[call] = true;
}

void RemainingSummary::keep(const EditedEvent& event) {
  note(event);
  if ((event.stored.flags & kFlagUnfinished) != 0)
    open_.push_back(event);
  else
    add(event, event.duration_ns);
}

void RemainingSummary::drop(const EditedEvent& event) {
  note(event);
  const auto call = static_cast<std::size_t>(event.stored.call);
  ++dropped_of_call_[call];
  ++dropped_of_location_[event.location];
  const std::string& group = trace_->calls[call].group;
  if (group == "lock" || group == "openmp" || group == "thread")
    ++ranks_[stored_->definitions().locations[event.location].rank].dropped_locks;
}

void RemainingSummary::add(const EditedEvent& event, std::int64_t duration_ns) {
  const MergedLocation& location = stored_->definitions().locations[event.location];
  const StoredEvent& stored = event.stored;
  const auto sent = static_cast<std::uint64_t>(stored.bytes_sent);
  const auto received = static_cast<std::uint64_t>(stored.bytes_received);
  EventRow row;
  row.enter_ns = event.enter_ns;
  row.duration_ns = duration_ns;
  row.is_phase = stored.calls != 1 || stored.outside_ns != 0;
  row.bytes_sent = row.is_phase ? static_cast<std::uint64_t>(stored.calls) : sent;
  row.bytes_received = row.is_phase ? static_cast<std::uint64_t>(stored.outside_ns) : received;
  const auto site = static_cast<std::uint32_t>(stored.site);
  const std::uint32_t path = has_paths_        ? static_cast<std::uint32_t>(stored.path)
                             : site == kNoSite ? kNoPath
                                               : site + kLostPath;
  row.path = path & 0xfffffU;  // the table of paths has no more
  row.rank = location.rank;
  row.thread = location.thread;
  row.comm = static_cast<std::uint32_t>(stored.comm);
  row.call = static_cast<std::uint16_t>(stored.call);
  row.flags = static_cast<std::uint8_t>(stored.flags);
  statistics_.add(row, sent, received);
  user_.add(row);
  comms_.add(row, sent, received);
}

void RemainingSummary::drop_message(const MessageLinks::Message& message, std::int32_t source, std::int32_t dest) {
  const auto& comms = trace_->communicators.list;
  if (message.comm < comms.size() && comms[message.comm].kind == CommKind::user) {
    ++dropped_user_messages_;
    dropped_user_bytes_ += message.bytes;
    return;
  }
  ++dropped_messages_;
  dropped_bytes_ += message.bytes;
  auto& [messages, bytes] = dropped_pairs_[{source, dest}];
  ++messages;
  bytes += message.bytes;
  PerRank& from = ranks_[source];
  ++from.messages_sent;
  from.bytes_sent += message.bytes;
  PerRank& to = ranks_[dest];
  ++to.messages_received;
  to.bytes_received += message.bytes;
}

void RemainingSummary::drop_collective(std::uint64_t parts) {
  ++dropped_instances_;
  dropped_parts_ += parts;
}

void RemainingSummary::keep_value(std::uint32_t call, std::uint64_t word, std::int64_t at_ns) {
  const MergedUserEvent* const event = stored_->definitions().find_user(call);
  if (event == nullptr || event->kind != kUserKindNames[static_cast<std::size_t>(UserKind::counter)]) return;
  counters_.resize(trace_->user.list.size());
  const std::size_t number = call - trace_->user.first_call;
  if (number < counters_.size()) counters_[number].add(std::bit_cast<double>(word), at_ns);
}

}  // namespace meridian
