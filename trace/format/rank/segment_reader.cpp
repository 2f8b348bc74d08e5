// SPDX-License-Identifier: Apache-2.0
#include "trace/format/rank/segment_reader.hpp"

#include <algorithm>

#include "trace/format/rank/batch_rows.hpp"

namespace meridian::rank_schema {
namespace {

// Working memory of this thread, reused for all files.
struct Working {
  Scratch scratch;
  std::vector<std::int64_t> gaps;
  std::vector<std::uint64_t> durations;
  std::vector<std::uint16_t> numbers;
  std::vector<std::uint8_t> payloads;
};
Working& working() {
  thread_local Working memory;
  return memory;
}

// The rows of events of `kinds` are lost: the events remain as calls with their times.
void lose(EventBatch& batch, const std::string& reason, std::initializer_list<Payload> kinds) {
  std::uint64_t events = 0;
  for (Payload& payload : batch.payload) {
    if (std::ranges::find(kinds, payload) == kinds.end()) continue;
    payload = Payload::local;
    ++events;
  }
  batch.unreadable.push_back({reason, events});
}

}  // namespace

const std::string& LostParts::reason(Part part) const {
  return std::ranges::find(reasons, part, &std::pair<std::uint32_t, std::string>::first)->second;
}

void SegmentReader::open(hid_t root, const SegmentRow& total, RankMeta& meta) {
  gap_.open(root, kGap, total.events);
  duration_.open(root, kDuration, total.events);
  call_.open(root, kCall, total.events);
  payload_.open(root, kPayload, total.events);
  flags_.open(root, kFlags, total.events);
  completions_.open(root, kCompletionCount, total.events);
  p2p_.open(root, total.p2p);
  coll_.open(root, total.coll);
  completion_rows_.open(root, total.completions);
  rma_.open(root, total.rma);
  io_.open(root, total.io);
  handles_.open(root, total.handles);
  locks_.open(root, total.locks);
  thread_ops_.open(root, total.thread_ops);
  polls_.open(root, total.polls);
  sites_.open(root, kSite, total.sites);
  nodes_.open(root, kNode, total.nodes);
  counters_.open(root, kCounter, total.counters);
  counters_between_.open(root, kCounterBetween, total.counters);
  user_.open(root, total.user);
  user_values_.open(root, kUserValue, total.user_values);
  if (auto read = dictionary_.open(root); !read) note_unreadable(meta, read.error(), true);
}

bool SegmentReader::detach(const std::shared_ptr<const RawFile>& file) {
  bool are_all = true;
  for_each([&](OptionalColumn& column) { are_all = column.detach(file) && are_all; });
  return are_all;
}

void SegmentReader::keep_in(const std::shared_ptr<PlaneStore>& store) {
  for_each([&](OptionalColumn& column) { column.keep_in(store); });
}

Status SegmentReader::read_times(const SegmentRow& rows, std::uint64_t offset, EventBatch& batch) {
  std::vector<std::int64_t>& gaps = working().gaps;
  std::vector<std::uint64_t>& durations = working().durations;
  MERIDIAN_TRY_DO(gap_.read(offset, gaps, rows.events));
  MERIDIAN_TRY_DO(duration_.read(offset, durations, rows.events));
  const std::size_t count = gaps.size();
  batch.enter_ticks.resize(count);
  batch.leave_ticks.resize(count);
  std::uint64_t left = rows.first_ticks;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t entered = left + static_cast<std::uint64_t>(gaps[i]);
    left = entered + durations[i];
    batch.enter_ticks[i] = entered;
    batch.leave_ticks[i] = left;
  }
  return {};
}

Status SegmentReader::read_events(const RankMeta& meta, const SegmentRow& start, SegmentRow& rows, EventBatch& batch) {
  std::vector<std::uint16_t>& numbers = working().numbers;
  std::vector<std::uint8_t>& payloads = working().payloads;
  batch.unreadable.clear();
  MERIDIAN_TRY_DO(read_times(rows, start.events, batch));
  MERIDIAN_TRY_DO(call_.read(start.events, numbers, rows.events));
  MERIDIAN_TRY_DO(payload_.read(start.events, payloads, rows.events));
  MERIDIAN_TRY_DO(flags_.read(start.events, batch.flags, rows.events));
  MERIDIAN_TRY_DO(completions_.read(start.events, batch.completion_count, rows.events));
  batch.call.resize(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] >= meta.calls.size()) return contradiction("an event has a call that is not in 'calls'");
    batch.call[i] = meta.calls[numbers[i]];
  }
  batch.payload.resize(payloads.size());
  for (std::size_t i = 0; i < payloads.size(); ++i) batch.payload[i] = static_cast<Payload>(payloads[i]);
  if (!std::ranges::all_of(batch.payload, is_call)) return contradiction("an event has an unknown payload");
  const bool has_nodes = rows.nodes != 0;
  batch.user.clear();
  SegmentRow found = rows_of_events(batch);
  found.thread = rows.thread;
  found.first_ticks = rows.first_ticks;
  found.counters *= meta.counters_per_event;
  found.nodes = has_nodes ? found.sites : 0;
  rows = found;
  return {};
}

template <class Row>
void SegmentReader::read_rows(TableColumns<Row>& table, LostParts::Part part, std::uint64_t offset, std::uint64_t count,
                              EventBatch& batch, std::vector<Row>& values, std::initializer_list<Payload> kinds,
                              LostParts& lost) {
  if (!lost.has(part)) {
    const Status status = table.read(offset, count, dictionary_, working().scratch, values);
    if (status) return;
    lost.add(part, status.error().what);
  }
  values.clear();
  lose(batch, lost.reason(part), kinds);
}

void SegmentReader::read_completions(const SegmentRow& start, const SegmentRow& rows, EventBatch& batch,
                                     LostParts& lost) {
  if (!lost.has(LostParts::completions)) {
    const Status status =
        completion_rows_.read(start.completions, rows.completions, dictionary_, working().scratch, batch.completions);
    if (status) return;
    lost.add(LostParts::completions, status.error().what);
  }
  batch.completions.clear();
  const auto with = std::ranges::count_if(batch.completion_count, [](std::uint32_t count) { return count != 0; });
  std::ranges::fill(batch.completion_count, 0);
  batch.unreadable.push_back({lost.reason(LostParts::completions), static_cast<std::uint64_t>(with)});
}

void SegmentReader::read_user(const SegmentRow& start, SegmentRow& rows, EventBatch& batch, LostParts& lost) {
  batch.user_values.clear();
  read_rows(user_, LostParts::user, start.user, rows.user, batch, batch.user, {Payload::user}, lost);
  rows.user_values = 0;
  if (lost.has(LostParts::user)) return;
  for (const UserUse& use : batch.user) rows.user_values += use.words;
  const Status status = rows.user_values <= kMaxSegmentRows
                            ? user_values_.read(start.user_values, batch.user_values, rows.user_values)
                            : contradiction("user events and their values do not fit");
  if (status) return;
  lose_user(status.error().what, batch, lost);
}

void SegmentReader::lose_user(const std::string& reason, EventBatch& batch, LostParts& lost) {
  lost.add(LostParts::user, reason);
  batch.user.clear();
  batch.user_values.clear();
  lose(batch, reason, {Payload::user});
}

void SegmentReader::read_counters(const SegmentRow& start, const SegmentRow& rows, EventBatch& batch, LostParts& lost) {
  if (!lost.has(LostParts::counters)) {
    Status status = counters_.read(start.counters, batch.counters, rows.counters);
    if (status) status = counters_between_.read(start.counters, batch.counters_between, rows.counters);
    if (status) return;
    lost.add(LostParts::counters, status.error().what);
  }
  batch.counters.clear();
  batch.counters_between.clear();
  std::uint64_t events = 0;
  for (std::uint8_t& flags_of : batch.flags) {
    events += (flags_of & kFlagCounters) != 0;
    flags_of &= static_cast<std::uint8_t>(~kFlagCounters);
  }
  batch.unreadable.push_back({lost.reason(LostParts::counters), events});
}

Status SegmentReader::read_nodes(const RankMeta& meta, const SegmentRow& start, const SegmentRow& rows,
                                 EventBatch& batch) {
  MERIDIAN_TRY_DO(nodes_.read(start.nodes, batch.nodes, rows.nodes));
  for (const std::uint32_t node : batch.nodes)
    if (node >= meta.stacks.size()) return contradiction("an event has a call stack that is not in 'stacks'");
  return {};
}

// Unreadable sites are 0; unreadable call stacks are omitted.
void SegmentReader::read_sites(const RankMeta& meta, const SegmentRow& start, const SegmentRow& rows, EventBatch& batch,
                               LostParts& lost) {
  if (!lost.has(LostParts::nodes))
    if (const Status status = read_nodes(meta, start, rows, batch); !status)
      lost.add(LostParts::nodes, status.error().what);
  if (lost.has(LostParts::nodes)) {
    batch.nodes.clear();
    batch.unreadable.push_back({lost.reason(LostParts::nodes), rows.nodes});
  }
  batch.sites.assign(static_cast<std::size_t>(rows.sites), 0);
  if (!lost.has(LostParts::sites)) {
    std::vector<std::uint32_t>& numbers = working().scratch.numbers;
    Status status = sites_.read(start.sites, numbers, rows.sites);
    if (status)
      status = dictionary_.look_up(numbers, [&](std::size_t i, std::uint64_t value) {
        batch.sites[i] = DictionaryRows::is_unreadable(value) ? 0 : value;
      });
    if (status) return;
    lost.add(LostParts::sites, status.error().what);
  }
  std::ranges::fill(batch.sites, 0);
  batch.unreadable.push_back({lost.reason(LostParts::sites), rows.sites});
}

void SegmentReader::read_tables(const RankMeta& meta, const SegmentRow& start, SegmentRow& rows, EventBatch& batch,
                                LostParts& lost) {
  using Part = LostParts::Part;
  read_rows(p2p_, Part::p2p, start.p2p, rows.p2p, batch, batch.p2p, {Payload::p2p, Payload::sendrecv}, lost);
  read_rows(coll_, Part::coll, start.coll, rows.coll, batch, batch.coll, {Payload::coll}, lost);
  read_completions(start, rows, batch, lost);
  read_rows(rma_, Part::rma, start.rma, rows.rma, batch, batch.rma, {Payload::rma}, lost);
  read_rows(io_, Part::io, start.io, rows.io, batch, batch.io, {Payload::io}, lost);
  read_rows(handles_, Part::handles, start.handles, rows.handles, batch, batch.handles, {Payload::handle}, lost);
  read_user(start, rows, batch, lost);
  read_rows(locks_, Part::locks, start.locks, rows.locks, batch, batch.locks, {Payload::lock}, lost);
  read_rows(thread_ops_, Part::thread_ops, start.thread_ops, rows.thread_ops, batch, batch.thread_ops,
            {Payload::thread_op}, lost);
  read_rows(polls_, Part::polls, start.polls, rows.polls, batch, batch.polls, {Payload::polls}, lost);
  read_counters(start, rows, batch, lost);
  read_sites(meta, start, rows, batch, lost);
}

}  // namespace meridian::rank_schema
