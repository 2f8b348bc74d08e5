// SPDX-License-Identifier: Apache-2.0
// Sums of the calls on files and windows.

#include "merger/match/calls/object_totals.hpp"

#include <gtest/gtest.h>

namespace meridian {
namespace {

constexpr std::uint64_t kFile = 0xf1, kOtherFile = 0xf2, kWindow = 0xa1;

class ObjectTotalsTest : public testing::Test {
 protected:
  ObjectTotalsTest() {
    for (const char* name : {"a", "b"}) objects_.files.emplace_back().name = name;
    objects_.windows.emplace_back().name = "w";
    objects_.ranks.push_back({.files = ObjectHandles{{{kFile, 100, 0}, {kOtherFile, 100, 1}}},
                              .windows = ObjectHandles{{{kWindow, 100, 0}}}});
    totals_ = ObjectTotals{objects_};
  }

  static EventRow row(std::int64_t duration_ns, std::uint64_t sent = 0, std::uint64_t received = 0) {
    EventRow made{};
    made.duration_ns = duration_ns;
    made.bytes_sent = sent;
    made.bytes_received = received;
    return made;
  }
  void access_file(Role role, std::uint64_t file, const EventRow& as, std::uint64_t enter = 200) {
    const FileAccess access{.file = file};
    Call call;
    call.call = CallId::File_read;
    call.payload = Payload::io;
    call.enter_ticks = enter;
    call.io = &access;
    totals_.add(0, call, {.role = role}, as);
  }
  void access_window(Role role, const EventRow& as) {
    Rma access;
    access.window = kWindow;
    Call call;
    call.call = CallId::Put;
    call.payload = Payload::rma;
    call.enter_ticks = 200;
    call.rma = &access;
    totals_.add(0, call, {.role = role}, as);
  }
  void use_handle(CallId id, Role role, std::uint64_t handle, std::uint64_t enter, std::uint64_t leave,
                  const EventRow& as) {
    const HandleUse use{handle};
    Call call;
    call.call = id;
    call.payload = Payload::handle;
    call.enter_ticks = enter;
    call.leave_ticks = leave;
    call.handle = &use;
    totals_.add(0, call, {.role = role}, as);
  }

  Objects objects_;
  ObjectTotals totals_;
};

TEST_F(ObjectTotalsTest, ReadsAndWritesOfAFileAreAddedUpByDirection) {
  access_file(Role::get, kFile, row(1'000, 0, 64));
  access_file(Role::get, kFile, row(2'000, 0, 32));
  access_file(Role::put, kFile, row(500, 128));
  const FileSummary file = totals_.files().front();
  EXPECT_EQ(file.name, "a");
  EXPECT_EQ(file.reads, 2u);
  EXPECT_EQ(file.read_bytes, 96u);
  EXPECT_DOUBLE_EQ(file.read_s, 3e-6);
  EXPECT_EQ(file.writes, 1u);
  EXPECT_EQ(file.write_bytes, 128u);
  EXPECT_DOUBLE_EQ(file.write_s, 5e-7);
  EXPECT_EQ(file.others, 0u);
}

TEST_F(ObjectTotalsTest, AHandleMeansTheFileThatWasOpenedBefore) {
  access_file(Role::get, kFile, row(1'000, 0, 64), 99);
  EXPECT_EQ(totals_.files().front().reads, 0u);
}

TEST_F(ObjectTotalsTest, FilesAreListedByTimeLongestFirst) {
  access_file(Role::get, kFile, row(10));
  access_file(Role::put, kOtherFile, row(20));
  const std::vector<FileSummary> files = totals_.files();
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].name, "b");
  EXPECT_EQ(files[1].name, "a");
}

TEST_F(ObjectTotalsTest, TheSecondHalfOfASplitCollectiveTakesTimeAndMovesNoData) {
  access_file(Role::get, kFile, row(1'000, 0, 64));
  use_handle(CallId::File_read_all_end, Role::get, kFile, 300, 310, row(500, 0, 0));
  const FileSummary file = totals_.files().front();
  EXPECT_EQ(file.reads, 1u);
  EXPECT_EQ(file.read_bytes, 64u);
  EXPECT_DOUBLE_EQ(file.read_s, 1.5e-6);
}

TEST_F(ObjectTotalsTest, OpeningBelongsToTheFileThatItReturns) {
  use_handle(CallId::File_open, Role::open_file, kOtherFile, 90, 100, row(700));
  const FileSummary file = totals_.files().front();
  EXPECT_EQ(file.name, "b");
  EXPECT_EQ(file.others, 1u);
  EXPECT_DOUBLE_EQ(file.other_s, 7e-7);
}

TEST_F(ObjectTotalsTest, AccessesToAWindowAreAddedUpByKind) {
  access_window(Role::put, row(100, 8));
  access_window(Role::get, row(200, 0, 16));
  access_window(Role::exchange, row(300, 4, 4));
  use_handle(CallId::Win_fence, Role::plain, kWindow, 300, 310, row(50));
  const WindowSummary window = totals_.windows().front();
  EXPECT_EQ(window.puts, 1u);
  EXPECT_EQ(window.put_bytes, 8u);
  EXPECT_EQ(window.gets, 1u);
  EXPECT_EQ(window.get_bytes, 16u);
  EXPECT_EQ(window.exchanges, 1u);
  EXPECT_EQ(window.exchange_bytes, 8u);
  EXPECT_DOUBLE_EQ(window.access_s, 6e-7);
  EXPECT_EQ(window.syncs, 1u);
  EXPECT_DOUBLE_EQ(window.sync_s, 5e-8);
}

}  // namespace
}  // namespace meridian
