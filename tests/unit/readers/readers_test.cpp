// SPDX-License-Identifier: Apache-2.0
// Rank files that another process has open, and messages that are damaged.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "merger/readers/rank_readers.hpp"
#include "reading.hpp"
#include "sample_rank.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/temp_dir.hpp"

namespace meridian::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::vector<RankPlace> write_ranks(const fs::path& directory, std::size_t ranks, std::size_t events) {
  std::vector<RankPlace> places;
  for (std::size_t i = 0; i < ranks; ++i) {
    places.push_back({directory / rank_file_name(static_cast<std::int32_t>(i)), ""});
    EXPECT_TRUE(write_sample(places.back().file, sample_rank(3 + i, events)));
  }
  return places;
}

/// All events of a segment, a batch for each piece.
std::vector<EventBatch> all_pieces(RankFile& file, std::size_t segment) {
  std::vector<EventBatch> batches;
  SegmentPieces pieces = file.pieces(segment);
  while (pieces.left() != 0) {
    EXPECT_TRUE(file.read(pieces, batches.emplace_back()));
    if (::testing::Test::HasFailure()) break;
  }
  return batches;
}

void expect_same_events(RankFile& found, RankFile& expected) {
  ASSERT_TRUE(is_same(found.meta(), expected.meta()));
  for (std::size_t i = 0; i < expected.meta().segments.size(); ++i) {
    const std::vector<EventBatch> there = all_pieces(found, i), here = all_pieces(expected, i);
    ASSERT_EQ(there.size(), here.size());
    for (std::size_t piece = 0; piece < here.size(); ++piece) EXPECT_TRUE(is_same(there[piece], here[piece]));
  }
}

TEST(RankFilesOfOtherProcesses, HaveTheSameTablesAndEvents) {
  const TempDir directory;
  const std::vector<RankPlace> places = write_ranks(directory.path(), 7, 900);
  ReadingProcesses reading{3};
  RankReaders readers{reading.processes, directory.path()};
  {
    auto files = readers.open(places);
    ASSERT_TRUE(files) << files.error().what;
    ASSERT_THAT(*files, SizeIs(7));
    for (std::size_t i = 0; i < places.size(); ++i) {
      auto expected = RankFile::open(places[i].file);
      ASSERT_TRUE(expected && (*files)[i]) << i;
      EventBatch there, here;
      for (std::size_t segment = 0; segment < expected->meta().segments.size(); ++segment) {
        ASSERT_TRUE((*files)[i]->read(segment, there));
        ASSERT_TRUE(expected->read(segment, here));
        EXPECT_TRUE(is_same(there, here)) << i << ": " << segment;
      }
      (*files)[i]->read_by_pieces(100, nullptr);
      expected->read_by_pieces(100, nullptr);
      expect_same_events(*(*files)[i], *expected);
    }
  }
  EXPECT_TRUE(readers.status());
  EXPECT_TRUE(reading.end());
}

TEST(RankFilesOfOtherProcesses, AreReadInAnyOrderAnnouncedOrNotToTheEndOrNot) {
  const TempDir directory;
  const std::vector<RankPlace> places = write_ranks(directory.path(), 4, 600);
  ReadingProcesses reading{2};
  RankReaders readers{reading.processes, directory.path()};
  {
    auto files = readers.open(places);
    ASSERT_TRUE(files) << files.error().what;
    std::mt19937_64 random{seeded(5)};
    for (int round = 0; round < 60; ++round) {
      RankFile& file = *(*files)[2 + random() % 2];  // those of the other process
      const std::size_t segment = random() % file.meta().segments.size();
      if (round == 0) file.read_by_pieces(50, nullptr);
      if (random() % 2 == 0) file.announce(random() % file.meta().segments.size());
      auto expected = RankFile::open(places[&file == &*(*files)[2] ? 2 : 3].file);
      ASSERT_TRUE(expected);
      expected->read_by_pieces(50, nullptr);
      SegmentPieces there = file.pieces(segment), here = expected->pieces(segment);
      for (std::uint64_t pieces = random() % 9; pieces != 0 && here.left() != 0; --pieces) {
        EventBatch found, wanted;
        ASSERT_TRUE(file.read(there, found));
        ASSERT_TRUE(expected->read(here, wanted));
        EXPECT_TRUE(is_same(found, wanted));
        EXPECT_EQ(there.left(), here.left());
      }
    }
  }
  EXPECT_TRUE(reading.end());
}

TEST(RankFilesOfOtherProcesses, ThatCannotBeOpenedHaveTheSameErrors) {
  const TempDir directory;
  std::vector<RankPlace> places = write_ranks(directory.path(), 4, 50);
  fs::resize_file(places[2].file, 700);
  fs::remove(places[3].file);
  ReadingProcesses reading{2};
  RankReaders readers{reading.processes, directory.path()};
  const auto files = readers.open(places);
  ASSERT_TRUE(files) << files.error().what;
  for (std::size_t i : {2u, 3u}) {
    ASSERT_FALSE((*files)[i]);
    const auto expected = RankFile::open(places[i].file);
    EXPECT_EQ((*files)[i].error().what, expected.error().what);
    EXPECT_EQ((*files)[i].error().code, expected.error().code);
    EXPECT_EQ((*files)[i].error().hint, expected.error().hint);
  }
  EXPECT_TRUE(reading.end());
}

TEST(RankFilesOfOtherProcesses, NeedAFileSystemThatAllSee) {
  const TempDir directory;
  std::vector<RankPlace> places = write_ranks(directory.path(), 2, 50);
  for (RankPlace& place : places) place.file = fs::relative(place.file);
  fs::path deep = directory.path();
  for (int i = 0; i < 50; ++i) deep /= "d";
  fs::create_directories(deep);
  ForkedProcesses processes{2, [&](Processes& others) {
                              fs::current_path(deep);  // where these names lead nowhere
                              return read_ranks(others);
                            }};
  RankReaders readers{processes, directory.path()};
  const auto files = readers.open(places);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, Errc::not_found);
  EXPECT_THAT(files.error().what, HasSubstr("process 1 of the merge does not see"));
  EXPECT_THAT(files.error().hint, HasSubstr("same file system"));
  EXPECT_TRUE(processes.send(1, {static_cast<std::uint8_t>(Work::end)}));
  EXPECT_TRUE(processes.join());
}

TEST(AReaderThatIsGone, IsAnErrorOfAllItsRanksThatStatusKeeps) {
  const TempDir directory;
  const std::vector<RankPlace> places = write_ranks(directory.path(), 4, 300);
  ForkedProcesses processes{2, [](Processes& others) { return read_ranks(others, 2); }};
  RankReaders readers{processes, directory.path()};
  auto files = readers.open(places);
  ASSERT_TRUE(files) << files.error().what;
  EventBatch batch;
  EXPECT_TRUE((*files)[2]->read(0, batch));  // the second request, after which the reader ends
  EXPECT_TRUE(readers.status());
  EXPECT_FALSE((*files)[3]->read(0, batch));
  ASSERT_FALSE(readers.status());
  EXPECT_EQ(readers.status().error().code, Errc::io);
  EXPECT_FALSE((*files)[2]->read(0, batch));
  EXPECT_TRUE((*files)[0]->read(0, batch));  // process 0 has that one
}

TEST(AReader, RefusesRequestsThatItDoesNotUnderstand) {
  const TempDir directory;
  const std::vector<RankPlace> places = write_ranks(directory.path(), 1, 50);
  struct Nobody : Processes {
    int rank() const noexcept override { return 1; }
    int count() const noexcept override { return 2; }
    Status send(int, Message) override { return {}; }
    Result<Message> receive(int) override { return Error{Errc::io, "nobody is there", ""}; }
  } nobody;
  ReaderProcess reader{nobody};
  StateWriter open;
  std::vector<RankPlace> list = places;
  open(RankWork::open);
  archive_places(open, list);
  ASSERT_TRUE(reader.answer(open.bytes()));
  EXPECT_FALSE(reader.answer({}));
  std::mt19937_64 random{seeded(6)};
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::uint8_t> request(random() % 40);
    for (std::uint8_t& byte : request) byte = static_cast<std::uint8_t>(random() % 4 == 0 ? random() : 0);
    if (!request.empty()) request[0] = static_cast<std::uint8_t>(random() % 7);
    (void)bool{reader.answer(request)};  // whatever it says, it neither crashes nor reads beyond the bytes
  }
  StateWriter far;
  far(RankWork::begin, std::uint64_t{1}, std::uint64_t{0}, std::uint64_t{99}, std::uint8_t{0});
  EXPECT_FALSE(reader.answer(far.bytes()));
  StateWriter unknown;
  unknown(RankWork::next, std::uint64_t{77});
  EXPECT_FALSE(reader.answer(unknown.bytes()));
}

TEST(AnAnswerOfAReader, ThatIsGarbledIsAnErrorAndNoCrash) {
  const TempDir directory;
  const std::vector<RankPlace> places = write_ranks(directory.path(), 2, 300);
  for (std::uint64_t seed = 0; seed < cases(40); ++seed) {
    ForkedProcesses processes{2, [&](Processes& others) {
                                struct Garbled : Processes {
                                  Garbled(Processes& to_, std::uint64_t seed_) : to{to_}, random{seeded(seed_)} {}
                                  int rank() const noexcept override { return to.rank(); }
                                  int count() const noexcept override { return to.count(); }
                                  Result<Message> receive(int from) override { return to.receive(from); }
                                  Status send(int other, Message message) override {
                                    message[random() % std::min<std::size_t>(message.size(), 200)] ^=
                                        static_cast<std::uint8_t>(1 + random() % 255);
                                    if (random() % 3 == 0) message.resize(random() % message.size());
                                    return to.send(other, std::move(message));
                                  }
                                  Processes& to;
                                  std::mt19937_64 random;
                                } garbled{others, seed};
                                return read_ranks(garbled);
                              }};
    RankReaders readers{processes, directory.path()};
    auto files = readers.open(places);
    if (files && (*files)[1] && !(*files)[1]->meta().segments.empty()) {
      EventBatch batch;
      (void)bool{(*files)[1]->read(0, batch)};
    }
    (void)bool{processes.send(1, {static_cast<std::uint8_t>(Work::end)})};
  }
}

}  // namespace
}  // namespace meridian::test
