// SPDX-License-Identifier: Apache-2.0
#include "merger/output/merged_definitions.hpp"

#include <string>
#include <vector>

#include "merged/model/clock_bounds_columns.hpp"
#include "merged/model/clock_report_columns.hpp"
#include "merged/model/definition_columns.hpp"
#include "merger/model/definitions/sites.hpp"
#include "trace/definitions/communicators.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/format/tables/column_table.hpp"
#include "trace/model/user_fields.hpp"

namespace meridian {
namespace {

void add_sites(const SiteTable& table, std::span<const SourcePlace> places, MergedDefinitions& all) {
  if (table.sites().size() == 1) return;
  for (const Module& module : table.modules()) all.modules.push_back({module.path, module.identity});
  for (std::size_t i = 0; i < table.sites().size(); ++i) {
    const SourcePlace& place = places[i];
    all.sites.push_back({table.sites()[i].module, table.sites()[i].offset, place.function, place.outer, place.file,
                         place.line, place.column});
  }
}

void add_ranks(const Trace& trace, MergedDefinitions& all) {
  for (std::size_t i = 0; i < trace.files.size(); ++i) {
    const RankMeta& meta = trace.files[i]->meta();
    all.ranks.push_back({meta.rank, meta.world + 1, meta.rank - meta.first_rank, meta.hostname, meta.executable,
                         meta.pid, meta.is_finalized, trace.clocks.domain_of[i]});
    for (const ThreadRow& thread : meta.threads)
      all.locations.push_back({meta.rank, thread.thread, thread.kernel_tid, thread.events});
  }
}

void add_user_events(const UserDefinitions& user, MergedDefinitions& all) {
  for (const UserDefinition& row : user.list) {
    const bool is_counter = row.kind == UserKind::counter;
    const bool has_values = is_counter || row.kind == UserKind::event;
    all.user.push_back({row.call, std::string{kUserKindNames[static_cast<std::size_t>(row.kind)]}, row.level, row.name,
                        !has_values  ? std::string{}
                        : is_counter ? std::string{kCounterField}
                                     : row.fields});
  }
}

Status write_groups(hid_t file, const std::vector<std::vector<std::int32_t>>& list) {
  std::vector<MergedGroup> groups;
  std::vector<MergedMember> members;
  for (const std::vector<std::int32_t>& group : list) {
    groups.push_back({members.size(), group.size()});
    for (const std::int32_t rank : group) members.push_back({rank});
  }
  MERIDIAN_TRY_DO(write_column_table(file, "groups", kGroupColumns, groups));
  return write_column_table(file, "groups", kMemberColumns, members);
}

}  // namespace

MergedDefinitions definitions_of(const Trace& trace, std::span<const SourcePlace> places) {
  MergedDefinitions all;
  all.time_origin_realtime_ns = trace.clocks.origin_realtime_ns;
  for (const NamedCall& call : trace.calls) all.calls.push_back({call.name, call.group});
  for (const Communicator& comm : trace.communicators.list)
    all.communicators.push_back({comm.name, std::string{kCommKindNames[static_cast<std::size_t>(comm.kind)]},
                                 comm.parent, comm.group, comm.remote_group});
  all.groups = trace.communicators.groups;
  add_sites(*trace.sites, places, all);
  if (trace.has_stacks)
    for (const CallPath& path : trace.paths->paths()) all.paths.push_back({path.parent, path.site});
  add_user_events(trace.user, all);
  add_ranks(trace, all);
  return all;
}

Status write_merged_definitions(hid_t file, const MergedDefinitions& all, const ClockBounds& bounds) {
  MERIDIAN_TRY_DO(h5::write_attribute(file, "time_origin_realtime_ns", all.time_origin_realtime_ns));
  MERIDIAN_TRY_DO(write_column_table(file, "calls", kCallColumns, all.calls));
  MERIDIAN_TRY_DO(write_column_table(file, "communicators", kCommunicatorColumns, all.communicators));
  MERIDIAN_TRY_DO(write_groups(file, all.groups));
  if (!all.sites.empty()) {
    MERIDIAN_TRY_DO(write_column_table(file, "modules", kModuleColumns, all.modules));
    MERIDIAN_TRY_DO(write_column_table(file, "sites", kSiteColumns, all.sites));
  }
  if (!all.paths.empty()) MERIDIAN_TRY_DO(write_column_table(file, "paths", kPathColumns, all.paths));
  if (!all.user.empty()) MERIDIAN_TRY_DO(write_column_table(file, "user_definitions", kUserColumns, all.user));
  MERIDIAN_TRY_DO(h5::write_attribute(file, kLargestMove, bounds.largest_move_ns));
  MERIDIAN_TRY_DO(write_column_table(file, kClockBounds, kClockBoundColumns, rows_of(bounds)));
  MERIDIAN_TRY_DO(write_column_table(file, "ranks", kRankColumns, all.ranks));
  return write_column_table(file, "threads", kLocationColumns, all.locations);
}

Status write_clock_report(hid_t file, const ClockReport& report) {
  return clock_report::for_each_table(
      report, [&](const std::string& name, std::span<const AnyColumn> columns, const auto& rows) {
        return write_column_table(file, name, columns, rows);
      });
}

}  // namespace meridian
