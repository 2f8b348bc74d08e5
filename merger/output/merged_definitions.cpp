// SPDX-License-Identifier: Apache-2.0
#include "merger/output/merged_definitions.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "merger/clocks/bounds/clock_bounds_file.hpp"
#include "merger/model/communicators.hpp"
#include "merger/model/sites.hpp"
#include "trace/format/column.hpp"
#include "trace/format/rank_file.hpp"
#include "trace/format/table.hpp"

namespace meridian {
namespace {

template <class T>
Status write_column(hid_t file, const std::string& path, const std::vector<T>& values, std::string_view text) {
  MERIDIAN_TRY(ColumnWriter column, ColumnWriter::create(file, path, column_type<T>, {.description = text}));
  MERIDIAN_TRY_DO(column.append(std::span<const T>{values}));
  return column.finish();
}

Status write_calls(hid_t file, std::span<const NamedCall> calls) {
  std::vector<std::string> names, groups;
  for (const NamedCall& call : calls) {
    names.push_back(call.name);
    groups.push_back(call.group);
  }
  MERIDIAN_TRY_DO(h5::write_strings(file, "calls/name", names));
  return h5::write_strings(file, "calls/group", groups);
}

Status write_communicators(hid_t file, const Communicators& communicators) {
  std::vector<std::string> names, kinds;
  std::vector<std::uint32_t> parents, groups, remote_groups;
  for (const Communicator& comm : communicators.list) {
    names.push_back(comm.name);
    kinds.emplace_back(kCommKindNames[static_cast<std::size_t>(comm.kind)]);
    parents.push_back(comm.parent);
    groups.push_back(comm.group);
    remote_groups.push_back(comm.remote_group);
  }
  MERIDIAN_TRY_DO(h5::write_strings(file, "communicators/name", names));
  MERIDIAN_TRY_DO(h5::write_strings(file, "communicators/kind", kinds));
  MERIDIAN_TRY_DO(write_column(file, "communicators/parent", parents, "row of this table; 4294967295: none"));
  MERIDIAN_TRY_DO(write_column(file, "communicators/group", groups, "row of /groups"));
  MERIDIAN_TRY_DO(write_column(file, "communicators/remote_group", remote_groups,
                               "row of /groups: the other side of an intercommunicator; 4294967295: none"));

  std::vector<std::uint64_t> first, size;
  std::vector<std::int32_t> members;
  for (const Group& group : communicators.groups) {
    first.push_back(members.size());
    size.push_back(group.size());
    members.insert(members.end(), group.begin(), group.end());
  }
  MERIDIAN_TRY_DO(write_column(file, "groups/first", first, "row of /groups/member of the group's rank 0"));
  MERIDIAN_TRY_DO(write_column(file, "groups/size", size, "members; their rows follow one another"));
  return write_column(file, "groups/member", members,
                      "world ranks by group rank; -1: of another MPI_COMM_WORLD, -2: not known");
}

Status write_sites(hid_t file, const SiteTable& table, std::span<const SourcePlace> places) {
  if (table.sites().size() == 1) return {};
  std::vector<std::string> paths, build_ids, functions, outers, files;
  for (const Module& module : table.modules()) {
    paths.push_back(module.path);
    build_ids.push_back(module.identity);
  }
  MERIDIAN_TRY_DO(h5::write_strings(file, "modules/path", paths));
  MERIDIAN_TRY_DO(h5::write_strings(file, "modules/identity", build_ids));
  std::vector<std::uint32_t> modules, lines, columns;
  std::vector<std::uint64_t> offsets;
  for (std::size_t i = 0; i < table.sites().size(); ++i) {
    modules.push_back(table.sites()[i].module);
    offsets.push_back(table.sites()[i].offset);
    functions.push_back(places[i].function);
    outers.push_back(places[i].outer);
    files.push_back(places[i].file);
    lines.push_back(places[i].line);
    columns.push_back(places[i].column);
  }
  MERIDIAN_TRY_DO(write_column(file, "sites/module", modules, "row of /modules; 0: not known"));
  MERIDIAN_TRY_DO(write_column(file, "sites/offset", offsets, "return address less the module's load bias"));
  MERIDIAN_TRY_DO(h5::write_strings(file, "sites/function", functions));
  MERIDIAN_TRY_DO(h5::write_strings(file, "sites/outer", outers));
  MERIDIAN_TRY_DO(h5::write_strings(file, "sites/file", files));
  MERIDIAN_TRY_DO(write_column(file, "sites/line", lines, "0: not known"));
  return write_column(file, "sites/column", columns, "0: not known");
}

Status write_paths(hid_t file, const PathTable& table) {
  std::vector<std::uint32_t> parents, sites;
  for (const CallPath& path : table.paths()) {
    parents.push_back(path.parent);
    sites.push_back(path.site);
  }
  MERIDIAN_TRY_DO(
      write_column(file, "paths/parent", parents,
                   "row of this table, before it; 0: the program begins, 1: beyond the depth that was asked "
                   "for, 2: not known"));
  return write_column(file, "paths/site", sites, "row of /sites; 0: none");
}

Status write_places(hid_t file, const Trace& trace) {
  std::vector<std::string> hosts, executables;
  std::vector<std::int32_t> ranks, pids, thread_ranks, kernel_tids, ranks_in_world;
  std::vector<std::uint32_t> worlds;
  std::vector<std::uint32_t> threads;
  std::vector<std::uint64_t> events;
  std::vector<std::uint8_t> is_finalized;
  for (const RankFile* rank : trace.files) {
    const RankMeta& meta = rank->meta();
    hosts.push_back(meta.hostname);
    executables.push_back(meta.executable);
    ranks.push_back(meta.rank);
    worlds.push_back(meta.world + 1);
    ranks_in_world.push_back(meta.rank - meta.first_rank);
    pids.push_back(meta.pid);
    is_finalized.push_back(meta.is_finalized ? 1 : 0);
    for (const ThreadRow& thread : meta.threads) {
      thread_ranks.push_back(meta.rank);
      threads.push_back(thread.thread);
      kernel_tids.push_back(thread.kernel_tid);
      events.push_back(thread.events);
    }
  }
  MERIDIAN_TRY_DO(write_column(file, "ranks/rank", ranks, "in MPI_COMM_WORLD; of further worlds numbered on"));
  MERIDIAN_TRY_DO(write_column(file, "ranks/world", worlds, "MPI_COMM_WORLD that the rank is of, from 1"));
  MERIDIAN_TRY_DO(write_column(file, "ranks/rank_in_world", ranks_in_world, "in that MPI_COMM_WORLD"));
  MERIDIAN_TRY_DO(h5::write_strings(file, "ranks/host", hosts));
  MERIDIAN_TRY_DO(h5::write_strings(file, "ranks/executable", executables));
  MERIDIAN_TRY_DO(write_column(file, "ranks/pid", pids, ""));
  MERIDIAN_TRY_DO(write_column(file, "ranks/is_finalized", is_finalized, "1: MPI_Finalize was reached"));
  MERIDIAN_TRY_DO(
      write_column(file, "ranks/clock_domain", trace.clocks.domain_of, "clock that the rank reads; in /clock_bounds"));
  MERIDIAN_TRY_DO(write_column(file, "threads/rank", thread_ranks, "in MPI_COMM_WORLD"));
  MERIDIAN_TRY_DO(write_column(file, "threads/thread", threads, "number in its rank"));
  MERIDIAN_TRY_DO(write_column(file, "threads/kernel_tid", kernel_tids, ""));
  return write_column(file, "threads/events", events, "calls that it made");
}

}  // namespace

Status write_merged_definitions(hid_t file, const Trace& trace, std::span<const SourcePlace> places) {
  MERIDIAN_TRY_DO(h5::write_attribute(file, "time_origin_realtime_ns", trace.clocks.origin_realtime_ns));
  MERIDIAN_TRY_DO(write_calls(file, trace.calls));
  MERIDIAN_TRY_DO(write_communicators(file, trace.communicators));
  MERIDIAN_TRY_DO(write_sites(file, *trace.sites, places));
  if (trace.has_stacks) MERIDIAN_TRY_DO(write_paths(file, *trace.paths));
  MERIDIAN_TRY_DO(write_clock_bounds(file, trace.clocks.bounds));
  return write_places(file, trace);
}

}  // namespace meridian
