// SPDX-License-Identifier: Apache-2.0
// MergedTrace: the reader of merged files, compared with columns that are read whole.

#include "merged/merged_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <tuple>

#include "merged_reader.hpp"
#include "synthetic_patterns.hpp"
#include "synthetic_trace.hpp"
#include "trace/containers/sorted_spool.hpp"

namespace meridian::test {
namespace {

/// A trace with messages, collectives, and more events than a block has.
class LongTrace : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new TempDir;
    write_halo(directory_->path(), 3, 2500);
    ASSERT_TRUE(merge(directory_->path()));
    columns_ = new MergedReader{path()};
  }
  static void TearDownTestSuite() {
    delete columns_;
    delete directory_;
  }
  static std::filesystem::path path() { return *directory_ / "merged.h5"; }

  static MergedTrace open() {
    auto trace = MergedTrace::open(path());
    if (!trace) throw std::runtime_error(trace.error().what);
    return *std::move(trace);
  }

  static std::vector<MergedEvent> all(const MergedTrace& trace, const EventSelection& selection) {
    auto cursor = trace.select(selection);
    if (!cursor) throw std::runtime_error(cursor.error().what);
    std::vector<MergedEvent> events;
    MergedBatch batch;
    for (;;) {
      const auto has_more = cursor->next(batch);
      if (!has_more) throw std::runtime_error(has_more.error().what);
      if (!*has_more) return events;
      events.insert(events.end(), batch.events.begin(), batch.events.end());
    }
  }

  static inline TempDir* directory_ = nullptr;
  static inline MergedReader* columns_ = nullptr;
};

auto facts(const MergedEvent& event) {
  return std::tuple{event.enter_ns, event.duration_ns, event.rank,           event.thread,
                    event.call,     event.sequence,    event.comm,           event.peer,
                    event.tag,      event.bytes_sent,  event.bytes_received, event.flags};
}
auto facts(const EventRow& row) {
  return std::tuple{row.enter_ns,
                    row.duration_ns,
                    row.rank,
                    row.thread,
                    static_cast<std::uint32_t>(row.call),
                    static_cast<std::uint64_t>(row.sequence),
                    static_cast<std::int32_t>(row.comm),
                    row.peer,
                    row.tag,
                    row.bytes_sent,
                    row.bytes_received,
                    static_cast<std::uint32_t>(row.flags)};
}

TEST_F(LongTrace, IsReadInGlobalOrder) {
  const MergedTrace trace = open();
  const auto expected = columns_->events();
  ASSERT_GT(expected.size(), 65536U);
  const auto events = all(trace, {});
  ASSERT_EQ(events.size(), expected.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    ASSERT_EQ(events[i].row, i);
    ASSERT_EQ(facts(events[i]), facts(expected[i])) << i;
  }
}

TEST_F(LongTrace, IsReadBackwards) {
  const MergedTrace trace = open();
  auto events = all(trace, {.is_backwards = true});
  std::ranges::reverse(events);
  const auto expected = columns_->events();
  ASSERT_EQ(events.size(), expected.size());
  for (std::size_t i = 0; i < events.size(); ++i) ASSERT_EQ(facts(events[i]), facts(expected[i])) << i;
}

TEST_F(LongTrace, GivesTheEventsOfAWindowAndOfSomeRanks) {
  const MergedTrace trace = open();
  const auto expected = columns_->events();
  const std::int64_t last = expected.back().enter_ns;
  for (const auto& [from, to] :
       {std::pair{last / 3, last / 2}, {std::int64_t{0}, std::int64_t{5000}}, {last, last + 1}})
    for (const std::vector<std::int32_t>& ranks : {std::vector<std::int32_t>{}, {1}, {0, 2}, {7}}) {
      std::vector<std::uint64_t> rows;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const EventRow& row = expected[i];
        const bool is_wanted = ranks.empty() || std::ranges::find(ranks, row.rank) != ranks.end();
        if (is_wanted && row.enter_ns < to && row.enter_ns + row.duration_ns >= from) rows.push_back(i);
      }
      for (const bool is_backwards : {false, true}) {
        std::vector<std::uint64_t> found;
        for (const MergedEvent& event :
             all(trace, {.from_ns = from, .to_ns = to, .ranks = ranks, .is_backwards = is_backwards}))
          found.push_back(event.row);
        if (is_backwards) std::ranges::reverse(found);
        ASSERT_EQ(found, rows);
      }
    }
}

TEST_F(LongTrace, FindsTheEventsOfSeveralWindowsOnceEach) {
  const MergedTrace trace = open();
  const std::int64_t last = all(trace, {}).back().enter_ns;
  const std::vector<TimeWindow> windows{{last / 10, last / 9}, {last / 3, last / 3 + 1000}, {last / 2, last * 3 / 5}};
  std::vector<std::uint64_t> rows;
  for (const MergedEvent& event : all(trace, {}))
    if (std::ranges::any_of(windows, [&](const TimeWindow& window) {
          return event.enter_ns < window.to_ns && event.leave_ns() >= window.from_ns;
        }))
      rows.push_back(event.row);
  ASSERT_FALSE(rows.empty());
  std::vector<std::uint64_t> found;
  for (const MergedEvent& event : all(trace, {.windows = windows})) found.push_back(event.row);
  EXPECT_EQ(found, rows);
}

TEST_F(LongTrace, JoinsEventsWithTheirMessagesAndCollectives) {
  const MergedTrace trace = open();
  std::map<std::tuple<std::int32_t, std::uint32_t, std::uint64_t>, std::uint64_t> row_of;
  const auto events = columns_->events();
  for (std::size_t i = 0; i < events.size(); ++i) row_of[{events[i].rank, events[i].thread, events[i].sequence}] = i;
  const auto row = [&](const EventRef& call) { return row_of.at({call.rank, call.thread, call.event}); };
  std::multimap<std::pair<std::uint64_t, LinkKind>, std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> expected;
  for (const MatchedMessage& message : columns_->messages()) {
    const std::tuple what{row(message.send), row(message.completion), message.bytes};
    expected.insert({{row(message.send), LinkKind::sent}, what});
    expected.insert({{row(message.post), LinkKind::posted}, what});
    expected.insert({{row(message.completion), LinkKind::received}, what});
  }
  for (const CollectivePart& part : columns_->collectives()) {
    const std::tuple what{row(part.start), row(part.completion), part.instance};
    expected.insert({{row(part.start), LinkKind::entered}, what});
    expected.insert({{row(part.completion), LinkKind::left}, what});
  }
  decltype(expected) found;
  auto cursor = trace.select();
  ASSERT_TRUE(cursor);
  MergedBatch batch;
  while (*cursor->next(batch))
    for (const MergedEvent& event : batch.events)
      for (const EventLink& link : batch.links_of(event)) {
        if (link.kind == LinkKind::entered || link.kind == LinkKind::left) {
          const auto part = trace.part(link.number);
          ASSERT_TRUE(part) << part.error().what;
          found.insert({{event.row, link.kind}, {part->start, part->completion, part->instance}});
        } else {
          const auto message = trace.message(link.number);
          ASSERT_TRUE(message) << message.error().what;
          found.insert({{event.row, link.kind}, {message->send, message->completion, message->bytes}});
        }
      }
  const auto sorted = [](const auto& links) {
    std::vector<std::pair<std::pair<std::uint64_t, LinkKind>, std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>>>
        list{links.begin(), links.end()};
    std::ranges::sort(list);
    return list;
  };
  EXPECT_EQ(sorted(found), sorted(expected));
}

TEST_F(LongTrace, FindsCallsByTheirName) {
  const MergedTrace trace = open();
  const auto expected = columns_->events();
  for (std::size_t i = 0; i < expected.size(); i += 7919) {
    const auto row = trace.find(expected[i].rank, expected[i].thread, expected[i].sequence);
    ASSERT_TRUE(row) << row.error().what;
    EXPECT_EQ(*row, i);
  }
  const auto missing = trace.find(1, 0, 1'000'000);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::not_found);
  EXPECT_EQ(missing.error().what,
            "merged file '" + path().string() + "': it has no call 1000000 of thread 0 of rank 1");
}

/// Some calls without, with one and with two waits.
std::vector<EventWait> some_waits(std::uint64_t events) {
  std::vector<EventWait> waits;
  for (std::uint64_t row = 0; row < events; ++row) {
    const auto wait = [&](std::uint64_t causer, WaitKind kind) {
      waits.push_back({row, causer, static_cast<std::int64_t>(row % 7 + 1), kind});
    };
    if (row % 5 != 0) wait((row * 7919) % events, WaitKind::late_sender);
    if (row % 3 == 0) wait(row / 2, WaitKind::barrier);
  }
  return waits;
}
auto facts(const EventWait& wait) { return std::tuple{wait.row, wait.causer, wait.ns, wait.kind}; }
template <class Waits>
auto facts_of(const Waits& waits) {
  std::vector<decltype(facts(EventWait{}))> all;
  all.reserve(std::size(waits));
  for (const EventWait& wait : waits) all.push_back(facts(wait));
  return all;
}

TEST(MergedTrace, JoinsEventsWithTheWaitsThatAnalysesStore) {
  const TempDir directory;
  write_halo(directory.path(), 3, 2500);
  MergeOptions options;
  std::vector<EventWait> stored;
  options.analyse = [&](std::int64_t file, WaitSink& waits, Summary&) -> Status {
    MERIDIAN_TRY(const MergedTrace trace, MergedTrace::borrow(file));
    stored = some_waits(trace.events());
    std::vector<EventWait> mixed = stored;  // waits of one call stay in their order
    std::ranges::stable_sort(mixed, {}, [](const EventWait& wait) { return wait.row * 7 % 101; });
    for (const EventWait& wait : mixed) MERIDIAN_TRY_DO(waits.append(wait));
    MERIDIAN_TRY_DO(waits.store());
    std::vector<EventWait> found;
    MERIDIAN_TRY_DO(trace.waits(0, trace.events(), found));
    EXPECT_EQ(facts_of(found), facts_of(stored)) << "while the file is written";
    return {};
  };
  ASSERT_TRUE(merge(directory.path(), options));
  ASSERT_GT(stored.size(), 65536u);
  const auto trace = MergedTrace::open(directory / "merged.h5");
  ASSERT_TRUE(trace) << trace.error().what;
  for (const bool is_backwards : {false, true}) {
    auto cursor = trace->select({.ranks = {1}, .is_backwards = is_backwards, .links = kNoLinks, .has_waits = true});
    ASSERT_TRUE(cursor) << cursor.error().what;
    MergedBatch batch;
    for (;;) {
      const auto has_more = cursor->next(batch);
      ASSERT_TRUE(has_more) << has_more.error().what;
      if (!*has_more) break;
      for (const MergedEvent& event : batch.events) {
        const auto from = std::ranges::lower_bound(stored, event.row, {}, &EventWait::row);
        const auto to = std::ranges::upper_bound(stored, event.row, {}, &EventWait::row);
        ASSERT_EQ(facts_of(batch.waits_of(event)), facts_of(std::vector(from, to))) << event.row;
      }
    }
  }
  std::vector<EventWait> found;
  ASSERT_TRUE(trace->waits(9, 10, found));           // two
  ASSERT_TRUE(trace->waits(10, 11, found));          // none
  ASSERT_TRUE(trace->waits(66'003, 66'004, found));  // two
  EXPECT_THAT(found, ::testing::SizeIs(4));
  for (const EventWait& wait : found) EXPECT_EQ(wait.ns, static_cast<std::int64_t>(wait.row % 7 + 1));
}

TEST_F(LongTrace, HasNoWaitsIfNoAnalysisFoundThem) {
  const MergedTrace trace = open();
  std::vector<EventWait> waits;
  ASSERT_TRUE(trace.waits(0, trace.events(), waits));
  EXPECT_TRUE(waits.empty());
}

TEST_F(LongTrace, HasTheDefinitions) {
  const MergedTrace trace = open();
  const MergedDefinitions& definitions = trace.definitions();
  EXPECT_EQ(definitions.communicators.front().name, "MPI_COMM_WORLD");
  EXPECT_EQ(definitions.groups.front(), (std::vector<std::int32_t>{0, 1, 2}));
  ASSERT_EQ(definitions.ranks.size(), 3U);
  EXPECT_EQ(definitions.ranks[2].pid, 1002);
  EXPECT_EQ(definitions.locations.size(), 3U);
  EXPECT_EQ(definitions.call_name(static_cast<std::uint32_t>(CallId::Waitall)), "MPI_Waitall");
  EXPECT_EQ(definitions.call_name(1'000'000), "");
}

TEST_F(LongTrace, SaysWhatIsWrongWithADamagedFile) {
  const TempDir elsewhere;
  std::ifstream whole{path(), std::ios::binary};
  const std::string bytes{std::istreambuf_iterator<char>{whole}, {}};
  const auto reads = [&](const std::string& content) -> Status {
    const std::filesystem::path damaged = elsewhere / "merged.h5";
    std::ofstream{damaged, std::ios::binary} << content;
    MERIDIAN_TRY(const MergedTrace trace, MergedTrace::open(damaged));
    MERIDIAN_TRY(EventCursor cursor, trace.select());
    MergedBatch batch;
    for (bool has_more = true; has_more;) {
      MERIDIAN_TRY(has_more, cursor.next(batch));
    }
    return {};
  };
  EXPECT_TRUE(reads(bytes));
  EXPECT_FALSE(reads(bytes.substr(0, bytes.size() / 2)));
  EXPECT_FALSE(reads("no merged file"));
  int refused = 0;
  for (std::size_t at = 100; at < bytes.size(); at += bytes.size() / 50) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x55);
    const Status status = reads(flipped);
    if (status) continue;  // a table that this reader does not read
    ++refused;
    EXPECT_THAT(status.error().what, ::testing::HasSubstr(elsewhere.path().string()));
  }
  EXPECT_GT(refused, 10);
}

TEST(MergedTrace, RefusesMissingRows) {
  SyntheticRun run{1};
  for (std::uint64_t i = 0; i < 3; ++i) run[0]->call(CallId::Comm_rank, {10 + 10 * i, 15 + 10 * i});
  ASSERT_TRUE(run.merge());
  const auto trace = MergedTrace::open(run.merged());
  ASSERT_TRUE(trace) << trace.error().what;
  const auto event = trace->event(2);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->sequence, 2U);
  EXPECT_FALSE(trace->event(3));
  EXPECT_FALSE(trace->message(0));
  EXPECT_FALSE(trace->part(0));
}

TEST(SortedSpool, SortsMoreRowsThanItKeepsInMemory) {
  struct Row {
    std::uint64_t key = 0, number = 0;
  };
  const TempDir directory;
  auto file = TempFile::create(directory.path());
  ASSERT_TRUE(file);
  SortedSpool<Row> spool{*file, 100};
  std::vector<Row> expected;
  for (std::uint64_t i = 0; i < 20'000; ++i) {  // more runs than are merged at once
    expected.push_back({i * 7919 % 4001, i});
    ASSERT_TRUE(spool.append(expected.back()));
  }
  std::ranges::stable_sort(expected, {}, &Row::key);
  std::size_t at = 0;
  ASSERT_TRUE(spool.drain([&](const Row& row) {
    EXPECT_EQ(row.key, expected[at].key);
    EXPECT_EQ(row.number, expected[at].number);
    ++at;
    return Status{};
  }));
  EXPECT_EQ(at, expected.size());
}

}  // namespace
}  // namespace meridian::test
