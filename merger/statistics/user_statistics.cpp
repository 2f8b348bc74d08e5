// SPDX-License-Identifier: Apache-2.0
#include "merger/statistics/user_statistics.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include "trace/model/call_id.hpp"
#include "trace/model/event.hpp"
#include "trace/model/function_keys.hpp"
#include "trace/model/units.hpp"
#include "trace/model/user_fields.hpp"

namespace meridian {
namespace {

void remember(std::vector<std::string>& names, const EventRow& row, const std::string& name) {
  if (names.size() < Findings::kExamples)
    names.push_back("'" + name + "' of rank " + std::to_string(row.rank) + " thread " + std::to_string(row.thread));
}

}  // namespace

UserStatistics::UserStatistics(const UserDefinitions& definitions)
    : definitions_{&definitions}, regions_(definitions.list.size()) {}

void UserStatistics::follow(const EventRow& row) {
  const std::pair key{row.rank, row.thread};
  if (last_ == nullptr || key != last_thread_) {
    last_ = &threads_[key];
    last_thread_ = key;
  }
  Thread& thread = *last_;
  thread.last_ns = row.enter_ns + row.duration_ns;
  if (row.call < definitions_->first_call) {
    if (row.call <= kMpiCallCount) thread.mpi_ns += row.inside_ns();
    return;
  }
  const auto definition = static_cast<std::uint32_t>(row.call - definitions_->first_call);
  if (definition >= regions_.size()) return;
  if ((row.flags & kFlagEnds) != 0) return end(thread, row, definition);
  ++regions_[definition].count;
  if ((row.flags & kFlagBegins) != 0) thread.open.begin(definition, {row.enter_ns, 0, thread.mpi_ns});
}

void UserStatistics::end(Thread& thread, const EventRow& row, std::uint32_t definition) {
  const bool was_open = thread.open.end(definition, [&](const auto& region) {
    if (region.call != definition) {
      ++left_open_;
      remember(left_open_names_, row, definitions_->list[region.call].name);
    }
    close(thread, region, row.enter_ns);
  });
  if (was_open) return;
  ++ends_alone_;
  remember(ends_alone_names_, row, definitions_->list[definition].name);
}

void UserStatistics::close(Thread& thread, const OpenRegions<Open>::Region& closed, std::int64_t at_ns) {
  const Open& open = closed.data;
  const std::int64_t time_ns = std::max<std::int64_t>(at_ns - open.begin_ns, 0);
  Region& region = regions_[closed.call];
  region.exclusive_ns += time_ns - open.inside_ns;
  region.min_ns = std::min(region.min_ns, time_ns);
  region.max_ns = std::max(region.max_ns, time_ns);
  if (!thread.open.empty()) thread.open.innermost().data.inside_ns += time_ns;
  if (thread.open.has(closed.call)) return;  // inside itself
  region.total_ns += time_ns;
  region.mpi_ns += thread.mpi_ns - open.mpi_before_ns;
}

void UserStatistics::finish(Findings& findings) {
  for (auto& of_thread : threads_) {
    Thread& thread = of_thread.second;
    EventRow row;
    row.rank = of_thread.first.first;
    row.thread = of_thread.first.second;
    thread.open.end_all([&](const auto& region) {
      const UserDefinition& definition = definitions_->list[region.call];
      if (definition.level != kFunctionLevel) {  // main() returns after MPI_Finalize
        ++left_open_;
        remember(left_open_names_, row, definition.name);
      }
      close(thread, region, thread.last_ns);
    });
  }
  const auto report = [&](FindingId id, std::uint64_t count, const std::vector<std::string>& names) {
    if (count == 0) return;
    findings.add(id, count - names.size());
    for (const std::string& name : names) findings.add(id, 1, name);
  };
  report(FindingId::user_region_open, left_open_, left_open_names_);
  report(FindingId::user_region_end_alone, ends_alone_, ends_alone_names_);
}

std::vector<RegionSummary> UserStatistics::regions() const {
  std::vector<RegionSummary> list;
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const UserDefinition& definition = definitions_->list[i];
    const Region& at = regions_[i];
    if (definition.kind != UserKind::region || at.count == 0) continue;
    RegionSummary region;
    region.name = definition.name;
    region.count = at.count;
    region.total_s = seconds(at.total_ns);
    region.exclusive_s = seconds(at.exclusive_ns);
    region.mpi_s = seconds(at.mpi_ns);
    region.min_s = seconds(std::min(at.min_ns, at.max_ns));
    region.max_s = seconds(at.max_ns);
    list.push_back(std::move(region));
  }
  std::ranges::sort(list, [](const RegionSummary& a, const RegionSummary& b) {
    return std::tie(b.total_s, a.name) < std::tie(a.total_s, b.name);
  });
  return list;
}

std::vector<UserEventSummary> UserStatistics::events(std::span<const ValueTotals> counters) const {
  std::vector<UserEventSummary> list;
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const UserDefinition& definition = definitions_->list[i];
    if (definition.kind == UserKind::region || regions_[i].count == 0) continue;
    UserEventSummary event;
    event.kind = kUserKindNames[static_cast<std::size_t>(definition.kind)];
    event.level = definition.level;
    event.name = definition.name;
    event.count = regions_[i].count;
    if (definition.kind == UserKind::counter && i < counters.size() && counters[i].count != 0) {
      event.min = counters[i].min;
      event.mean = counters[i].sum / static_cast<double>(counters[i].count);
      event.max = counters[i].max;
      event.last = counters[i].last;
    }
    list.push_back(std::move(event));
  }
  return list;
}

}  // namespace meridian
