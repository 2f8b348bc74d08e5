// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "trace/format/chunks/chunk_log.hpp"
#include "trace/format/chunks/state_archive.hpp"
#include "trace/format/rank/rank_schema.hpp"
#include "trace/format/tables/column.hpp"
#include "trace/format/tables/dictionary.hpp"
#include "trace/format/tables/temporary_files.hpp"

namespace meridian {
namespace {

constexpr int kRankFileLevel = 1;  // level 6 takes twice as long for 1 to 2 % less (FORMAT.md)

/// Destination of columns: a file or a log.
struct ColumnTarget {
  hid_t file = H5I_INVALID_HID;
  ChunkLogWriter* log = nullptr;
};

enum class Width : std::uint8_t {
  grows,   // in a log: with the values
  steady,  // in a log: the full width of the column's type from the start, because widening it later is slow
  noisy,   // the same; low bytes are noise
};

// A column that is created with its first element.
class LazyColumn {
 public:
  explicit LazyColumn(const AnyColumn& column, Width width = Width::grows) : described_{column}, width_{width} {
    if (column.form == ColumnForm::handle) described_.type = ColumnType::u32;  // row of the dictionary
  }
  void set_number(std::uint32_t number) noexcept { number_ = number; }

  template <class T>
  Status append(const ColumnTarget& target, std::span<const T> values) {
    if (values.empty()) return {};
    MERIDIAN_TRY_DO(open(target));
    return column_->append(values);
  }
  /// `values` have the column's type.
  Status append_raw(const ColumnTarget& target, const void* values, std::size_t count) {
    MERIDIAN_TRY_DO(open(target));
    return column_->append_raw(values, count);
  }
  Status finish() { return column_ ? column_->finish() : Status{}; }
  void drop() { column_.reset(); }

  Status adopt(const ColumnTarget& target, const LoggedChunk& chunk) {
    MERIDIAN_TRY_DO(open(target));
    return column_->adopt(chunk);
  }
  void save(StateWriter& archive) const {
    archive(path(), std::uint8_t{column_.has_value()});
    if (column_) column_->save(archive);
  }
  Result<bool> restore(const ColumnTarget& target, StateReader& archive) {
    std::string stored;
    std::uint8_t exists = 0;
    archive(stored, exists);
    if (!archive.is_good() || stored != path()) return false;
    if (exists == 0) return !column_.has_value();
    MERIDIAN_TRY_DO(open(target));
    return column_->restore(archive);
  }

 private:
  Status open(const ColumnTarget& target) {
    if (column_) return {};
    ColumnOptions options{
        .level = kRankFileLevel, .is_narrow = true, .is_noisy = width_ == Width::noisy, .unit = described_.unit};
    if (target.log != nullptr) {
      options.is_narrow = width_ == Width::grows;
      column_.emplace(ColumnWriter::create_in_log(*target.log, number_, described_.type, options));
      return {};
    }
    auto made = ColumnWriter::create(target.file, path(), described_.type, options);
    if (!made) return std::move(made).error();
    column_.emplace(*std::move(made));
    return {};
  }

  std::string path() const { return std::string{described_.name}; }

  AnyColumn described_;
  Width width_;
  std::uint32_t number_ = 0;
  std::optional<ColumnWriter> column_;
};

// Columns during their conversion from rows; kept, because fresh memory costs as much time as compression.
using Scratch = std::tuple<std::vector<std::uint8_t>, std::vector<std::int32_t>, std::vector<std::uint32_t>,
                           std::vector<std::int64_t>, std::vector<std::uint64_t>, std::vector<std::uint16_t>>;
template <class T>
std::vector<T>& room_for(Scratch& scratch, std::size_t count) {
  auto& values = std::get<std::vector<T>>(scratch);
  values.resize(count);
  return values;
}

// An event table, by columns. Handles are stored as rows of the dictionary.
class AnyTableTargets {
 public:
  explicit AnyTableTargets(std::span<const AnyColumn> columns) : columns_{columns} {
    for (const AnyColumn& column : columns) targets_.emplace_back(column);
  }

  Status append_rows(const ColumnTarget& file, Dictionary& dictionary, Scratch& scratch, const void* rows,
                     std::size_t count) {
    if (count == 0) return {};
    auto& values = room_for<std::uint64_t>(scratch, count);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const AnyColumn& column = columns_[i];
      column.get(rows, count, values.data(), width_of(column.type));
      if (column.form == ColumnForm::handle)
        MERIDIAN_TRY_DO(append_handles(file, dictionary, scratch, values, targets_[i]));
      else
        MERIDIAN_TRY_DO(targets_[i].append_raw(file, values.data(), count));
    }
    return {};
  }
  void add_to(std::vector<LazyColumn*>& all) {
    for (LazyColumn& column : targets_) all.push_back(&column);
  }

 private:
  static Status append_handles(const ColumnTarget& file, Dictionary& dictionary, Scratch& scratch,
                               std::span<const std::uint64_t> values, LazyColumn& target) {
    auto& numbers = room_for<std::uint32_t>(scratch, values.size());
    std::uint64_t last = 0;  // communicators and windows rarely change from row to row
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] != last) {
        last = values[i];
        number = dictionary.number_of(last);
      }
      numbers[i] = number;
    }
    return target.append<std::uint32_t>(file, numbers);
  }

  std::span<const AnyColumn> columns_;
  std::vector<LazyColumn> targets_;
};

template <class Row>
class TableTargets : public AnyTableTargets {
 public:
  TableTargets() : AnyTableTargets{rank_schema::columns<Row>()} {}
  Status append(const ColumnTarget& file, Dictionary& dictionary, Scratch& scratch, const std::vector<Row>& rows) {
    return append_rows(file, dictionary, scratch, rows.data(), rows.size());
  }
};

}  // namespace

struct RankFileWriter::Impl {
  std::filesystem::path path;
  std::filesystem::path part;  // temporary name of the file
  h5::File file;
  ColumnTarget target;
  bool is_finished = false;

  Dictionary dictionary;
  Scratch scratch;
  std::array<std::uint16_t, kCallCount> call_numbers{};  // 0: unused, or CallId::none
  std::vector<SegmentRow> segments;
  std::vector<CallId> calls{CallId::none};  // index: number in this file
  std::vector<std::string> call_names{""};

  LazyColumn gap{rank_schema::kGap, Width::noisy};
  LazyColumn duration{rank_schema::kDuration, Width::noisy};
  LazyColumn call{rank_schema::kCall};
  LazyColumn payload{rank_schema::kPayload};
  LazyColumn flags{rank_schema::kFlags};
  LazyColumn completions{rank_schema::kCompletionCount};
  TableTargets<PointToPoint> p2p;
  TableTargets<Collective> coll;
  TableTargets<Completion> completion_rows;
  TableTargets<Rma> rma;
  TableTargets<FileAccess> io;
  TableTargets<HandleUse> handles;
  TableTargets<UserUse> user;
  TableTargets<LockUse> locks;
  TableTargets<ThreadOp> thread_ops;
  TableTargets<PollUse> polls;
  LazyColumn sites{rank_schema::kSite};
  LazyColumn nodes{rank_schema::kNode};
  LazyColumn counters{rank_schema::kCounter, Width::noisy};
  LazyColumn counters_between{rank_schema::kCounterBetween, Width::noisy};
  LazyColumn user_values{rank_schema::kUserValue, Width::steady};
  LazyColumn dictionary_values{rank_schema::kDictionary, Width::steady};
  std::vector<LazyColumn*> columns;  // all columns; a column's index is its number in a log

  Impl() {
    columns = {&gap,   &duration, &call,     &payload,          &flags,       &completions,
               &sites, &nodes,    &counters, &counters_between, &user_values, &dictionary_values};
    AnyTableTargets* const tables[] = {&p2p,  &coll,    &completion_rows, &rma,        &io,
                                       &user, &handles, &locks,           &thread_ops, &polls};
    for (AnyTableTargets* const table : tables) table->add_to(columns);
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i]->set_number(static_cast<std::uint32_t>(i));
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (is_finished || part.empty()) return;
    for (LazyColumn* column : columns) column->drop();  // datasets before their file
    (void)file.close();
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    forget_temporary_file(part);
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

  // Stores times as differences, modulo 2^64, so that the values are exact for any clock.
  Status append_times(const EventBatch& batch) {
    const std::size_t count = batch.enter_ticks.size();
    auto& gaps = room_for<std::int64_t>(scratch, count);
    auto& durations = room_for<std::uint64_t>(scratch, count);
    gaps[0] = 0;
    for (std::size_t i = 1; i < count; ++i)
      gaps[i] = static_cast<std::int64_t>(batch.enter_ticks[i] - batch.leave_ticks[i - 1]);
    for (std::size_t i = 0; i < count; ++i) durations[i] = batch.leave_ticks[i] - batch.enter_ticks[i];
    MERIDIAN_TRY_DO(gap.append<std::int64_t>(target, gaps));
    return duration.append<std::uint64_t>(target, durations);
  }

  Status append_events(const EventBatch& batch) {
    MERIDIAN_TRY_DO(append_times(batch));
    auto& numbers = room_for<std::uint16_t>(scratch, batch.call.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto index = static_cast<std::size_t>(batch.call[i]);
      const std::uint16_t known = index < kCallCount ? call_numbers[index] : std::uint16_t{0};
      numbers[i] = known != 0 ? known : number_of(batch.call[i]);
    }
    static_assert(sizeof(Payload) == 1);
    const std::span payloads{reinterpret_cast<const std::uint8_t*>(batch.payload.data()), batch.payload.size()};
    MERIDIAN_TRY_DO(call.append<std::uint16_t>(target, numbers));
    MERIDIAN_TRY_DO(payload.append<std::uint8_t>(target, payloads));
    MERIDIAN_TRY_DO(flags.append<std::uint8_t>(target, batch.flags));
    return completions.append<std::uint32_t>(target, batch.completion_count);
  }

  Status finish_columns() {
    MERIDIAN_TRY_DO(dictionary_values.append<std::uint64_t>(target, dictionary.take_new()));
    for (LazyColumn* column : columns) MERIDIAN_TRY_DO(column->finish());
    return {};
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
  impl->target.file = impl->file.get();
  return RankFileWriter{std::move(impl)};
}

RankFileWriter RankFileWriter::into_log(ChunkLogWriter& log) {
  auto impl = std::make_unique<Impl>();
  impl->target.log = &log;
  return RankFileWriter{std::move(impl)};
}

std::int64_t RankFileWriter::id() const { return impl_->file.get(); }

void RankFileWriter::save(StateWriter& archive) const {
  archive(std::uint64_t{impl_->columns.size()});
  for (const LazyColumn* column : impl_->columns) column->save(archive);
  impl_->dictionary.save(archive);
  std::vector<std::uint16_t> calls;
  for (const CallId call : impl_->calls) calls.push_back(static_cast<std::uint16_t>(call));
  archive(calls, impl_->segments);
}

Status RankFileWriter::restore(StateReader& archive, ChunkLogReader* chunks) {
  const Error wrong{Errc::damaged, "the checkpoint contradicts itself: columns", ""};
  if (chunks != nullptr) {
    LoggedChunk chunk;
    for (;;) {
      MERIDIAN_TRY(const bool is_there, chunks->next(chunk));
      if (!is_there) break;
      if (chunk.column >= impl_->columns.size()) return wrong;
      MERIDIAN_TRY_DO(impl_->columns[chunk.column]->adopt(impl_->target, chunk));
    }
  }
  std::uint64_t count = 0;
  archive(count);
  if (count != impl_->columns.size()) return wrong;
  for (LazyColumn* column : impl_->columns) {
    MERIDIAN_TRY(const bool is_restored, column->restore(impl_->target, archive));
    if (!is_restored) return wrong;
  }
  std::vector<std::uint16_t> calls;
  if (!impl_->dictionary.restore(archive)) return wrong;
  archive(calls, impl_->segments);
  if (!archive.is_good() || calls.empty() || calls.size() > kCallCount) return wrong;
  for (std::size_t i = 1; i < calls.size(); ++i)
    if (impl_->number_of(static_cast<CallId>(calls[i])) != i) return wrong;
  return {};
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
                             .polls = batch.polls.size(),
                             .sites = batch.sites.size(),
                             .nodes = batch.nodes.size(),
                             .counters = batch.counters.size(),
                             .user = batch.user.size(),
                             .user_values = batch.user_values.size()});
  const ColumnTarget& file = impl_->target;
  MERIDIAN_TRY_DO(impl_->append_events(batch));
  MERIDIAN_TRY_DO(impl_->p2p.append(file, impl_->dictionary, impl_->scratch, batch.p2p));
  MERIDIAN_TRY_DO(impl_->coll.append(file, impl_->dictionary, impl_->scratch, batch.coll));
  MERIDIAN_TRY_DO(impl_->completion_rows.append(file, impl_->dictionary, impl_->scratch, batch.completions));
  MERIDIAN_TRY_DO(impl_->rma.append(file, impl_->dictionary, impl_->scratch, batch.rma));
  MERIDIAN_TRY_DO(impl_->io.append(file, impl_->dictionary, impl_->scratch, batch.io));
  MERIDIAN_TRY_DO(impl_->handles.append(file, impl_->dictionary, impl_->scratch, batch.handles));
  MERIDIAN_TRY_DO(impl_->user.append(file, impl_->dictionary, impl_->scratch, batch.user));
  MERIDIAN_TRY_DO(impl_->user_values.append<std::uint64_t>(file, batch.user_values));
  MERIDIAN_TRY_DO(impl_->locks.append(file, impl_->dictionary, impl_->scratch, batch.locks));
  MERIDIAN_TRY_DO(impl_->thread_ops.append(file, impl_->dictionary, impl_->scratch, batch.thread_ops));
  MERIDIAN_TRY_DO(impl_->polls.append(file, impl_->dictionary, impl_->scratch, batch.polls));
  auto& sites = room_for<std::uint32_t>(impl_->scratch, batch.sites.size());
  for (std::size_t i = 0; i < sites.size(); ++i) sites[i] = impl_->dictionary.number_of(batch.sites[i]);
  MERIDIAN_TRY_DO(impl_->sites.append<std::uint32_t>(file, sites));
  MERIDIAN_TRY_DO(impl_->nodes.append<std::uint32_t>(file, batch.nodes));
  MERIDIAN_TRY_DO(impl_->counters.append<std::int64_t>(file, batch.counters));
  MERIDIAN_TRY_DO(impl_->counters_between.append<std::int64_t>(file, batch.counters_between));
  return impl_->dictionary_values.append<std::uint64_t>(file, impl_->dictionary.take_new());
}

Status RankFileWriter::finish(const RankMeta& meta) {
  MERIDIAN_TRY_DO(impl_->finish_columns());
  RankMeta stored = meta;
  const auto number_calls = [&](auto& rows) {
    for (auto& row : rows) row.call = impl_->number_of(static_cast<CallId>(row.call));
  };
  number_calls(stored.comms);
  number_calls(stored.passed);
  number_calls(stored.profile.calls);
  number_calls(stored.profile.times);
  number_calls(stored.profile.sizes);
  number_calls(stored.dropped.requests);
  stored.segments = std::move(impl_->segments);
  stored.calls = impl_->calls;
  stored.call_names = impl_->call_names;
  MERIDIAN_TRY_DO(rank_schema::write_meta(impl_->file.get(), stored));
  MERIDIAN_TRY_DO(h5::put_in_place(impl_->file, impl_->part, impl_->path));
  impl_->is_finished = true;
  return {};
}

std::string rank_file_name(std::int32_t rank) {
  char name[32];
  std::snprintf(name, sizeof name, "rank-%05d.h5", rank);
  return name;
}

}  // namespace meridian
