#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "trace/format/column.hpp"
#include "trace/format/dictionary.hpp"
#include "trace/format/rank_schema.hpp"

namespace meridian {
namespace {

constexpr int kLevel = 1;  // level 6 takes twice as long for 1 to 2 % less (FORMAT.md)

// A column that comes into being with its first element.
class LazyColumn {
 public:
  template <class T>
  Status append(hid_t file, const char* path, const char* unit, std::span<const T> values) {
    if (values.empty()) return {};
    if (!column_) {
      auto made = ColumnWriter::create(file, path, column_type<T>, {.level = kLevel, .is_narrow = true, .unit = unit});
      if (!made) return std::move(made).error();
      column_.emplace(*std::move(made));
    }
    return column_->append(values);
  }
  Status finish() { return column_ ? column_->finish() : Status{}; }

 private:
  std::optional<ColumnWriter> column_;
};

// Columns on their way from rows to the file; kept, because fresh memory costs as much as compressing it.
using Scratch = std::tuple<std::vector<std::uint8_t>, std::vector<std::int32_t>, std::vector<std::uint32_t>,
                           std::vector<std::int64_t>, std::vector<std::uint64_t>, std::vector<std::uint16_t>>;
template <class T>
std::vector<T>& room_for(Scratch& scratch, std::size_t count) {
  auto& values = std::get<std::vector<T>>(scratch);
  values.resize(count);
  return values;
}

// One event table: rows of `Row` by columns.
template <class Row>
class TableColumns {
  static constexpr auto& kColumns = rank_schema::kColumns<Row>;
  static constexpr std::size_t kCount = std::tuple_size_v<std::remove_cvref_t<decltype(kColumns)>>;

 public:
  Status append(hid_t file, Dictionary& dictionary, Scratch& scratch, const std::vector<Row>& rows) {
    if (rows.empty()) return {};
    return append_all(file, dictionary, scratch, rows, std::make_index_sequence<kCount>{});
  }
  Status finish() {
    for (LazyColumn& column : columns_) MERIDIAN_TRY_DO(column.finish());
    return {};
  }

 private:
  template <std::size_t... I>
  Status append_all(hid_t file, Dictionary& dictionary, Scratch& scratch, const std::vector<Row>& rows,
                    std::index_sequence<I...>) {
    Status status;
    static_cast<void>(
        ((status = append_one(file, dictionary, scratch, rows, std::get<I>(kColumns), columns_[I]), bool{status}) &&
         ...));
    return status;
  }

  template <class T>
  Status append_one(hid_t file, Dictionary& dictionary, Scratch& scratch, const std::vector<Row>& rows,
                    const rank_schema::Column<Row, T>& column, LazyColumn& target) {
    if (column.is_index) {
      auto& values = room_for<std::uint32_t>(scratch, rows.size());
      std::uint64_t last = 0;  // communicators and windows rarely change from row to row
      std::uint32_t number = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto value = static_cast<std::uint64_t>(rows[i].*column.member);
        if (value != last) {
          last = value;
          number = dictionary.number_of(value);
        }
        values[i] = number;
      }
      return target.append<std::uint32_t>(file, column.path, column.unit, values);
    }
    auto& values = room_for<T>(scratch, rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) values[i] = rows[i].*column.member;
    return target.append<T>(file, column.path, column.unit, values);
  }

  std::array<LazyColumn, kCount> columns_;
};

}  // namespace

struct RankFileWriter::Impl {
  std::filesystem::path path;
  std::filesystem::path part;  // where it grows
  h5::File file;
  bool is_finished = false;

  Dictionary dictionary;
  Scratch scratch;
  std::array<std::uint16_t, kCallCount> call_numbers{};  // 0: not used yet, or CallId::none
  std::vector<SegmentRow> segments;
  std::vector<CallId> calls{CallId::none};  // index: number in this file
  std::vector<std::string> call_names{""};

  LazyColumn gap, duration, call, payload, flags, completions;
  TableColumns<PointToPoint> p2p;
  TableColumns<Collective> coll;
  TableColumns<Completion> completion_rows;
  TableColumns<Rma> rma;
  TableColumns<FileAccess> io;
  TableColumns<HandleUse> handles;
  TableColumns<UserUse> user;
  TableColumns<LockUse> locks;
  TableColumns<ThreadOp> thread_ops;
  LazyColumn sites, nodes, counters, counters_between, user_values, dictionary_values;

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (is_finished || part.empty()) return;
    (void)file.close();
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
  }

  std::uint16_t number_of(CallId id) {
    const auto index = static_cast<std::size_t>(id);
    if (id == CallId::none || index >= kCallCount) return 0;
    if (call_numbers[index] == 0) {
      call_numbers[index] = static_cast<std::uint16_t>(calls.size());
      calls.push_back(id);
      call_names.emplace_back(info(id).name);
    }
    return call_numbers[index];
  }

  // Times as what lies between them. Arithmetic modulo 2^64, so exact whatever the clocks say.
  Status append_times(const EventBatch& batch) {
    const std::size_t count = batch.enter_ticks.size();
    auto& gaps = room_for<std::int64_t>(scratch, count);
    auto& durations = room_for<std::uint64_t>(scratch, count);
    std::uint64_t left = batch.enter_ticks[0];
    for (std::size_t i = 0; i < count; ++i) {
      gaps[i] = static_cast<std::int64_t>(batch.enter_ticks[i] - left);
      durations[i] = batch.leave_ticks[i] - batch.enter_ticks[i];
      left = batch.leave_ticks[i];
    }
    MERIDIAN_TRY_DO(gap.append<std::int64_t>(file.get(), "events/gap", "ticks", gaps));
    return duration.append<std::uint64_t>(file.get(), "events/duration", "ticks", durations);
  }

  Status append_events(const EventBatch& batch) {
    MERIDIAN_TRY_DO(append_times(batch));
    auto& numbers = room_for<std::uint16_t>(scratch, batch.call.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = number_of(batch.call[i]);
    static_assert(sizeof(Payload) == 1);
    const std::span payloads{reinterpret_cast<const std::uint8_t*>(batch.payload.data()), batch.payload.size()};
    MERIDIAN_TRY_DO(call.append<std::uint16_t>(file.get(), "events/call", "", numbers));
    MERIDIAN_TRY_DO(payload.append<std::uint8_t>(file.get(), "events/payload", "", payloads));
    MERIDIAN_TRY_DO(flags.append<std::uint8_t>(file.get(), "events/flags", "", batch.flags));
    return completions.append<std::uint32_t>(file.get(), "events/completions", "", batch.completion_count);
  }

  Status finish_columns() {
    MERIDIAN_TRY_DO(dictionary_values.append<std::uint64_t>(file.get(), "dictionary", "", dictionary.take_new()));
    for (LazyColumn* column : {&gap, &duration, &call, &payload, &flags, &completions, &sites, &nodes, &counters,
                               &counters_between, &user_values, &dictionary_values})
      MERIDIAN_TRY_DO(column->finish());
    MERIDIAN_TRY_DO(p2p.finish());
    MERIDIAN_TRY_DO(coll.finish());
    MERIDIAN_TRY_DO(completion_rows.finish());
    MERIDIAN_TRY_DO(rma.finish());
    MERIDIAN_TRY_DO(io.finish());
    MERIDIAN_TRY_DO(user.finish());
    MERIDIAN_TRY_DO(handles.finish());
    MERIDIAN_TRY_DO(locks.finish());
    return thread_ops.finish();
  }
};

RankFileWriter::RankFileWriter(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
RankFileWriter::RankFileWriter(RankFileWriter&&) noexcept = default;
RankFileWriter& RankFileWriter::operator=(RankFileWriter&&) noexcept = default;
RankFileWriter::~RankFileWriter() = default;

Result<RankFileWriter> RankFileWriter::create(const std::filesystem::path& path) {
  auto impl = std::make_unique<Impl>();
  auto part = path;
  part += ".part";
  MERIDIAN_TRY(impl->file, h5::create_file(part));
  impl->path = path;
  impl->part = std::move(part);
  return RankFileWriter{std::move(impl)};
}

Status RankFileWriter::append(ThreadId thread, const EventBatch& batch) {
  if (batch.enter_ticks.empty()) return {};
  const std::size_t events = batch.enter_ticks.size();
  MERIDIAN_CHECK(batch.leave_ticks.size() == events && batch.call.size() == events && batch.payload.size() == events &&
                 batch.flags.size() == events && batch.completion_count.size() == events &&
                 batch.counters.size() == batch.counters_between.size() &&
                 (batch.nodes.empty() || batch.nodes.size() == batch.sites.size()));
  impl_->segments.push_back({.thread = thread.value,
                             .first_ticks = batch.enter_ticks[0],
                             .events = events,
                             .p2p = batch.p2p.size(),
                             .coll = batch.coll.size(),
                             .completions = batch.completions.size(),
                             .rma = batch.rma.size(),
                             .io = batch.io.size(),
                             .handles = batch.handles.size(),
                             .locks = batch.locks.size(),
                             .thread_ops = batch.thread_ops.size(),
                             .sites = batch.sites.size(),
                             .nodes = batch.nodes.size(),
                             .counters = batch.counters.size(),
                             .user = batch.user.size(),
                             .user_values = batch.user_values.size()});
  const hid_t file = impl_->file.get();
  MERIDIAN_TRY_DO(impl_->append_events(batch));
  MERIDIAN_TRY_DO(impl_->p2p.append(file, impl_->dictionary, impl_->scratch, batch.p2p));
  MERIDIAN_TRY_DO(impl_->coll.append(file, impl_->dictionary, impl_->scratch, batch.coll));
  MERIDIAN_TRY_DO(impl_->completion_rows.append(file, impl_->dictionary, impl_->scratch, batch.completions));
  MERIDIAN_TRY_DO(impl_->rma.append(file, impl_->dictionary, impl_->scratch, batch.rma));
  MERIDIAN_TRY_DO(impl_->io.append(file, impl_->dictionary, impl_->scratch, batch.io));
  MERIDIAN_TRY_DO(impl_->handles.append(file, impl_->dictionary, impl_->scratch, batch.handles));
  MERIDIAN_TRY_DO(impl_->user.append(file, impl_->dictionary, impl_->scratch, batch.user));
  MERIDIAN_TRY_DO(impl_->user_values.append<std::uint64_t>(file, "user/value", "", batch.user_values));
  MERIDIAN_TRY_DO(impl_->locks.append(file, impl_->dictionary, impl_->scratch, batch.locks));
  MERIDIAN_TRY_DO(impl_->thread_ops.append(file, impl_->dictionary, impl_->scratch, batch.thread_ops));
  auto& sites = room_for<std::uint32_t>(impl_->scratch, batch.sites.size());
  for (std::size_t i = 0; i < sites.size(); ++i) sites[i] = impl_->dictionary.number_of(batch.sites[i]);
  MERIDIAN_TRY_DO(impl_->sites.append<std::uint32_t>(file, "sites/address", "", sites));
  MERIDIAN_TRY_DO(impl_->nodes.append<std::uint32_t>(file, "sites/node", "", batch.nodes));
  MERIDIAN_TRY_DO(impl_->counters.append<std::int64_t>(file, "counters/value", "", batch.counters));
  MERIDIAN_TRY_DO(impl_->counters_between.append<std::int64_t>(file, "counters/between", "", batch.counters_between));
  return impl_->dictionary_values.append<std::uint64_t>(file, "dictionary", "", impl_->dictionary.take_new());
}

Status RankFileWriter::finish(const RankMeta& meta) {
  MERIDIAN_TRY_DO(impl_->finish_columns());
  RankMeta stored = meta;
  for (CommRow& row : stored.comms) row.call = impl_->number_of(static_cast<CallId>(row.call));
  for (PassedRow& row : stored.passed) row.call = impl_->number_of(static_cast<CallId>(row.call));
  stored.segments = std::move(impl_->segments);
  stored.calls = impl_->calls;
  stored.call_names = impl_->call_names;
  MERIDIAN_TRY_DO(rank_schema::write_meta(impl_->file.get(), stored));
  MERIDIAN_TRY_DO(h5::close_file(impl_->file, impl_->part));
  std::error_code problem;
  std::filesystem::rename(impl_->part, impl_->path, problem);
  if (problem)
    return Error{Errc::io,
                 "cannot rename '" + impl_->part.string() + "' to '" + impl_->path.string() + "': " + problem.message(),
                 ""};
  impl_->is_finished = true;
  return {};
}

std::string rank_file_name(std::int32_t rank) {
  char name[32];
  std::snprintf(name, sizeof name, "rank-%05d.h5", rank);
  return name;
}

}  // namespace meridian
