#include <array>
#include <optional>
#include <utility>

#include "trace/format/column.hpp"
#include "trace/format/rank_schema.hpp"

namespace meridian {
namespace {

using rank_schema::kMaxSegmentRows;

Error contradiction(const std::string& reason) {
  return Error{Errc::damaged, "the rank file contradicts itself: " + reason, ""};
}

// A column that is missing when its table has no rows.
class OptionalColumn {
 public:
  Status open(hid_t file, const std::string& path, std::uint64_t rows) {
    if (rows == 0) return {};
    auto opened = ColumnReader::open(file, path);
    if (!opened) return std::move(opened).error();
    if (opened->size() != rows)
      return contradiction("'" + path + "' has " + std::to_string(opened->size()) + " rows, the segments have " +
                           std::to_string(rows));
    column_.emplace(*std::move(opened));
    return {};
  }
  template <class T>
  Status read(std::uint64_t offset, std::vector<T>& out, std::uint64_t count) {
    out.resize(static_cast<std::size_t>(count));
    return count == 0 ? Status{} : column_->read(offset, std::span{out});
  }

 private:
  std::optional<ColumnReader> column_;
};

// 64-bit values behind their numbers.
Status look_up(const std::vector<std::uint64_t>& dictionary, std::span<const std::uint32_t> numbers, auto&& put) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] >= dictionary.size()) return contradiction("a handle is not in 'dictionary'");
    put(i, dictionary[numbers[i]]);
  }
  return {};
}

// Where reading a table needs room; kept from segment to segment.
struct Scratch {
  std::vector<std::uint32_t> numbers;
  std::tuple<std::vector<std::uint8_t>, std::vector<std::int32_t>, std::vector<std::uint32_t>,
             std::vector<std::int64_t>, std::vector<std::uint64_t>>
      values;
};

template <class Row>
class TableColumns {
  static constexpr auto& kColumns = rank_schema::kColumns<Row>;
  static constexpr std::size_t kCount = std::tuple_size_v<std::remove_cvref_t<decltype(kColumns)>>;

 public:
  Status open(hid_t file, std::uint64_t rows) {
    return each([&](const auto& column, OptionalColumn& source) { return source.open(file, column.path, rows); });
  }

  Status read(std::uint64_t offset, std::uint64_t count, const std::vector<std::uint64_t>& dictionary, Scratch& scratch,
              std::vector<Row>& rows) {
    rows.resize(static_cast<std::size_t>(count));
    if (count == 0) return {};
    return each([&]<class T>(const rank_schema::Column<Row, T>& column, OptionalColumn& source) -> Status {
      if (column.is_index) {
        MERIDIAN_TRY_DO(source.read(offset, scratch.numbers, count));
        return look_up(dictionary, scratch.numbers,
                       [&](std::size_t i, std::uint64_t value) { rows[i].*column.member = static_cast<T>(value); });
      }
      auto& values = std::get<std::vector<T>>(scratch.values);
      MERIDIAN_TRY_DO(source.read(offset, values, count));
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i].*column.member = values[i];
      return {};
    });
  }

 private:
  template <class Action>
  Status each(Action&& action) {
    return each(action, std::make_index_sequence<kCount>{});
  }
  template <class Action, std::size_t... I>
  Status each(Action& action, std::index_sequence<I...>) {
    Status status;
    static_cast<void>(((status = action(std::get<I>(kColumns), columns_[I]), bool{status}) && ...));
    return status;
  }

  std::array<OptionalColumn, kCount> columns_;
};

// Rows of every table that come before a segment.
SegmentRow sum(const SegmentRow& a, const SegmentRow& b) {
  return {.thread = 0,
          .first_ticks = 0,
          .events = a.events + b.events,
          .p2p = a.p2p + b.p2p,
          .coll = a.coll + b.coll,
          .completions = a.completions + b.completions,
          .rma = a.rma + b.rma,
          .io = a.io + b.io,
          .handles = a.handles + b.handles,
          .locks = a.locks + b.locks,
          .thread_ops = a.thread_ops + b.thread_ops,
          .sites = a.sites + b.sites,
          .nodes = a.nodes + b.nodes,
          .counters = a.counters + b.counters,
          .user = a.user + b.user,
          .user_values = a.user_values + b.user_values};
}

bool is_bounded(const SegmentRow& row) {
  for (const std::uint64_t rows : {row.events, row.p2p, row.coll, row.completions, row.rma, row.io, row.handles,
                                   row.sites, row.counters, row.user, row.user_values, row.locks, row.thread_ops})
    if (rows > kMaxSegmentRows) return false;
  return row.events > 0 && (row.nodes == 0 || row.nodes == row.sites);
}

}  // namespace

struct RankFile::Impl {
  h5::File file;
  RankMeta meta;
  std::vector<SegmentRow> starts;  // index: segment
  std::vector<std::uint64_t> dictionary;
  OptionalColumn gap, duration, call, payload, flags, completions, sites, nodes, counters, counters_between,
      user_values;
  TableColumns<PointToPoint> p2p;
  TableColumns<Collective> coll;
  TableColumns<Completion> completion_rows;
  TableColumns<Rma> rma;
  TableColumns<FileAccess> io;
  TableColumns<HandleUse> handles;
  TableColumns<UserUse> user;
  TableColumns<LockUse> locks;
  TableColumns<ThreadOp> thread_ops;

  Scratch scratch;
  std::vector<std::int64_t> gaps;
  std::vector<std::uint64_t> durations;
  std::vector<std::uint16_t> numbers;
  std::vector<std::uint8_t> payloads;

  Status open_columns() {
    SegmentRow total;
    starts.reserve(meta.segments.size());
    for (const SegmentRow& row : meta.segments) {
      if (!is_bounded(row)) return contradiction("a segment has no or too many rows");
      starts.push_back(total);
      total = sum(total, row);
    }
    const hid_t root = file.get();
    MERIDIAN_TRY_DO(gap.open(root, "events/gap", total.events));
    MERIDIAN_TRY_DO(duration.open(root, "events/duration", total.events));
    MERIDIAN_TRY_DO(call.open(root, "events/call", total.events));
    MERIDIAN_TRY_DO(payload.open(root, "events/payload", total.events));
    MERIDIAN_TRY_DO(flags.open(root, "events/flags", total.events));
    MERIDIAN_TRY_DO(completions.open(root, "events/completions", total.events));
    MERIDIAN_TRY_DO(p2p.open(root, total.p2p));
    MERIDIAN_TRY_DO(coll.open(root, total.coll));
    MERIDIAN_TRY_DO(completion_rows.open(root, total.completions));
    MERIDIAN_TRY_DO(rma.open(root, total.rma));
    MERIDIAN_TRY_DO(io.open(root, total.io));
    MERIDIAN_TRY_DO(handles.open(root, total.handles));
    MERIDIAN_TRY_DO(locks.open(root, total.locks));
    MERIDIAN_TRY_DO(thread_ops.open(root, total.thread_ops));
    MERIDIAN_TRY_DO(sites.open(root, "sites/address", total.sites));
    MERIDIAN_TRY_DO(nodes.open(root, "sites/node", total.nodes));
    MERIDIAN_TRY_DO(counters.open(root, "counters/value", total.counters));
    MERIDIAN_TRY_DO(counters_between.open(root, "counters/between", total.counters));
    MERIDIAN_TRY_DO(user.open(root, total.user));
    MERIDIAN_TRY_DO(user_values.open(root, "user/value", total.user_values));
    return open_dictionary();
  }

  Status open_dictionary() {
    MERIDIAN_TRY(ColumnReader values, ColumnReader::open(file.get(), "dictionary"));
    // The writer stores no two like neighbours, so that chunks without data cannot be meant to be large.
    if (values.size() > h5::file_bytes(file.get()) * 1032 / sizeof(std::uint64_t))
      return contradiction("'dictionary' is larger than the file can hold");
    dictionary.resize(static_cast<std::size_t>(values.size()));
    return values.read(0, std::span{dictionary});
  }

  Status read_times(const SegmentRow& segment, std::uint64_t offset, EventBatch& batch) {
    MERIDIAN_TRY_DO(gap.read(offset, gaps, segment.events));
    MERIDIAN_TRY_DO(duration.read(offset, durations, segment.events));
    const std::size_t count = gaps.size();
    batch.enter_ticks.resize(count);
    batch.leave_ticks.resize(count);
    std::uint64_t left = segment.first_ticks;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t entered = left + static_cast<std::uint64_t>(gaps[i]);
      left = entered + durations[i];
      batch.enter_ticks[i] = entered;
      batch.leave_ticks[i] = left;
    }
    return {};
  }

  Status read_events(const SegmentRow& segment, std::uint64_t offset, EventBatch& batch) {
    MERIDIAN_TRY_DO(read_times(segment, offset, batch));
    MERIDIAN_TRY_DO(call.read(offset, numbers, segment.events));
    MERIDIAN_TRY_DO(payload.read(offset, payloads, segment.events));
    MERIDIAN_TRY_DO(flags.read(offset, batch.flags, segment.events));
    MERIDIAN_TRY_DO(completions.read(offset, batch.completion_count, segment.events));
    batch.call.resize(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] >= meta.calls.size()) return contradiction("an event is of a call that 'calls' does not have");
      batch.call[i] = meta.calls[numbers[i]];
    }
    batch.payload.resize(payloads.size());
    for (std::size_t i = 0; i < payloads.size(); ++i) batch.payload[i] = static_cast<Payload>(payloads[i]);
    return {};
  }

  // Whoever walks a batch takes rows as the events say; here is made sure that they are there.
  Status check_references(const SegmentRow& segment, const EventBatch& batch) const {
    std::array<std::uint64_t, 256> by_payload{};
    std::uint64_t completed = 0, with_site = 0, with_counters = 0;
    for (std::size_t i = 0; i < payloads.size(); ++i) {
      ++by_payload[payloads[i]];
      completed += batch.completion_count[i];
      with_site += (batch.flags[i] & kFlagSite) != 0;
      with_counters += (batch.flags[i] & kFlagCounters) != 0;
    }
    const auto of = [&](Payload kind) { return by_payload[static_cast<std::size_t>(kind)]; };
    const std::uint64_t known = of(Payload::local) + of(Payload::p2p) + of(Payload::sendrecv) + of(Payload::coll) +
                                of(Payload::requests) + of(Payload::comm) + of(Payload::rma) + of(Payload::io) +
                                of(Payload::handle) + of(Payload::user) + of(Payload::lock) + of(Payload::thread_op);
    if (known != segment.events) return contradiction("an event has a payload that is not known");
    if (of(Payload::p2p) + 2 * of(Payload::sendrecv) != segment.p2p || of(Payload::coll) != segment.coll ||
        of(Payload::rma) != segment.rma || of(Payload::io) != segment.io || of(Payload::handle) != segment.handles ||
        of(Payload::user) != segment.user || of(Payload::lock) != segment.locks ||
        of(Payload::thread_op) != segment.thread_ops || completed != segment.completions ||
        with_site != segment.sites || with_counters * meta.counters_per_event != segment.counters)
      return contradiction("events and the tables that they refer to do not fit");
    return {};
  }

  Status read(std::size_t index, EventBatch& batch) {
    const SegmentRow& segment = meta.segments[index];
    const SegmentRow& start = starts[index];
    MERIDIAN_TRY_DO(read_events(segment, start.events, batch));
    MERIDIAN_TRY_DO(check_references(segment, batch));
    MERIDIAN_TRY_DO(p2p.read(start.p2p, segment.p2p, dictionary, scratch, batch.p2p));
    MERIDIAN_TRY_DO(coll.read(start.coll, segment.coll, dictionary, scratch, batch.coll));
    MERIDIAN_TRY_DO(
        completion_rows.read(start.completions, segment.completions, dictionary, scratch, batch.completions));
    MERIDIAN_TRY_DO(rma.read(start.rma, segment.rma, dictionary, scratch, batch.rma));
    MERIDIAN_TRY_DO(io.read(start.io, segment.io, dictionary, scratch, batch.io));
    MERIDIAN_TRY_DO(handles.read(start.handles, segment.handles, dictionary, scratch, batch.handles));
    MERIDIAN_TRY_DO(user.read(start.user, segment.user, dictionary, scratch, batch.user));
    MERIDIAN_TRY_DO(user_values.read(start.user_values, batch.user_values, segment.user_values));
    std::uint64_t values = 0;
    for (const UserUse& use : batch.user) values += use.words;
    if (values != segment.user_values) return contradiction("user events and their values do not fit");
    MERIDIAN_TRY_DO(locks.read(start.locks, segment.locks, dictionary, scratch, batch.locks));
    MERIDIAN_TRY_DO(thread_ops.read(start.thread_ops, segment.thread_ops, dictionary, scratch, batch.thread_ops));
    MERIDIAN_TRY_DO(counters.read(start.counters, batch.counters, segment.counters));
    MERIDIAN_TRY_DO(counters_between.read(start.counters, batch.counters_between, segment.counters));
    MERIDIAN_TRY_DO(nodes.read(start.nodes, batch.nodes, segment.nodes));
    for (const std::uint32_t node : batch.nodes)
      if (node >= meta.stacks.size()) return contradiction("an event has a call stack that 'stacks' does not have");
    MERIDIAN_TRY_DO(sites.read(start.sites, scratch.numbers, segment.sites));
    batch.sites.resize(scratch.numbers.size());
    return look_up(dictionary, scratch.numbers, [&](std::size_t i, std::uint64_t value) { batch.sites[i] = value; });
  }
};

RankFile::RankFile(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
RankFile::RankFile(RankFile&&) noexcept = default;
RankFile& RankFile::operator=(RankFile&&) noexcept = default;
RankFile::~RankFile() = default;

Result<RankFile> RankFile::open(const std::filesystem::path& path) {
  auto impl = std::make_unique<Impl>();
  MERIDIAN_TRY(impl->file, h5::open_read_only(path));
  const auto in_file = [&](Error error) { return h5::in_file(std::move(error), "rank file", path); };
  auto meta = rank_schema::read_meta(impl->file.get(), path);
  if (!meta) return in_file(std::move(meta).error());
  impl->meta = *std::move(meta);
  if (auto opened = impl->open_columns(); !opened) return in_file(std::move(opened).error());
  return RankFile{std::move(impl)};
}

const RankMeta& RankFile::meta() const { return impl_->meta; }

void RankFile::place_in_world(std::uint32_t world, std::int32_t first_rank) {
  meridian::place_in_world(impl_->meta, world, first_rank);
}

void place_in_world(RankMeta& meta, std::uint32_t world, std::int32_t first_rank) {
  meta.world = world;
  meta.first_rank = first_rank;
  meta.rank += first_rank;
  for (ExchangeRow& exchange : meta.exchanges) exchange.peer += first_rank;
  for (MembersRow& members : meta.members)
    for (std::int32_t& rank : members.world_ranks)
      if (rank >= 0) rank += first_rank;
}

Status RankFile::read(std::size_t index, EventBatch& batch) {
  MERIDIAN_CHECK(index < impl_->meta.segments.size());
  return impl_->read(index, batch);
}

}  // namespace meridian
