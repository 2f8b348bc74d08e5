#include "merger/output/merged_file.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "merger/clocks/clock_bounds_file.hpp"
#include "merger/output/merged_columns.hpp"
#include "trace/format/h5.hpp"
#include "trace/format/summary_file.hpp"
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

/// The columns of /events that say where calls were made. A table names the site of each path, and grows meanwhile.
class PlaceColumns {
 public:
  static Result<PlaceColumns> open(hid_t file, const PathTable& paths, bool has_stacks) {
    const auto create = [&](const char* path, auto zero, std::string_view text) {
      return ColumnWriter::create(file, path, column_type<decltype(zero)>, {.is_narrow = true, .description = text});
    };
    PlaceColumns columns{paths};
    MERIDIAN_TRY(columns.site_,
                 create("events/site", std::uint16_t{}, "where it was called: row of /sites; 0: not known"));
    if (has_stacks) {
      MERIDIAN_TRY(columns.path_,
                   create("events/path", std::uint32_t{}, "how it was reached: row of /paths; 0: not known"));
    }
    return columns;
  }

  Status append(std::span<const EventRow> rows) {
    sites_.resize(rows.size());
    numbers_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      numbers_[i] = static_cast<std::uint32_t>(rows[i].path);
      sites_[i] = static_cast<std::uint16_t>(paths_->paths()[numbers_[i]].site);
    }
    if (path_) MERIDIAN_TRY_DO(path_->append(std::span<const std::uint32_t>{numbers_}));
    return site_->append(std::span<const std::uint16_t>{sites_});
  }

  Status finish() {
    if (path_) MERIDIAN_TRY_DO(path_->finish());
    return site_->finish();
  }

 private:
  explicit PlaceColumns(const PathTable& paths) : paths_{&paths} {}

  const PathTable* paths_;
  std::optional<ColumnWriter> site_, path_;
  std::vector<std::uint16_t> sites_;
  std::vector<std::uint32_t> numbers_;
};

/// The columns of /counters: they are there only when something was counted.
struct CounterColumns {
  ColumnWriter rank, thread, sequence, value, between;

  Status finish() {
    for (ColumnWriter* column : {&rank, &thread, &sequence, &value, &between}) MERIDIAN_TRY_DO(column->finish());
    return {};
  }
};

Result<CounterColumns> open_counters(hid_t file) {
  const auto open = [&](const char* path, auto zero, std::string_view text) {
    return ColumnWriter::create(file, path, column_type<decltype(zero)>, {.is_narrow = true, .description = text});
  };
  MERIDIAN_TRY(ColumnWriter rank, open("counters/rank", std::int32_t{}, "in MPI_COMM_WORLD"));
  MERIDIAN_TRY(ColumnWriter thread, open("counters/thread", std::uint32_t{}, ""));
  MERIDIAN_TRY(ColumnWriter sequence, open("counters/sequence", std::uint64_t{},
                                           "of the call: rank, thread and sequence name a row of /events"));
  MERIDIAN_TRY(ColumnWriter value,
               open("counters/value", std::int64_t{}, "increase in the call: a value for each row of /counters/name"));
  MERIDIAN_TRY(ColumnWriter between, open("counters/between", std::int64_t{},
                                          "increase since the counted call of the thread before it, likewise"));
  return CounterColumns{std::move(rank), std::move(thread), std::move(sequence), std::move(value), std::move(between)};
}

}  // namespace

struct MergedFileWriter::Impl {
  std::filesystem::path path;
  std::filesystem::path part;  // where the file is until it is complete
  h5::File file;
  RowColumnsWriter<EventRow, decltype(kEventColumns)> events;
  RowColumnsWriter<MatchedMessage, decltype(kMessageColumns)> messages;
  RowColumnsWriter<CollectivePart, decltype(kCollectiveColumns)> collectives;
  std::optional<CounterColumns> counters;
  std::optional<PlaceColumns> places;

  Impl(std::filesystem::path path_, std::filesystem::path part_, h5::File file_)
      : path{std::move(path_)},
        part{std::move(part_)},
        file{std::move(file_)},
        events{file.get(), "events", kEventColumns},
        messages{file.get(), "messages", kMessageColumns},
        collectives{file.get(), "collectives", kCollectiveColumns} {}
  ~Impl() {
    (void)file.close();
    std::error_code ignored;
    if (!part.empty()) std::filesystem::remove(part, ignored);
  }
};

MergedFileWriter::MergedFileWriter(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
MergedFileWriter::MergedFileWriter(MergedFileWriter&&) noexcept = default;
MergedFileWriter& MergedFileWriter::operator=(MergedFileWriter&&) noexcept = default;
MergedFileWriter::~MergedFileWriter() = default;

Result<MergedFileWriter> MergedFileWriter::create(const std::filesystem::path& path, const Trace& trace) {
  const h5::Quiet quiet;
  std::filesystem::path part = path;
  part += ".part";
  MERIDIAN_TRY(h5::File file, h5::create_file(part));
  auto impl = std::make_unique<Impl>(path, std::move(part), std::move(file));
  MERIDIAN_TRY_DO(h5::write_attribute(impl->file.get(), "schema", kMergedSchema));
  MERIDIAN_TRY_DO(h5::write_attribute(impl->file.get(), "version", kMergedSchemaVersion));
  MERIDIAN_TRY_DO(impl->events.open());
  if (trace.has_sites) {
    MERIDIAN_TRY(impl->places, PlaceColumns::open(impl->file.get(), *trace.paths, trace.has_stacks));
  }
  MERIDIAN_TRY_DO(impl->messages.open());
  MERIDIAN_TRY_DO(impl->collectives.open());
  return MergedFileWriter{std::move(impl)};
}

Status MergedFileWriter::append(std::span<const EventRow> rows) {
  if (impl_->places) MERIDIAN_TRY_DO(impl_->places->append(rows));
  return impl_->events.append(rows);
}

Status MergedFileWriter::append(std::span<const MatchedMessage> rows) { return impl_->messages.append(rows); }
Status MergedFileWriter::append(std::span<const CollectivePart> rows) { return impl_->collectives.append(rows); }

Status MergedFileWriter::write_counter_names(const CounterTotals& totals) {
  const hid_t file = impl_->file.get();
  MERIDIAN_TRY_DO(h5::write_strings(file, "counters/name", totals.names));
  MERIDIAN_TRY_DO(h5::write_strings(file, "counters/unit", totals.units));
  MERIDIAN_TRY(impl_->counters, open_counters(file));
  return {};
}

Status MergedFileWriter::append(const CounterRows& rows) {
  const std::vector<std::int32_t> ranks(rows.sequence.size(), rows.rank);
  const std::vector<std::uint32_t> threads(rows.sequence.size(), rows.thread);
  CounterColumns& columns = *impl_->counters;
  MERIDIAN_TRY_DO(columns.rank.append(std::span<const std::int32_t>{ranks}));
  MERIDIAN_TRY_DO(columns.thread.append(std::span<const std::uint32_t>{threads}));
  MERIDIAN_TRY_DO(columns.sequence.append(std::span<const std::uint64_t>{rows.sequence}));
  MERIDIAN_TRY_DO(columns.value.append(std::span<const std::int64_t>{rows.value}));
  return columns.between.append(std::span<const std::int64_t>{rows.between});
}

Status MergedFileWriter::write_definitions(const Trace& trace, std::span<const SourcePlace> places) {
  const hid_t file = impl_->file.get();
  MERIDIAN_TRY_DO(h5::write_attribute(file, "time_origin_realtime_ns", trace.clocks.origin_realtime_ns));
  MERIDIAN_TRY_DO(write_calls(file, trace.calls));
  MERIDIAN_TRY_DO(write_communicators(file, trace.communicators));
  MERIDIAN_TRY_DO(write_sites(file, *trace.sites, places));
  if (trace.has_stacks) MERIDIAN_TRY_DO(write_paths(file, *trace.paths));
  MERIDIAN_TRY_DO(write_clock_bounds(file, trace.clocks.bounds));
  return write_places(file, trace);
}

Status MergedFileWriter::write_clocks(const ClockReport& report) {
  return write_clock_report(impl_->file.get(), report);
}

Status MergedFileWriter::finish(const Summary& summary) {
  const h5::Quiet quiet;
  MERIDIAN_TRY_DO(impl_->events.finish());
  if (impl_->places) MERIDIAN_TRY_DO(impl_->places->finish());
  MERIDIAN_TRY_DO(impl_->messages.finish());
  MERIDIAN_TRY_DO(impl_->collectives.finish());
  if (impl_->counters) MERIDIAN_TRY_DO(impl_->counters->finish());
  const hid_t file = impl_->file.get();
  MERIDIAN_TRY_DO(write_summary(file, summary));
  if (h5::exists(file, "summary/findings") &&
      H5Lcreate_hard(file, "summary/findings", file, "findings", H5P_DEFAULT, H5P_DEFAULT) < 0)
    return h5::failure(Errc::io, "cannot link '/findings'");
  MERIDIAN_TRY_DO(h5::close_file(impl_->file, impl_->part));
  std::error_code problem;
  std::filesystem::rename(impl_->part, impl_->path, problem);
  if (problem)
    return Error{Errc::io,
                 "cannot rename '" + impl_->part.string() + "' to '" + impl_->path.string() + "': " + problem.message(),
                 "remove what is there, or choose another output"};
  impl_->part.clear();
  return {};
}

}  // namespace meridian
