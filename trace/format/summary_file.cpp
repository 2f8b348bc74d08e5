#include "trace/format/summary_file.hpp"

#include <algorithm>
#include <tuple>
#include <type_traits>

#include "trace/format/column.hpp"
#include "trace/format/h5.hpp"
#include "trace/format/summary_columns.hpp"
#include "trace/format/table.hpp"

// /summary is a group per table and in it a dataset per column, all columns of a table equally long:
//
//   pandas.DataFrame({name: column[:] for name, column in file["summary/functions"].items()})

namespace meridian {
namespace {

constexpr const char* kGroup = "summary";
constexpr const char* kSchema = "meridian-summary";
constexpr std::int64_t kVersion = 1;
/// No file has more rows in a table than this many per byte of the file: a row has several columns, and is larger in
/// memory than what it takes there.
constexpr std::uint64_t kRowsPerByte = 1;

using summary_columns::Column;

struct Reversed {
  std::uint64_t before = 0;
  std::uint64_t after = 0;
};
struct UserMessages {
  std::uint64_t matched = 0;
  std::uint64_t bytes = 0;
};
struct ClockRank {
  std::uint32_t clock = 0;  ///< row of /summary/clocks
  std::int32_t rank = 0;
};

constexpr std::tuple kRunColumns{Column{"executable", &RunSummary::executable},
                                 Column{"mpi_library", &RunSummary::mpi_library},
                                 Column{"ranks_expected", &RunSummary::ranks_expected},
                                 Column{"ranks_present", &RunSummary::ranks_present},
                                 Column{"threads", &RunSummary::threads},
                                 Column{"hosts", &RunSummary::hosts},
                                 Column{"begin_realtime_ns", &RunSummary::begin_realtime_ns, "ns"},
                                 Column{"time_s", &RunSummary::time_s, "s"},
                                 Column{"calls", &RunSummary::calls},
                                 Column{"trace_bytes", &RunSummary::trace_bytes, "bytes"}};
constexpr std::tuple kRankColumns{Column{"rank", &RankSummary::rank},
                                  Column{"host", &RankSummary::host},
                                  Column{"threads", &RankSummary::threads},
                                  Column{"calls", &RankSummary::calls},
                                  Column{"time_s", &RankSummary::time_s, "s"},
                                  Column{"mpi_s", &RankSummary::mpi_s, "s"},
                                  Column{"messages_sent", &RankSummary::messages_sent},
                                  Column{"bytes_sent", &RankSummary::bytes_sent, "bytes"},
                                  Column{"messages_received", &RankSummary::messages_received},
                                  Column{"bytes_received", &RankSummary::bytes_received, "bytes"}};
constexpr std::tuple kFunctionColumns{Column{"name", &FunctionSummary::name},
                                      Column{"group", &FunctionSummary::group},
                                      Column{"count", &FunctionSummary::count},
                                      Column{"total_s", &FunctionSummary::total_s, "s"},
                                      Column{"mean_s", &FunctionSummary::mean_s, "s"},
                                      Column{"min_s", &FunctionSummary::min_s, "s"},
                                      Column{"max_s", &FunctionSummary::max_s, "s"},
                                      Column{"sd_s", &FunctionSummary::sd_s, "s"},
                                      Column{"bytes_sent", &FunctionSummary::bytes_sent, "bytes"},
                                      Column{"bytes_received", &FunctionSummary::bytes_received, "bytes"}};
constexpr std::tuple kSiteColumns{Column{"function", &SiteSummary::function},
                                  Column{"caller", &SiteSummary::caller},
                                  Column{"outer", &SiteSummary::outer},
                                  Column{"file", &SiteSummary::file},
                                  Column{"line", &SiteSummary::line},
                                  Column{"column", &SiteSummary::column},
                                  Column{"module", &SiteSummary::module},
                                  Column{"offset", &SiteSummary::offset},
                                  Column{"count", &SiteSummary::count},
                                  Column{"ranks", &SiteSummary::ranks},
                                  Column{"total_s", &SiteSummary::total_s, "s"},
                                  Column{"mean_s", &SiteSummary::mean_s, "s"},
                                  Column{"min_s", &SiteSummary::min_s, "s"},
                                  Column{"max_s", &SiteSummary::max_s, "s"},
                                  Column{"sd_s", &SiteSummary::sd_s, "s"},
                                  Column{"share", &SiteSummary::share},
                                  Column{"bytes_sent", &SiteSummary::bytes_sent, "bytes"},
                                  Column{"bytes_received", &SiteSummary::bytes_received, "bytes"}};
constexpr std::tuple kMessageColumns{
    Column{"matched", &MessageSummary::matched},
    Column{"bytes", &MessageSummary::bytes, "bytes"},
    Column{"unmatched_sends", &MessageSummary::unmatched_sends},
    Column{"unmatched_receives", &MessageSummary::unmatched_receives},
    Column{"collectives", &MessageSummary::collectives},
    Column{"collective_calls", &MessageSummary::collective_calls},
    Column{"collective_bytes_sent", &MessageSummary::collective_bytes_sent, "bytes"},
    Column{"collective_bytes_received", &MessageSummary::collective_bytes_received, "bytes"}};
constexpr std::tuple kPairColumns{Column{"source", &PairSummary::source}, Column{"dest", &PairSummary::dest},
                                  Column{"messages", &PairSummary::messages},
                                  Column{"bytes", &PairSummary::bytes, "bytes"}};
constexpr std::tuple kClockColumns{Column{"host", &ClockSummary::host},
                                   Column{"domain", &ClockSummary::domain},
                                   Column{"leader", &ClockSummary::leader},
                                   Column{"clock", &ClockSummary::clock},
                                   Column{"model", &ClockSummary::model},
                                   Column{"frequency_hz", &ClockSummary::frequency_hz, "Hz"},
                                   Column{"offset_s", &ClockSummary::offset_s, "s"},
                                   Column{"drift_ppm", &ClockSummary::drift_ppm, "ppm"},
                                   Column{"residual_s", &ClockSummary::residual_s, "s"},
                                   Column{"offset_error_s", &ClockSummary::offset_error_s, "s"},
                                   Column{"drift_error_ppm", &ClockSummary::drift_error_ppm, "ppm"},
                                   Column{"rtt_min_s", &ClockSummary::rtt_min_s, "s"},
                                   Column{"rtt_median_s", &ClockSummary::rtt_median_s, "s"},
                                   Column{"exchanges", &ClockSummary::exchanges},
                                   Column{"exchanges_dropped", &ClockSummary::exchanges_dropped},
                                   Column{"t1_s", &ClockSummary::t1_s, "s"},
                                   Column{"t2_s", &ClockSummary::t2_s, "s"}};
constexpr std::tuple kClockModelColumns{Column{"name", &ClockModelSummary::name},
                                        Column{"is_chosen", &ClockModelSummary::is_chosen},
                                        Column{"messages", &ClockModelSummary::messages},
                                        Column{"reversed", &ClockModelSummary::reversed},
                                        Column{"worst_s", &ClockModelSummary::worst_s, "s"},
                                        Column{"residual_s", &ClockModelSummary::residual_s, "s"}};
constexpr std::tuple kClockRankColumns{Column{"clock", &ClockRank::clock}, Column{"rank", &ClockRank::rank}};
constexpr std::tuple kReversedColumns{Column{"before", &Reversed::before}, Column{"after", &Reversed::after}};
constexpr std::tuple kRegionColumns{Column{"name", &RegionSummary::name},
                                    Column{"count", &RegionSummary::count},
                                    Column{"total_s", &RegionSummary::total_s, "s"},
                                    Column{"exclusive_s", &RegionSummary::exclusive_s, "s"},
                                    Column{"mpi_s", &RegionSummary::mpi_s, "s"},
                                    Column{"min_s", &RegionSummary::min_s, "s"},
                                    Column{"max_s", &RegionSummary::max_s, "s"}};
constexpr std::tuple kUserEventColumns{
    Column{"kind", &UserEventSummary::kind}, Column{"level", &UserEventSummary::level},
    Column{"name", &UserEventSummary::name}, Column{"count", &UserEventSummary::count},
    Column{"min", &UserEventSummary::min},   Column{"mean", &UserEventSummary::mean},
    Column{"max", &UserEventSummary::max},   Column{"last", &UserEventSummary::last}};
constexpr std::tuple kPassedColumns{Column{"rank", &PassedSummary::rank}, Column{"name", &PassedSummary::name},
                                    Column{"group", &PassedSummary::group}, Column{"count", &PassedSummary::count}};
constexpr std::tuple kUserMessageColumns{Column{"matched", &UserMessages::matched},
                                         Column{"bytes", &UserMessages::bytes, "bytes"}};
constexpr std::tuple kOverheadColumns{Column{"name", &OverheadSummary::name}, Column{"count", &OverheadSummary::count},
                                      Column{"total_s", &OverheadSummary::total_s, "s"},
                                      Column{"share", &OverheadSummary::share}};
constexpr std::tuple kLockColumns{Column{"rank", &LockSummary::rank},
                                  Column{"kind", &LockSummary::kind},
                                  Column{"object", &LockSummary::object},
                                  Column{"lives", &LockSummary::lives},
                                  Column{"acquisitions", &LockSummary::acquisitions},
                                  Column{"contended", &LockSummary::contended},
                                  Column{"wait_s", &LockSummary::wait_s, "s"},
                                  Column{"longest_s", &LockSummary::longest_s, "s"},
                                  Column{"most_waiters", &LockSummary::most_waiters},
                                  Column{"holder", &LockSummary::holder},
                                  Column{"held", &LockSummary::held},
                                  Column{"waiter", &LockSummary::waiter},
                                  Column{"waited", &LockSummary::waited}};
constexpr std::tuple kThreadColumns{Column{"rank", &ThreadSummary::rank},
                                    Column{"thread", &ThreadSummary::thread},
                                    Column{"name", &ThreadSummary::name},
                                    Column{"routine", &ThreadSummary::routine},
                                    Column{"creator", &ThreadSummary::creator},
                                    Column{"kernel_tid", &ThreadSummary::kernel_tid},
                                    Column{"begin_s", &ThreadSummary::begin_s, "s"},
                                    Column{"life_s", &ThreadSummary::life_s, "s"},
                                    Column{"calls", &ThreadSummary::calls}};
constexpr std::tuple kLaterThreadColumns{Column{"routine_name", &ThreadSummary::routine_name}};
// Severities are numbers: 0 info, 1 data_loss, 2 error.
constexpr std::tuple kFindingColumns{Column{"name", &Finding::name}, Column{"severity", &Finding::severity},
                                     Column{"count", &Finding::count}, Column{"text", &Finding::text},
                                     Column{"detail", &Finding::detail}};

/// What a member is on disk: an enum is its number.
template <class Value>
struct Stored {
  using type = Value;
};
template <>
struct Stored<Severity> {
  using type = std::uint8_t;
};
template <>
struct Stored<bool> {
  using type = std::uint8_t;
};

template <class Row, class Value>
Status write_column(hid_t table, const std::vector<Row>& rows, const Column<Row, Value>& column) {
  using OnDisk = typename Stored<Value>::type;
  std::vector<OnDisk> values;
  values.reserve(rows.size());
  for (const Row& row : rows) values.push_back(static_cast<OnDisk>(row.*column.member));
  if constexpr (std::is_same_v<OnDisk, std::string>) {
    return h5::write_strings(table, column.name, values);
  } else {
    ColumnOptions options;
    options.unit = column.unit;
    MERIDIAN_TRY(ColumnWriter writer, ColumnWriter::create(table, column.name, column_type<OnDisk>, options));
    MERIDIAN_TRY_DO(writer.append(std::span<const OnDisk>{values}));
    return writer.finish();
  }
}

template <class Row, class... Columns>
Status write_table(hid_t summary, const char* name, const std::vector<Row>& rows,
                   const std::tuple<Columns...>& columns) {
  MERIDIAN_TRY(const h5::Group table, h5::create_group(summary, name));
  Status status;
  const auto write_next = [&](const auto& column) {
    if (status) status = write_column(table.get(), rows, column);
  };
  std::apply([&](const auto&... column) { (write_next(column), ...); }, columns);
  return status;
}

Error damaged(const std::string& what) {
  return Error{Errc::damaged, "cannot read the summary: " + what, "make the merged file again with `meridian merge`"};
}

/// The values of one column; `rows` is empty for the first column of a table, and has its length afterwards.
template <class Row, class Value>
Status read_column(hid_t table, std::vector<Row>& rows, bool is_first, const Column<Row, Value>& column) {
  using OnDisk = typename Stored<Value>::type;
  std::vector<OnDisk> values;
  if constexpr (std::is_same_v<OnDisk, std::string>) {
    MERIDIAN_TRY(values, h5::read_strings(table, column.name));
  } else {
    MERIDIAN_TRY(ColumnReader reader, ColumnReader::open(table, column.name));
    if (reader.size() > kRowsPerByte * h5::file_bytes(table) || (!is_first && reader.size() != rows.size()))
      return damaged("column '" + std::string{column.name} + "' is too long");
    values.resize(reader.size());
    MERIDIAN_TRY_DO(reader.read(0, std::span<OnDisk>{values}));
  }
  if (is_first) rows.resize(values.size());
  if (values.size() != rows.size()) return damaged("column '" + std::string{column.name} + "' has another length");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if constexpr (std::is_same_v<Value, Severity>)
      if (values[i] > static_cast<std::uint8_t>(Severity::error)) return damaged("there is no such severity");
    rows[i].*column.member = static_cast<Value>(std::move(values[i]));
  }
  return {};
}

template <class Row, class... Columns>
Status read_table(hid_t summary, const char* name, std::vector<Row>& rows, const std::tuple<Columns...>& columns) {
  MERIDIAN_TRY(const h5::Group table, h5::open_group(summary, name));
  Status status;
  bool is_first = true;
  const auto read_next = [&](const auto& column) {
    if (status) status = read_column(table.get(), rows, is_first, column);
    is_first = false;
  };
  std::apply([&](const auto&... column) { (read_next(column), ...); }, columns);
  if (!status) status.error().what += " (table '" + std::string{name} + "')";
  return status;
}

/// Tables that came later, and are left out where they would be empty.
template <class Row, class... Columns>
Status read_if_there(hid_t summary, const char* name, std::vector<Row>& rows, const std::tuple<Columns...>& columns) {
  return h5::exists(summary, name) ? read_table(summary, name, rows, columns) : Status{};
}
template <class Row, class... Columns>
Status write_if_any(hid_t summary, const char* name, const std::vector<Row>& rows,
                    const std::tuple<Columns...>& columns) {
  return rows.empty() ? Status{} : write_table(summary, name, rows, columns);
}

template <class Row, class... Columns>
Status read_only_row(hid_t summary, const char* name, Row& row, const std::tuple<Columns...>& columns) {
  std::vector<Row> rows;
  MERIDIAN_TRY_DO(read_table(summary, name, rows, columns));
  if (rows.size() != 1) return damaged("table '" + std::string{name} + "' has not one row");
  row = std::move(rows.front());
  return {};
}

/// Tables that came to the format later: without them there is nothing of their kind.
Status read_user_tables(hid_t group, Summary& summary) {
  if (!h5::exists(group, "regions")) return {};
  UserMessages messages;
  MERIDIAN_TRY_DO(read_table(group, "regions", summary.regions, kRegionColumns));
  MERIDIAN_TRY_DO(read_table(group, "user_events", summary.user_events, kUserEventColumns));
  MERIDIAN_TRY_DO(read_only_row(group, "user_messages", messages, kUserMessageColumns));
  if (h5::exists(group, "passed")) MERIDIAN_TRY_DO(read_table(group, "passed", summary.passed, kPassedColumns));
  summary.user_messages = messages.matched;
  summary.user_message_bytes = messages.bytes;
  return {};
}

Status read_clocks(hid_t group, Summary& summary) {
  std::vector<ClockRank> ranks;
  MERIDIAN_TRY_DO(read_table(group, "clocks", summary.clocks, kClockColumns));
  MERIDIAN_TRY_DO(read_table(group, "clock_ranks", ranks, kClockRankColumns));
  MERIDIAN_TRY_DO(read_table(group, "clock_models", summary.clock_models, kClockModelColumns));
  for (const ClockRank& row : ranks) {
    if (row.clock >= summary.clocks.size()) return damaged("a rank has a clock that is not there");
    summary.clocks[row.clock].ranks.push_back(row.rank);
  }
  return {};
}

Status read_tables(hid_t group, Summary& summary) {
  Reversed reversed;
  MERIDIAN_TRY_DO(read_only_row(group, "run", summary.run, kRunColumns));
  MERIDIAN_TRY_DO(read_table(group, "ranks", summary.ranks, kRankColumns));
  MERIDIAN_TRY_DO(read_table(group, "functions", summary.functions, kFunctionColumns));
  // Files of a time without call sites do not have this one.
  if (h5::exists(group, "sites")) MERIDIAN_TRY_DO(read_table(group, "sites", summary.sites, kSiteColumns));
  MERIDIAN_TRY_DO(read_only_row(group, "messages", summary.messages, kMessageColumns));
  MERIDIAN_TRY_DO(read_table(group, "pairs", summary.pairs, kPairColumns));
  MERIDIAN_TRY_DO(read_clocks(group, summary));
  MERIDIAN_TRY_DO(read_only_row(group, "reversed", reversed, kReversedColumns));
  MERIDIAN_TRY_DO(read_table(group, "overhead", summary.overhead, kOverheadColumns));
  MERIDIAN_TRY_DO(read_if_there(group, "locks", summary.locks, kLockColumns));
  MERIDIAN_TRY_DO(read_if_there(group, "threads", summary.threads, kThreadColumns));
  if (h5::exists(group, "threads/routine_name"))
    MERIDIAN_TRY_DO(read_table(group, "threads", summary.threads, kLaterThreadColumns));
  MERIDIAN_TRY_DO(read_table(group, "findings", summary.findings, kFindingColumns));
  Status status;
  summary_columns::for_each_table(summary, [&](const char* name, auto& rows, const auto& columns) {
    if (status && h5::exists(group, name)) status = read_table(group, name, rows, columns);
  });
  MERIDIAN_TRY_DO(status);
  MERIDIAN_TRY_DO(read_user_tables(group, summary));
  summary.reversed_before = reversed.before;
  summary.reversed_after = reversed.after;
  return {};
}

}  // namespace

Status write_summary(std::int64_t file, const Summary& summary) {
  MERIDIAN_TRY(const h5::Group group, h5::create_group(file, kGroup));
  MERIDIAN_TRY_DO(h5::write_attribute(group.get(), "schema", kSchema));
  MERIDIAN_TRY_DO(h5::write_attribute(group.get(), "version", kVersion));
  std::vector<ClockRank> clock_ranks;
  for (std::size_t i = 0; i < summary.clocks.size(); ++i)
    for (const std::int32_t rank : summary.clocks[i].ranks)
      clock_ranks.push_back({static_cast<std::uint32_t>(i), rank});
  const std::vector<Reversed> reversed{{summary.reversed_before, summary.reversed_after}};
  MERIDIAN_TRY_DO(write_table(group.get(), "run", std::vector{summary.run}, kRunColumns));
  MERIDIAN_TRY_DO(write_table(group.get(), "ranks", summary.ranks, kRankColumns));
  MERIDIAN_TRY_DO(write_table(group.get(), "functions", summary.functions, kFunctionColumns));
  MERIDIAN_TRY_DO(write_table(group.get(), "sites", summary.sites, kSiteColumns));
  MERIDIAN_TRY_DO(write_table(group.get(), "messages", std::vector{summary.messages}, kMessageColumns));
  MERIDIAN_TRY_DO(write_table(group.get(), "pairs", summary.pairs, kPairColumns));
  MERIDIAN_TRY_DO(write_table(group.get(), "clocks", summary.clocks, kClockColumns));
  MERIDIAN_TRY_DO(write_table(group.get(), "clock_ranks", clock_ranks, kClockRankColumns));
  MERIDIAN_TRY_DO(write_table(group.get(), "clock_models", summary.clock_models, kClockModelColumns));
  MERIDIAN_TRY_DO(write_table(group.get(), "reversed", reversed, kReversedColumns));
  const std::vector<UserMessages> user_messages{{summary.user_messages, summary.user_message_bytes}};
  MERIDIAN_TRY_DO(write_table(group.get(), "regions", summary.regions, kRegionColumns));
  MERIDIAN_TRY_DO(write_table(group.get(), "user_events", summary.user_events, kUserEventColumns));
  MERIDIAN_TRY_DO(write_table(group.get(), "user_messages", user_messages, kUserMessageColumns));
  MERIDIAN_TRY_DO(write_table(group.get(), "passed", summary.passed, kPassedColumns));
  MERIDIAN_TRY_DO(write_table(group.get(), "overhead", summary.overhead, kOverheadColumns));
  MERIDIAN_TRY_DO(write_if_any(group.get(), "locks", summary.locks, kLockColumns));
  MERIDIAN_TRY_DO(
      write_if_any(group.get(), "threads", summary.threads, std::tuple_cat(kThreadColumns, kLaterThreadColumns)));
  Status status = write_table(group.get(), "findings", summary.findings, kFindingColumns);
  summary_columns::for_each_table(summary, [&](const char* name, const auto& rows, const auto& columns) {
    if (status && !rows.empty()) status = write_table(group.get(), name, rows, columns);
  });
  return status;
}

Result<Summary> read_summary(const std::filesystem::path& merged) {
  MERIDIAN_TRY(const h5::File file, h5::open_read_only(merged));
  std::string name = "'";
  name.append(merged.string()).append("'");
  const char* const hint = "give the merged.h5 that `meridian merge` made";
  auto group = h5::open_group(file.get(), kGroup);
  if (!group) return Error{group.error().code, name + " has no summary", hint};
  const auto schema = h5::read_string_attribute(group->get(), "schema");
  const auto version = h5::read_int_attribute(group->get(), "version");
  if (!schema || !version || *schema != kSchema)
    return Error{Errc::damaged, name + " has a group 'summary' that is not Meridian's", hint};
  if (*version != kVersion)
    return Error{Errc::unsupported,
                 name + " has a summary of version " + std::to_string(*version) + ", this program reads version " +
                     std::to_string(kVersion),
                 "use the version of meridian that made it, or merge again"};
  Summary summary;
  Status status = read_tables(group->get(), summary);
  if (!status) return h5::in_file(std::move(status).error(), "merged file", merged);
  return summary;
}

}  // namespace meridian
