// SPDX-License-Identifier: Apache-2.0
#include "merger/output/merged_definitions.hpp"

#include <string>
#include <vector>

#include "merged/model/clock_bounds_columns.hpp"
#include "merged/model/clock_report_columns.hpp"
#include "merged/model/definition_columns.hpp"
#include "merger/model/communicators.hpp"
#include "merger/model/definitions/sites.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/format/tables/column_table.hpp"

namespace meridian {
namespace {

Status write_calls(hid_t file, std::span<const NamedCall> calls) {
  std::vector<MergedCall> rows;
  for (const NamedCall& call : calls) rows.push_back({call.name, call.group});
  return write_column_table(file, "calls", kCallColumns, rows);
}

Status write_communicators(hid_t file, const Communicators& communicators) {
  std::vector<MergedCommunicator> rows;
  for (const Communicator& comm : communicators.list)
    rows.push_back({comm.name, std::string{kCommKindNames[static_cast<std::size_t>(comm.kind)]}, comm.parent,
                    comm.group, comm.remote_group});
  MERIDIAN_TRY_DO(write_column_table(file, "communicators", kCommunicatorColumns, rows));

  std::vector<MergedGroup> groups;
  std::vector<MergedMember> members;
  for (const Group& group : communicators.groups) {
    groups.push_back({members.size(), group.size()});
    for (const std::int32_t rank : group) members.push_back({rank});
  }
  MERIDIAN_TRY_DO(write_column_table(file, "groups", kGroupColumns, groups));
  return write_column_table(file, "groups", kMemberColumns, members);
}

Status write_sites(hid_t file, const SiteTable& table, std::span<const SourcePlace> places) {
  if (table.sites().size() == 1) return {};
  std::vector<MergedModule> modules;
  for (const Module& module : table.modules()) modules.push_back({module.path, module.identity});
  MERIDIAN_TRY_DO(write_column_table(file, "modules", kModuleColumns, modules));
  std::vector<MergedSite> sites;
  for (std::size_t i = 0; i < table.sites().size(); ++i) {
    const SourcePlace& place = places[i];
    sites.push_back({table.sites()[i].module, table.sites()[i].offset, place.function, place.outer, place.file,
                     place.line, place.column});
  }
  return write_column_table(file, "sites", kSiteColumns, sites);
}

Status write_paths(hid_t file, const PathTable& table) {
  std::vector<MergedPath> rows;
  for (const CallPath& path : table.paths()) rows.push_back({path.parent, path.site});
  return write_column_table(file, "paths", kPathColumns, rows);
}

Status write_places(hid_t file, const Trace& trace) {
  std::vector<MergedRank> ranks;
  std::vector<MergedLocation> locations;
  for (std::size_t i = 0; i < trace.files.size(); ++i) {
    const RankMeta& meta = trace.files[i]->meta();
    ranks.push_back({meta.rank, meta.world + 1, meta.rank - meta.first_rank, meta.hostname, meta.executable, meta.pid,
                     meta.is_finalized, trace.clocks.domain_of[i]});
    for (const ThreadRow& thread : meta.threads)
      locations.push_back({meta.rank, thread.thread, thread.kernel_tid, thread.events});
  }
  MERIDIAN_TRY_DO(write_column_table(file, "ranks", kRankColumns, ranks));
  return write_column_table(file, "threads", kLocationColumns, locations);
}

}  // namespace

Status write_merged_definitions(hid_t file, const Trace& trace, std::span<const SourcePlace> places) {
  MERIDIAN_TRY_DO(h5::write_attribute(file, "time_origin_realtime_ns", trace.clocks.origin_realtime_ns));
  MERIDIAN_TRY_DO(write_calls(file, trace.calls));
  MERIDIAN_TRY_DO(write_communicators(file, trace.communicators));
  MERIDIAN_TRY_DO(write_sites(file, *trace.sites, places));
  if (trace.has_stacks) MERIDIAN_TRY_DO(write_paths(file, *trace.paths));
  MERIDIAN_TRY_DO(h5::write_attribute(file, kLargestMove, trace.clocks.bounds.largest_move_ns));
  MERIDIAN_TRY_DO(write_column_table(file, kClockBounds, kClockBoundColumns, rows_of(trace.clocks.bounds)));
  return write_places(file, trace);
}

Status write_clock_report(hid_t file, const ClockReport& report) {
  return clock_report::for_each_table(
      report, [&](const std::string& name, std::span<const AnyColumn> columns, const auto& rows) {
        return write_column_table(file, name, columns, rows);
      });
}

}  // namespace meridian
