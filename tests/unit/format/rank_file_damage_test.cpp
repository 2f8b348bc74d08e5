// SPDX-License-Identifier: Apache-2.0
// Damage is tested like success: every broken file gives a named error or the data that were stored, never a crash.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

#include "sample_rank.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/temp_dir.hpp"
#include "trace/format/tables/column.hpp"
#include "trace/format/tables/h5.hpp"
#include "trace/format/tables/table.hpp"

namespace meridian {
namespace {

using test::TempDir;

// Reads all there is. True: it was all there and right.
bool is_read_whole(const std::filesystem::path& path, const test::Sample& sample) {
  auto file = RankFile::open(path);
  if (!file) {
    EXPECT_FALSE(file.error().what.empty());
    return false;
  }
  bool is_whole = file->meta().unreadable.empty();
  for (const Unreadable& table : file->meta().unreadable) EXPECT_FALSE(table.what.empty());
  EXPECT_TRUE(!is_whole || test::is_same(file->meta(), sample.meta)) << "wrong tables without an error";
  EXPECT_EQ(file->meta().segments.size(), sample.batches.size());
  const bool has_tables = is_whole;
  EventBatch batch;
  for (std::size_t i = 0; i < std::min(file->meta().segments.size(), sample.batches.size()); ++i) {
    const Status read = file->read(i, batch);
    if (!read) {
      EXPECT_FALSE(read.error().what.empty());
      is_whole = false;
    } else if (!batch.unreadable.empty()) {
      EXPECT_FALSE(batch.unreadable.front().what.empty());
      is_whole = false;
    } else if (has_tables) {
      EXPECT_TRUE(test::is_same(batch, sample.batches[i].second)) << "wrong events without an error";
    }
  }
  return is_whole;
}

TEST(DamagedRankFile, CutAnywhereIsAnError) {
  const TempDir dir;
  const auto sample = test::sample_rank(4, 400);
  ASSERT_TRUE(test::write_sample(dir / "a.h5", sample));
  const auto bytes = test::bytes_of(dir / "a.h5");
  std::mt19937 random{test::seeded(1)};
  for (std::size_t length = 0; length < bytes.size(); length += 1 + random() % (length < 3000 ? 97 : 997)) {
    test::put_bytes(dir / "cut.h5", {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)});
    EXPECT_FALSE(is_read_whole(dir / "cut.h5", sample)) << length;
  }
}

TEST(DamagedRankFile, WithAFlippedByteGivesAnErrorOrTheRightData) {
  const TempDir dir;
  const auto sample = test::sample_rank(3, 200);
  ASSERT_TRUE(test::write_sample(dir / "a.h5", sample));
  const auto bytes = test::bytes_of(dir / "a.h5");
  ASSERT_TRUE(is_read_whole(dir / "a.h5", sample));
  std::mt19937 random{test::seeded(2)};
  for (std::size_t at = 0; at < bytes.size(); at += 1 + random() % 240) {
    auto flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (random() % 8)));
    test::put_bytes(dir / "flipped.h5", flipped);
    is_read_whole(dir / "flipped.h5", sample);
    ASSERT_FALSE(HasFailure()) << "byte " << at;
  }
}

Error error_of(const std::filesystem::path& path) {
  auto file = RankFile::open(path);
  EXPECT_FALSE(file);
  return file ? Error{} : file.error();
}

// Opens a good file for writing, so that a test can spoil it with valid HDF5.
class SpoiledRankFile : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(test::write_sample(path, test::sample_rank(3, 500)));
    reopen();
  }
  void reopen() { file = h5::File{H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)}; }
  void replace_attribute(const char* name, auto value) {
    H5Adelete(file.get(), name);
    ASSERT_TRUE(h5::write_attribute(file.get(), name, value));
  }
  template <class T>
  void replace_column(const std::string& name, const std::vector<T>& values) {
    ASSERT_GE(H5Ldelete(file.get(), name.c_str(), H5P_DEFAULT), 0);
    auto column = ColumnWriter::create(file.get(), name, column_type<T>, {.is_narrow = true});
    ASSERT_TRUE(column->append(std::span{values}));
    ASSERT_TRUE(column->finish());
  }
  template <class T>
  std::vector<T> column(const std::string& name) {
    auto reader = ColumnReader::open(file.get(), name);
    std::vector<T> values(reader->size());
    EXPECT_TRUE(reader->read(0, std::span{values}));
    return values;
  }
  /// A column of a number where something else is expected.
  Status write_column(const std::string& name) {
    MERIDIAN_TRY(ColumnWriter column, ColumnWriter::create(file.get(), name, ColumnType::u64));
    const std::array<std::uint64_t, 1> values{7};
    MERIDIAN_TRY_DO(column.append(std::span{values}));
    return column.finish();
  }
  Error error_when_opened() {
    EXPECT_TRUE(file.close());
    return error_of(path);
  }
  Error error_when_read() {
    EXPECT_TRUE(file.close());
    auto opened = RankFile::open(path);
    EXPECT_TRUE(opened) << opened.error().what;
    if (!opened) return {};
    for (std::size_t i = 0; i < opened->meta().segments.size(); ++i)
      if (Status status = opened->read(i, batch); !status) return status.error();
    ADD_FAILURE() << "no segment was refused";
    return {};
  }
  /// The unreadable parts of the first segment.
  Unreadable lacking_when_read() {
    EXPECT_TRUE(file.close());
    auto opened = RankFile::open(path);
    EXPECT_TRUE(opened) << opened.error().what;
    if (!opened) return {};
    for (std::size_t i = 0; i < opened->meta().segments.size(); ++i) {
      const Status read = opened->read(i, batch);
      EXPECT_TRUE(read) << read.error().what;
      whole = test::sample_rank(3, 500).batches[i].second;
      flaws = opened->flaws();
      EXPECT_TRUE(batch.enter_ticks == whole.enter_ticks && batch.leave_ticks == whole.leave_ticks &&
                  batch.call == whole.call);
      if (batch.unreadable.size() == 1) return batch.unreadable.front();
      EXPECT_THAT(batch.unreadable, testing::IsEmpty());
    }
    ADD_FAILURE() << "no segment lacks anything";
    return {};
  }
  /// Why tables are not there.
  std::vector<std::string> unreadable_when_opened() {
    EXPECT_TRUE(file.close());
    auto opened = RankFile::open(path);
    EXPECT_TRUE(opened) << opened.error().what;
    std::vector<std::string> why;
    if (!opened) return why;
    for (const Unreadable& table : opened->meta().unreadable) why.push_back(table.what);
    meta = opened->meta();
    return why;
  }

  TempDir dir;
  std::filesystem::path path = dir / "rank-00003.h5";
  h5::File file;
  EventBatch batch, whole;  // as it was read, and as it was written
  std::size_t flaws = 0;
  RankMeta meta;
};

std::uint64_t count_of(const std::vector<Payload>& payloads, Payload payload) {
  return static_cast<std::uint64_t>(std::ranges::count(payloads, payload));
}

TEST_F(SpoiledRankFile, OfTheFutureNamesBothVersions) {
  replace_attribute("version", 99);
  const Error error = error_when_opened();
  EXPECT_EQ(error.code, Errc::unsupported);
  EXPECT_EQ(error.what, "rank file '" + path.string() + "' has schema 99, this merger reads up to 2");
  EXPECT_EQ(error.hint, "use a newer merger");
}

TEST_F(SpoiledRankFile, OfAnotherSchemaIsNoRankFile) {
  replace_attribute("schema", "meridian-merged");
  const Error error = error_when_opened();
  EXPECT_EQ(error.code, Errc::damaged);
  EXPECT_EQ(error.what, "'" + path.string() + "' is not a rank file: its schema is 'meridian-merged'");
}

TEST_F(SpoiledRankFile, WithoutASchemaIsNoRankFile) {
  H5Adelete(file.get(), "schema");
  EXPECT_EQ(error_when_opened().what,
            "'" + path.string() + "' is not a rank file: it is HDF5, but has no attribute 'schema'");
}

TEST_F(SpoiledRankFile, WithAColumnThatIsTooShortIsRefused) {
  auto values = column<std::uint64_t>("events/duration");
  values.pop_back();
  replace_column("events/duration", values);
  EXPECT_EQ(error_when_read().what,
            "the rank file contradicts itself: 'events/duration' has 1499 rows, the segments have 1500");
}

TEST_F(SpoiledRankFile, WithoutAColumnKeepsItsCalls) {
  H5Ldelete(file.get(), "coll/root", H5P_DEFAULT);
  const Unreadable lacking = lacking_when_read();
  EXPECT_EQ(lacking.what, "there is no column 'coll/root'");
  EXPECT_EQ(lacking.count, count_of(whole.payload, Payload::coll));
  EXPECT_EQ(count_of(batch.payload, Payload::coll), 0u);
  EXPECT_EQ(count_of(batch.payload, Payload::local),
            count_of(whole.payload, Payload::local) + count_of(whole.payload, Payload::coll));
  EXPECT_TRUE(batch.coll.empty());
  EXPECT_TRUE(test::same_bytes(batch.p2p, whole.p2p));
  EXPECT_EQ(batch.sites, whole.sites);
  EXPECT_EQ(flaws, 1u) << "matching has to know";
}

TEST_F(SpoiledRankFile, WithoutCallSitesKeepsEverythingElse) {
  H5Ldelete(file.get(), "sites/address", H5P_DEFAULT);
  const Unreadable lacking = lacking_when_read();
  EXPECT_EQ(lacking.count, whole.sites.size());
  EXPECT_EQ(batch.sites, std::vector<std::uint64_t>(whole.sites.size(), 0));
  EXPECT_TRUE(test::same_bytes(batch.coll, whole.coll));
  EXPECT_EQ(flaws, 0u);
}

TEST_F(SpoiledRankFile, WithoutCountersKeepsEverythingElse) {
  H5Ldelete(file.get(), "counters/between", H5P_DEFAULT);
  const Unreadable lacking = lacking_when_read();
  EXPECT_EQ(lacking.count * 3, whole.counters.size());
  EXPECT_TRUE(batch.counters.empty() && batch.counters_between.empty());
  for (const std::uint8_t flags : batch.flags) EXPECT_EQ(flags & kFlagCounters, 0);
  EXPECT_EQ(batch.sites, whole.sites);
  EXPECT_EQ(flaws, 0u);
}

TEST_F(SpoiledRankFile, WithoutTheDictionaryKeepsTheIdentityOfObjects) {
  H5Ldelete(file.get(), "dictionary", H5P_DEFAULT);
  EXPECT_THAT(unreadable_when_opened(), testing::ElementsAre("there is no column 'dictionary'"));
  EXPECT_THAT(meta.texts.back().key, kLostKey);
  EXPECT_EQ(meta.texts.back().value, "0") << "no message of the rank can be matched";
  auto opened = RankFile::open(path);
  ASSERT_TRUE(opened);
  ASSERT_TRUE(opened->read(0, batch));
  EXPECT_TRUE(batch.unreadable.empty());
  whole = test::sample_rank(3, 500).batches[0].second;
  ASSERT_EQ(batch.p2p.size(), whole.p2p.size());
  std::map<std::uint64_t, std::uint64_t> stands_for;
  for (std::size_t i = 0; i < whole.p2p.size(); ++i) {
    EXPECT_EQ(batch.p2p[i].tag, whole.p2p[i].tag);
    EXPECT_EQ(stands_for.try_emplace(batch.p2p[i].comm, whole.p2p[i].comm).first->second, whole.p2p[i].comm);
    EXPECT_EQ(batch.p2p[i].comm == 0, whole.p2p[i].comm == 0) << "none is none";
  }
  EXPECT_EQ(batch.sites, std::vector<std::uint64_t>(whole.sites.size(), 0));
}

TEST_F(SpoiledRankFile, WithoutATableHasTheOthers) {
  const auto original = test::sample_rank(3, 500).meta;
  for (const char* const table : {"comms", "usage", "threads", "texts", "calls/name"}) {
    const std::string stub{table};
    std::filesystem::remove(path);
    ASSERT_TRUE(test::write_sample(path, test::sample_rank(3, 500)));
    reopen();
    ASSERT_GE(H5Ldelete(file.get(), stub.c_str(), H5P_DEFAULT), 0);
    ASSERT_TRUE(write_column(stub)) << "a dataset that is no such table";
    const auto why = unreadable_when_opened();
    ASSERT_EQ(why.size(), 1u) << stub;
    EXPECT_THAT(why[0], testing::HasSubstr(stub));
    EXPECT_TRUE(test::same_bytes(meta.anchors, original.anchors)) << stub;
    EXPECT_EQ(meta.comms.empty(), stub == "comms");
    EXPECT_EQ(meta.usages.empty(), stub == "usage");
    ASSERT_EQ(meta.threads.size(), 3u) << stub << ": the segments say which there are";
    EXPECT_EQ(meta.threads[1].events, 500u);
    EXPECT_EQ(meta.threads[1].kernel_tid, stub == "threads" ? 0 : 4712);
    const bool has_handles = stub == "comms" || stub == "calls/name";
    EXPECT_EQ(std::ranges::count(meta.texts, std::string{kLostKey}, &TextRow::key), has_handles ? 1 : 0) << stub;
    EXPECT_EQ(meta.texts.size(), (stub == "texts" ? 0 : original.texts.size()) + (has_handles ? 1 : 0)) << stub;
  }
}

TEST_F(SpoiledRankFile, WithEventsThatReferToMoreRowsThanThereAreIsRefused) {
  auto payloads = column<std::uint8_t>("events/payload");
  for (auto& payload : payloads)
    if (payload == static_cast<std::uint8_t>(Payload::local)) payload = static_cast<std::uint8_t>(Payload::p2p);
  replace_column("events/payload", payloads);
  EXPECT_EQ(error_when_read().what,
            "the rank file contradicts itself: events and the tables that they refer to do not fit");
}

TEST_F(SpoiledRankFile, WithAnUnknownPayloadIsRefused) {
  auto payloads = column<std::uint8_t>("events/payload");
  payloads[700] = 200;
  replace_column("events/payload", payloads);
  EXPECT_EQ(error_when_read().what, "the rank file contradicts itself: an event has an unknown payload");
}

TEST_F(SpoiledRankFile, WithACallThatHasNoNameIsRefused) {
  auto calls = column<std::uint16_t>("events/call");
  calls[3] = 60000;
  replace_column("events/call", calls);
  EXPECT_EQ(error_when_read().what, "the rank file contradicts itself: an event has a call that is not in 'calls'");
}

TEST_F(SpoiledRankFile, WithAHandleThatIsNotInTheDictionaryKeepsTheCalls) {
  auto comms = column<std::uint32_t>("p2p/comm");
  comms[0] = 4'000'000'000u;
  replace_column("p2p/comm", comms);
  EXPECT_EQ(lacking_when_read().what, "the rank file contradicts itself: a handle is not in 'dictionary'");
  EXPECT_TRUE(batch.p2p.empty());
}

TEST_F(SpoiledRankFile, WithACallStackThatIsItsOwnCallerLacksThem) {
  const std::string reason = "the rank file contradicts itself: a row of 'stacks' has a parent that is not before it";
  for (const std::vector<std::uint32_t>& parents :
       {std::vector<std::uint32_t>{0, 1, 1, 2}, {0, 2, 1, 2}, {0, 0, 0, 4'000'000'000u}, {1, 0, 1, 2}}) {
    replace_column<std::uint32_t>("stacks/parent", parents);
    EXPECT_THAT(unreadable_when_opened(), testing::ElementsAre(reason));
    EXPECT_TRUE(meta.stacks.empty());
    reopen();
  }
}

TEST_F(SpoiledRankFile, WithIncompleteCallStacksLacksThem) {
  replace_column<std::uint32_t>("stacks/parent", {0, 0, 1});
  EXPECT_THAT(unreadable_when_opened(),
              testing::ElementsAre("column 'stacks/address' has another length than the others of its table"));
  reopen();
  std::vector<std::uint32_t> parents(kMaxStackRows + 1);
  for (std::uint32_t i = 2; i < parents.size(); ++i) parents[i] = i - 1;
  replace_column<std::uint32_t>("stacks/parent", parents);
  std::vector<std::uint64_t> addresses(parents.begin(), parents.end());
  replace_column<std::uint64_t>("stacks/address", addresses);
  EXPECT_THAT(unreadable_when_opened(),
              testing::ElementsAre("the rank file contradicts itself: 'stacks' has no or too many rows"));
}

TEST_F(SpoiledRankFile, WithAnEventThatRefersToAMissingCallStackKeepsTheCalls) {
  auto nodes = column<std::uint32_t>("sites/node");
  nodes.back() = 4;
  replace_column("sites/node", nodes);
  EXPECT_EQ(lacking_when_read().what,
            "the rank file contradicts itself: an event has a call stack that is not in 'stacks'");
  EXPECT_TRUE(batch.nodes.empty());
  EXPECT_EQ(batch.sites, whole.sites);
}

TEST_F(SpoiledRankFile, WithoutTheTableOfCallStacksKeepsTheCalls) {
  H5Ldelete(file.get(), "stacks", H5P_DEFAULT);
  EXPECT_EQ(lacking_when_read().what,
            "the rank file contradicts itself: an event has a call stack that is not in 'stacks'");
}

TEST_F(SpoiledRankFile, WithMembersThatOverlapLacksThem) {
  replace_column<std::int32_t>("member_ranks", {1});
  EXPECT_THAT(unreadable_when_opened(),
              testing::ElementsAre("the rank file contradicts itself: 'members' and 'member_ranks' do not fit"));
  EXPECT_TRUE(meta.members.empty());
}

TEST_F(SpoiledRankFile, WithAnUnknownCallIsReadAndKeepsItsName) {
  auto names = *h5::read_strings(file.get(), "calls/name");
  const std::string replaced = names[1];
  names[1] = "MPI_Teleport";
  ASSERT_GE(H5Ldelete(file.get(), "calls/name", H5P_DEFAULT), 0);
  ASSERT_TRUE(h5::write_strings(file.get(), "calls/name", names));
  EXPECT_TRUE(file.close());
  auto opened = RankFile::open(path);
  ASSERT_TRUE(opened) << opened.error().what;
  EXPECT_EQ(opened->meta().call_names[1], "MPI_Teleport");
  EXPECT_EQ(opened->meta().calls[1], CallId::none);
  ASSERT_TRUE(opened->read(0, batch));
  const auto original = test::sample_rank(3, 500).batches[0].second;
  for (std::size_t i = 0; i < batch.call.size(); ++i)
    EXPECT_EQ(batch.call[i], info(original.call[i]).name == replaced ? CallId::none : original.call[i]);
}

TEST(NoRankFile, IsAnErrorThatNamesTheCause) {
  const TempDir dir;
  EXPECT_EQ(error_of(dir / "none.h5").code, Errc::not_found);
  EXPECT_EQ(error_of(dir / "none.h5").what, "cannot open '" + (dir / "none.h5").string() + "': no such file");
  test::put_bytes(dir / "empty.h5", {});
  EXPECT_EQ(error_of(dir / "empty.h5").code, Errc::damaged);
  EXPECT_EQ(error_of(dir / "empty.h5").what, "cannot open '" + (dir / "empty.h5").string() + "': it is empty");
  test::put_bytes(dir / "text.h5", std::vector<char>(5000, 'x'));
  EXPECT_EQ(error_of(dir / "text.h5").code, Errc::damaged);
  EXPECT_TRUE(h5::create_file(dir / "other.h5"));
  EXPECT_EQ(error_of(dir / "other.h5").what,
            "'" + (dir / "other.h5").string() + "' is not a rank file: it is HDF5, but has no attribute 'schema'");
}

}  // namespace
}  // namespace meridian
