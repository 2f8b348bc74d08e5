// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <initializer_list>
#include <utility>

#include "trace/format/batch_rows.hpp"
#include "trace/format/rank_columns.hpp"

namespace meridian {
namespace {

using rank_schema::contradiction;
using rank_schema::kMaxSegmentEvents;
using rank_schema::kMaxSegmentRows;
using rank_schema::OptionalColumn;
using rank_schema::TableColumns;

/// Adds the rows of every table.
void operator+=(SegmentRow& sum, const SegmentRow& row) {
  sum.events += row.events;
  sum.completions += row.completions;
  sum.sites += row.sites;
  sum.nodes += row.nodes;
  sum.counters += row.counters;
  sum.user_values += row.user_values;
#define MERIDIAN_EVENT(payload, Row, table) sum.table += row.table;
#define MERIDIAN_PAIR(payload, of, Row, table)
#define MERIDIAN_OTHER(payload, Body)
#include "trace/model/payloads.def"
}

bool is_bounded(const SegmentRow& row) {
  std::uint64_t most = std::max({row.events, row.completions, row.sites, row.counters, row.user_values});
#define MERIDIAN_EVENT(payload, Row, table) most = std::max(most, row.table);
#define MERIDIAN_PAIR(payload, of, Row, table)
#define MERIDIAN_OTHER(payload, Body)
#include "trace/model/payloads.def"
  return most <= kMaxSegmentRows && row.events <= kMaxSegmentEvents && row.events > 0 &&
         (row.nodes == 0 || row.nodes == row.sites);
}

}  // namespace

struct RankFile::Impl {
  h5::File file;
  RankMeta meta;
  std::vector<SegmentRow> starts;  // index: segment
  std::vector<bool> has_flaw;      // index: segment; damage that read() found and reported in `meta`
  rank_schema::DictionaryRows dictionary;
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
  TableColumns<PollUse> polls;

  rank_schema::Scratch scratch;
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
      total += row;
    }
    has_flaw.resize(meta.segments.size());
    const hid_t root = file.get();
    gap.open(root, rank_schema::kGap, total.events);
    duration.open(root, rank_schema::kDuration, total.events);
    call.open(root, rank_schema::kCall, total.events);
    payload.open(root, rank_schema::kPayload, total.events);
    flags.open(root, rank_schema::kFlags, total.events);
    completions.open(root, rank_schema::kCompletionCount, total.events);
    p2p.open(root, total.p2p);
    coll.open(root, total.coll);
    completion_rows.open(root, total.completions);
    rma.open(root, total.rma);
    io.open(root, total.io);
    handles.open(root, total.handles);
    locks.open(root, total.locks);
    thread_ops.open(root, total.thread_ops);
    polls.open(root, total.polls);
    sites.open(root, rank_schema::kSite, total.sites);
    nodes.open(root, rank_schema::kNode, total.nodes);
    counters.open(root, rank_schema::kCounter, total.counters);
    counters_between.open(root, rank_schema::kCounterBetween, total.counters);
    user.open(root, total.user);
    user_values.open(root, rank_schema::kUserValue, total.user_values);
    if (auto read = dictionary.open(root); !read) rank_schema::note_unreadable(meta, read.error(), true);
    return {};
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
      if (numbers[i] >= meta.calls.size()) return contradiction("an event has a call that is not in 'calls'");
      batch.call[i] = meta.calls[numbers[i]];
    }
    batch.payload.resize(payloads.size());
    for (std::size_t i = 0; i < payloads.size(); ++i) batch.payload[i] = static_cast<Payload>(payloads[i]);
    return {};
  }

  // Readers of a batch use as many rows as the events refer to; this check ensures that the rows exist.
  Status check_references(const SegmentRow& segment, const EventBatch& batch) const {
    if (!std::ranges::all_of(batch.payload, is_call)) return contradiction("an event has an unknown payload");
    const SegmentRow rows = rows_of_events(batch);
    bool fits = rows.completions == segment.completions && rows.sites == segment.sites &&
                rows.counters * meta.counters_per_event == segment.counters;
#define MERIDIAN_EVENT(payload, Row, table) fits = fits && rows.table == segment.table;
#define MERIDIAN_PAIR(payload, of, Row, table)
#define MERIDIAN_OTHER(payload, Body)
#include "trace/model/payloads.def"
    if (!fits) return contradiction("events and the tables that they refer to do not fit");
    return {};
  }

  // The rows of events of `kinds` cannot be read: the events remain as calls with their times.
  static void lose(EventBatch& batch, const Error& error, std::initializer_list<Payload> kinds) {
    std::uint64_t events = 0;
    for (Payload& payload : batch.payload) {
      if (std::ranges::find(kinds, payload) == kinds.end()) continue;
      payload = Payload::local;
      ++events;
    }
    batch.unreadable.push_back({error.what, events});
  }

  template <class Row>
  bool read_rows(TableColumns<Row>& table, std::uint64_t offset, std::uint64_t count, EventBatch& batch,
                 std::vector<Row>& rows, std::initializer_list<Payload> kinds) {
    const Status status = table.read(offset, count, dictionary, scratch, rows);
    if (status) return true;
    rows.clear();
    lose(batch, status.error(), kinds);
    return false;
  }

  bool read_completions(const SegmentRow& segment, const SegmentRow& start, EventBatch& batch) {
    const Status status =
        completion_rows.read(start.completions, segment.completions, dictionary, scratch, batch.completions);
    if (status) return true;
    batch.completions.clear();
    const auto with = std::ranges::count_if(batch.completion_count, [](std::uint32_t count) { return count != 0; });
    std::ranges::fill(batch.completion_count, 0);
    batch.unreadable.push_back({status.error().what, static_cast<std::uint64_t>(with)});
    return false;
  }

  Status read_user_values(const SegmentRow& segment, const SegmentRow& start, EventBatch& batch) {
    MERIDIAN_TRY_DO(user_values.read(start.user_values, batch.user_values, segment.user_values));
    std::uint64_t values = 0;
    for (const UserUse& use : batch.user) values += use.words;
    return values == segment.user_values ? Status{} : contradiction("user events and their values do not fit");
  }

  void read_user(const SegmentRow& segment, const SegmentRow& start, EventBatch& batch) {
    batch.user_values.clear();
    if (!read_rows(user, start.user, segment.user, batch, batch.user, {Payload::user})) return;
    const Status status = read_user_values(segment, start, batch);
    if (status) return;
    batch.user.clear();
    batch.user_values.clear();
    lose(batch, status.error(), {Payload::user});
  }

  Status read_both_counters(const SegmentRow& segment, const SegmentRow& start, EventBatch& batch) {
    MERIDIAN_TRY_DO(counters.read(start.counters, batch.counters, segment.counters));
    return counters_between.read(start.counters, batch.counters_between, segment.counters);
  }

  void read_counters(const SegmentRow& segment, const SegmentRow& start, EventBatch& batch) {
    const Status status = read_both_counters(segment, start, batch);
    if (status) return;
    batch.counters.clear();
    batch.counters_between.clear();
    std::uint64_t events = 0;
    for (std::uint8_t& flags_of : batch.flags) {
      events += (flags_of & kFlagCounters) != 0;
      flags_of &= static_cast<std::uint8_t>(~kFlagCounters);
    }
    batch.unreadable.push_back({status.error().what, events});
  }

  Status read_nodes(const SegmentRow& segment, const SegmentRow& start, EventBatch& batch) {
    MERIDIAN_TRY_DO(nodes.read(start.nodes, batch.nodes, segment.nodes));
    for (const std::uint32_t node : batch.nodes)
      if (node >= meta.stacks.size()) return contradiction("an event has a call stack that is not in 'stacks'");
    return {};
  }

  // Unreadable sites are 0; unreadable call stacks are omitted.
  void read_sites(const SegmentRow& segment, const SegmentRow& start, EventBatch& batch) {
    if (const Status status = read_nodes(segment, start, batch); !status) {
      batch.nodes.clear();
      batch.unreadable.push_back({status.error().what, segment.nodes});
    }
    batch.sites.assign(static_cast<std::size_t>(segment.sites), 0);
    Status status = sites.read(start.sites, scratch.numbers, segment.sites);
    if (status)
      status = dictionary.look_up(scratch.numbers, [&](std::size_t i, std::uint64_t value) {
        batch.sites[i] = rank_schema::DictionaryRows::is_unreadable(value) ? 0 : value;
      });
    if (status) return;
    std::ranges::fill(batch.sites, 0);
    batch.unreadable.push_back({status.error().what, segment.sites});
  }

  // has_messages becomes false when some messages, requests or collectives cannot be read.
  Status read(std::size_t index, EventBatch& batch, bool& has_messages) {
    const SegmentRow& segment = meta.segments[index];
    const SegmentRow& start = starts[index];
    batch.unreadable.clear();
    has_messages = false;
    MERIDIAN_TRY_DO(read_events(segment, start.events, batch));
    MERIDIAN_TRY_DO(check_references(segment, batch));
    has_messages = read_rows(p2p, start.p2p, segment.p2p, batch, batch.p2p, {Payload::p2p, Payload::sendrecv});
    has_messages &= read_rows(coll, start.coll, segment.coll, batch, batch.coll, {Payload::coll});
    has_messages &= read_completions(segment, start, batch);
    read_rows(rma, start.rma, segment.rma, batch, batch.rma, {Payload::rma});
    read_rows(io, start.io, segment.io, batch, batch.io, {Payload::io});
    read_rows(handles, start.handles, segment.handles, batch, batch.handles, {Payload::handle});
    read_user(segment, start, batch);
    read_rows(locks, start.locks, segment.locks, batch, batch.locks, {Payload::lock});
    read_rows(thread_ops, start.thread_ops, segment.thread_ops, batch, batch.thread_ops, {Payload::thread_op});
    read_rows(polls, start.polls, segment.polls, batch, batch.polls, {Payload::polls});
    read_counters(segment, start, batch);
    read_sites(segment, start, batch);
    return {};
  }

  // Records the gap as the tracer does when it drops calls.
  void note_gap(std::size_t index) {
    if (has_flaw[index]) return;
    has_flaw[index] = true;
    const SegmentRow& segment = meta.segments[index];
    const auto next = std::find_if(meta.segments.begin() + static_cast<std::ptrdiff_t>(index) + 1, meta.segments.end(),
                                   [&](const SegmentRow& other) { return other.thread == segment.thread; });
    std::string value = std::to_string(segment.first_ticks);
    const bool has_others_alone = segment.events == segment.locks + segment.thread_ops + segment.user;
    if (next != meta.segments.end() || has_others_alone)
      value.append(" ").append(std::to_string(segment.events)).append(has_others_alone ? " others" : " messages");
    meta.texts.push_back(
        {kLostKey, std::move(value), segment.thread, next == meta.segments.end() ? 0 : next->first_ticks});
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

std::size_t RankFile::flaws() const { return static_cast<std::size_t>(std::ranges::count(impl_->has_flaw, true)); }

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
  bool has_messages = false;
  Status status = impl_->read(index, batch, has_messages);
  if (!has_messages) impl_->note_gap(index);
  return status;
}

}  // namespace meridian
