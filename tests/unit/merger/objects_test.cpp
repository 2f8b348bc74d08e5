// SPDX-License-Identifier: Apache-2.0
// Files and windows: which one a handle means, what they are called, and what calls did to them.

#include "merger/load/unify_definitions.hpp"
#include "merger/load/unify_objects.hpp"
#include "merger/match/calls/object_totals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "merger/statistics/comm_statistics.hpp"
#include "synthetic_trace.hpp"

namespace meridian::test {
namespace {

using ::testing::SizeIs;

class ObjectsOfRanks : public ::testing::Test {
 protected:
  std::vector<SyntheticRank> ranks;
  Findings findings;
  Communicators communicators;

  explicit ObjectsOfRanks(std::int32_t size = 2) {
    for (std::int32_t rank = 0; rank < size; ++rank) ranks.emplace_back(rank, size);
  }
  void text(std::size_t rank, const char* key, const std::string& value, std::uint64_t handle, std::uint64_t ticks) {
    ranks[rank].meta.texts.push_back({key, value, handle, ticks});
  }
  Objects unify() {
    std::vector<const RankMeta*> metas;
    for (const SyntheticRank& rank : ranks) metas.push_back(&rank.meta);
    communicators = unify_definitions(metas, static_cast<std::int32_t>(ranks.size()), findings);
    return unify_objects(metas, communicators);
  }
  static std::string world() {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(kWorld));
    return digits;
  }
};

TEST_F(ObjectsOfRanks, FilesOfOneNameAreOne) {
  text(0, kFileNameKey, "/a", 7, 10);
  text(0, kFileNameKey, "/b", 7, 30);
  text(0, kFileNameKey, "/a", 7, 50);
  text(1, kFileNameKey, "/b", 9, 20);
  const Objects objects = unify();
  ASSERT_THAT(objects.files, SizeIs(2));
  EXPECT_EQ(objects.files[0].name, "/a");
  EXPECT_EQ(objects.files[0].opens, 2U);
  EXPECT_EQ(objects.files[0].ranks, 1U);
  EXPECT_EQ(objects.files[1].opens, 2U);
  EXPECT_EQ(objects.files[1].ranks, 2U);
}

TEST_F(ObjectsOfRanks, AHandleMeansTheLatestObjectCreatedWithIt) {
  text(0, kFileNameKey, "/a", 7, 10);
  text(0, kFileNameKey, "/b", 7, 30);
  const Objects objects = unify();
  const ObjectHandles& handles = objects.ranks[0].files;
  EXPECT_EQ(handles.at(7, 9), ObjectHandles::kNone);
  EXPECT_EQ(handles.at(7, 10), 0U);
  EXPECT_EQ(handles.at(7, 29), 0U);
  EXPECT_EQ(handles.at(7, 1000), 1U);
  EXPECT_EQ(handles.at(8, 1000), ObjectHandles::kNone);
  EXPECT_EQ(handles.made_by(7, 25), 1U);
  EXPECT_EQ(handles.made_by(7, 31), ObjectHandles::kNone);
  EXPECT_EQ(objects.ranks[1].files.at(7, 1000), ObjectHandles::kNone);
}

TEST_F(ObjectsOfRanks, ANameThatOneRankGaveAWindowIsTheNameInAllRanks) {
  for (const std::size_t rank : {0U, 1U}) {
    text(rank, kWindowCommKey, world(), 5 + rank, 10);
    text(rank, kWindowCommKey, world(), 15 + rank, 20);
  }
  text(1, kWindowNameKey, "halo", 16, 30);
  const Objects objects = unify();
  ASSERT_THAT(objects.windows, SizeIs(2));
  const std::uint32_t halo = objects.ranks[0].windows.at(15, 40);
  EXPECT_EQ(objects.windows[halo].name, "halo");
  EXPECT_EQ(objects.windows[halo].comm, "MPI_COMM_WORLD");
  EXPECT_EQ(objects.windows[halo].windows, 1U);
  EXPECT_EQ(objects.windows[halo].ranks, 2U);
  EXPECT_EQ(objects.ranks[1].windows.at(16, 40), halo);
  EXPECT_EQ(objects.windows[objects.ranks[1].windows.at(6, 40)].name, "");
}

TEST_F(ObjectsOfRanks, WindowsWithoutANameAreCountedTogether) {
  for (const std::size_t rank : {0U, 1U})
    for (std::uint64_t i = 0; i < 3; ++i) text(rank, kWindowCommKey, world(), 5, 10 * (i + 1));
  const Objects objects = unify();
  ASSERT_THAT(objects.windows, SizeIs(1));
  EXPECT_EQ(objects.windows[0].windows, 3U);
  EXPECT_EQ(objects.windows[0].ranks, 2U);
}

TEST_F(ObjectsOfRanks, AWindowOnAnInvalidCommunicatorIsStillAWindow) {
  text(0, kWindowCommKey, "no digits", 5, 10);
  text(1, kWindowCommKey, "", 5, 10);
  text(1, kWindowNameKey, "nobody's", 6, 11);  // of a window that was never made
  const Objects objects = unify();
  ASSERT_THAT(objects.windows, SizeIs(1));
  EXPECT_EQ(objects.windows[0].comm, "");
  EXPECT_EQ(objects.windows[0].ranks, 2U);
}

TEST_F(ObjectsOfRanks, CallsCountForTheirObject) {
  text(0, kFileNameKey, "/a", 7, 10);
  const Objects objects = unify();
  ObjectTotals totals{objects};
  const auto use = [&](CallId id, Payload payload, std::uint64_t bytes, std::uint64_t enter, std::uint64_t leave) {
    const FileAccess io{7, -1, bytes, 0};
    const HandleUse handle{7};
    Call call{.call = id, .payload = payload, .enter_ticks = enter, .leave_ticks = leave};
    call.io = &io;
    call.handle = &handle;
    EventRow row;
    row.duration_ns = 1000;
    row.bytes_sent = row.bytes_received = bytes;
    totals.add(0, call, facts_of(id), row);
  };
  use(CallId::File_open, Payload::handle, 0, 2, 9);
  use(CallId::File_write_at_all_begin, Payload::io, 64, 20, 21);
  use(CallId::File_write_at_all_end, Payload::handle, 0, 22, 23);
  use(CallId::File_read, Payload::io, 8, 24, 25);
  use(CallId::File_close, Payload::handle, 0, 26, 27);
  use(CallId::File_read, Payload::io, 8, 1, 2);  // before it was opened
  const std::vector<FileSummary> files = totals.files();
  ASSERT_THAT(files, SizeIs(1));
  EXPECT_EQ(files[0].writes, 1U);
  EXPECT_EQ(files[0].write_bytes, 64U);
  EXPECT_DOUBLE_EQ(files[0].write_s, 2e-6);
  EXPECT_EQ(files[0].reads, 1U);
  EXPECT_EQ(files[0].read_bytes, 8U);
  EXPECT_EQ(files[0].others, 2U);
}

TEST_F(ObjectsOfRanks, FilesOfTheProgramHaveOneRowForAPathApartFromThoseOfMpi) {
  text(0, kFileNameKey, "/a", 3, 10);
  text(0, kProgramFileKey, "/a", 3, 50);
  text(0, kProgramFileKey, "/b", 4, 60);
  text(1, kProgramFileKey, "/a", 9, 70);
  const Objects objects = unify();
  ASSERT_THAT(objects.files, SizeIs(3));
  ObjectTotals totals{objects};
  const auto use = [&](std::uint32_t rank, CallId id, std::uint64_t file, std::uint64_t bytes) {
    const FileAccess io{file, -1, bytes, 0};
    Call call{.call = id, .payload = Payload::io, .enter_ticks = 20, .leave_ticks = 21};  // before its name, too
    call.io = &io;
    EventRow row;
    row.duration_ns = 1000;
    row.bytes_sent = row.bytes_received = bytes;
    totals.add(rank, call, facts_of(id), row);
  };
  use(0, CallId::open64, 3, 0);
  use(0, CallId::pwrite, 3, 100);
  use(0, CallId::fsync, 3, 0);
  use(1, CallId::fopen, 9, 0);
  use(1, CallId::fread, 9, 7);
  use(0, CallId::close, 4, 0);
  use(0, CallId::write, 65534, 5);  // without a name
  const std::vector<FileSummary> files = totals.files();
  ASSERT_THAT(files, SizeIs(3));
  EXPECT_EQ(files[0].name, "/a");
  EXPECT_EQ(files[0].interface, "POSIX");
  EXPECT_EQ(files[0].ranks, 2U);
  EXPECT_EQ(files[0].opens, 2U);
  EXPECT_EQ(files[0].writes, 1U);
  EXPECT_EQ(files[0].write_bytes, 100U);
  EXPECT_EQ(files[0].read_bytes, 7U);
  EXPECT_EQ(files[0].others, 3U);
  EXPECT_EQ(files[1].name, "/b");
  EXPECT_EQ(files[2].interface, "MPI-IO");
  EXPECT_EQ(files[2].opens, 1U);
  EXPECT_EQ(files[2].writes + files[2].others, 0U);
}

TEST(CommStatistics, AddsUpCommunicatorsOfOneNameAndSize) {
  const std::vector<NamedCall> calls{{"(unknown call)", ""}, {"MPI_Send", "p2p"}, {"MPI_Bcast", "coll"}};
  const std::vector<Communicator> list{
      {CommKind::world, kNoComm, "MPI_COMM_WORLD", 0}, {CommKind::intra, 0, "", 1}, {CommKind::intra, 0, "", 1}};
  const std::vector<Group> groups{{0, 1, 2}, {0, 1}};
  CommStatistics statistics{list.size(), calls};
  const auto add = [&](std::uint16_t call, std::uint32_t comm, std::int64_t ns) {
    EventRow row;
    row.call = call;
    row.comm = comm;
    row.duration_ns = ns;
    row.bytes_sent = 8;
    statistics.add(row);
  };
  add(1, 0, 100);
  add(2, 1, 2000);
  add(2, 2, 3000);
  add(0, 2, 50);
  add(1, kNoComm, 9999);
  add(1, 77, 9999);
  const std::vector<CommSummary> rows = statistics.summaries(list, groups);
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].kind, "intra");
  EXPECT_EQ(rows[0].communicators, 2U);
  EXPECT_EQ(rows[0].ranks, 2U);
  EXPECT_EQ(rows[0].collective_calls, 2U);
  EXPECT_DOUBLE_EQ(rows[0].collective_s, 5e-6);
  EXPECT_EQ(rows[0].other_calls, 1U);
  EXPECT_EQ(rows[0].bytes_sent, 24U);
  EXPECT_EQ(rows[1].name, "MPI_COMM_WORLD");
  EXPECT_EQ(rows[1].p2p_calls, 1U);
}

}  // namespace
}  // namespace meridian::test
