// SPDX-License-Identifier: Apache-2.0
#include "trace/format/rank/rank_file.hpp"

#include <gtest/gtest.h>

#include "sample_rank.hpp"
#include "tests/support/temp_dir.hpp"

namespace meridian {
namespace {

using test::TempDir;

RankFile open(const std::filesystem::path& path) {
  auto file = RankFile::open(path);
  EXPECT_TRUE(file) << file.error().what;
  return *std::move(file);
}

TEST(RankFile, GivesBackEverythingThatWasWritten) {
  const TempDir dir;
  const auto sample = test::sample_rank(7, 30'000);  // some columns have several chunks
  const Status written = test::write_sample(dir / "rank-00003.h5", sample);
  ASSERT_TRUE(written) << written.error().what;
  RankFile file = open(dir / "rank-00003.h5");
  EXPECT_TRUE(test::is_same(file.meta(), sample.meta));
  ASSERT_EQ(file.meta().segments.size(), sample.batches.size());
  EventBatch batch;
  for (const std::size_t index : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 6u, 0u, 3u}) {  // in order, then not
    const Status read = file.read(index, batch);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(file.meta().segments[index].thread, sample.batches[index].first.value);
    EXPECT_TRUE(test::is_same(batch, sample.batches[index].second)) << index;
  }
}

TEST(RankFile, NamesTheCallThatMadeACommunicator) {
  const TempDir dir;
  ASSERT_TRUE(test::write_sample(dir / "a.h5", test::sample_rank(1, 10)));
  const RankFile file = open(dir / "a.h5");
  const auto& meta = file.meta();
  EXPECT_EQ(meta.comms[0].call, 0u);
  EXPECT_EQ(meta.call_names[meta.comms[1].call], "MPI_Comm_split");
  EXPECT_EQ(meta.calls[meta.comms[1].call], CallId::Comm_split);
}

TEST(RankFile, GivesBackTheSumsOfAProfile) {
  const TempDir dir;
  test::Sample sample = test::sample_rank(1, 4);
  ProfileCallRow sums;
  sums.call = static_cast<std::uint32_t>(CallId::Allreduce);
  sums.site = 0x401000;
  sums.comm = 0xdef;
  sums.calls = 7;
  sums.ticks = ~std::uint64_t{0};
  sums.squares = {3, ~std::uint64_t{0}};
  sums.accesses = 2;
  sample.meta.profile = {.calls = {sums},
                         .peers = {{0xdef, 60, -1, 4, 32}},
                         .times = {{sums.call, 17, 7}},
                         .sizes = {{sums.call, 64, 7, 56}}};
  const Status written = test::write_sample(dir / "a.h5", sample);
  ASSERT_TRUE(written) << written.error().what;
  const RankFile file = open(dir / "a.h5");
  const RankProfile& read = file.meta().profile;
  ASSERT_EQ(read.calls.size(), 1u);
  EXPECT_EQ(file.meta().calls[read.calls[0].call], CallId::Allreduce);
  EXPECT_EQ(read.calls[0].site, 0x401000u);
  EXPECT_EQ(read.calls[0].ticks, ~std::uint64_t{0});
  EXPECT_TRUE(read.calls[0].squares.value() == sums.squares.value());
  EXPECT_EQ(read.calls[0].accesses, 2u);
  ASSERT_EQ(read.peers.size(), 1u);
  EXPECT_EQ(read.peers[0].peer, -1);
  ASSERT_EQ(read.times.size(), 1u);
  EXPECT_EQ(read.times[0].range, 17u);
  ASSERT_EQ(read.sizes.size(), 1u);
  EXPECT_EQ(read.sizes[0].size_class, 64u);
  EXPECT_EQ(file.meta().calls[read.sizes[0].call], CallId::Allreduce);
}

TEST(RankFile, GivesBackWhatARecorderHasDropped) {
  const TempDir dir;
  test::Sample sample = test::sample_rank(1, 4);
  OpenRequestRow request;
  request.request = 0xabc;
  request.call = static_cast<std::uint32_t>(CallId::Recv_init);
  request.peer = -1;
  request.tag = 7;
  request.started = 12;
  sample.meta.dropped = {
      .messages = {{0xdef, 60, 3, 7, 1, 100, 99}}, .collectives = {{0xdef, 60, 40, 2}}, .requests = {request}};
  const Status written = test::write_sample(dir / "a.h5", sample);
  ASSERT_TRUE(written) << written.error().what;
  const RankFile file = open(dir / "a.h5");
  const DroppedPart& read = file.meta().dropped;
  ASSERT_EQ(read.messages.size(), 1u);
  EXPECT_EQ(read.messages[0].peer, 3);
  EXPECT_EQ(read.messages[0].is_partitioned, 1u);
  EXPECT_EQ(read.messages[0].sent, 100u);
  EXPECT_EQ(read.messages[0].received, 99u);
  ASSERT_EQ(read.collectives.size(), 1u);
  EXPECT_EQ(read.collectives[0].entered, 40u);
  EXPECT_EQ(read.collectives[0].initialised, 2u);
  ASSERT_EQ(read.requests.size(), 1u);
  EXPECT_EQ(file.meta().calls[read.requests[0].call], CallId::Recv_init);
  EXPECT_EQ(read.requests[0].peer, -1);
  EXPECT_EQ(read.requests[0].started, 12u);
}

TEST(RankFile, OfARankWithoutEventsIsARankFile) {
  const TempDir dir;
  test::Sample empty;
  empty.meta.rank = 0;
  empty.meta.size = 1;
  const Status written = test::write_sample(dir / "a.h5", empty);
  ASSERT_TRUE(written) << written.error().what;
  const RankFile file = open(dir / "a.h5");
  EXPECT_EQ(file.meta().rank, 0);
  EXPECT_TRUE(file.meta().segments.empty());
  EXPECT_TRUE(file.meta().threads.empty());
  EXPECT_FALSE(file.meta().is_finalized);
}

TEST(RankFile, HoldsAThousandThreads) {
  const TempDir dir;
  test::Sample sample;
  sample.meta.rank = 0;
  sample.meta.size = 1;
  sample.meta.stacks.resize(4);
  for (std::uint32_t i = 0; i < 3000; ++i)
    sample.batches.emplace_back(ThreadId{i % 1000}, test::sample_batch(i, 1 + i % 7, 0));
  for (std::uint32_t i = 0; i < 1000; ++i) sample.meta.threads.push_back({i, 0, i, 0});
  ASSERT_TRUE(test::write_sample(dir / "a.h5", sample));
  RankFile file = open(dir / "a.h5");
  ASSERT_EQ(file.meta().segments.size(), 3000u);
  EventBatch batch;
  for (std::size_t i = 0; i < 3000; ++i) {
    ASSERT_TRUE(file.read(i, batch));
    ASSERT_EQ(file.meta().segments[i].thread, i % 1000);
    ASSERT_TRUE(test::is_same(batch, sample.batches[i].second));
  }
}

TEST(RankFile, KeepsTimesExactlyWhateverTheClockDoes) {
  const TempDir dir;
  test::Sample sample;
  sample.meta.rank = 0;
  sample.meta.size = 1;
  EventBatch batch = test::sample_batch(1, 6, 0);
  batch.enter_ticks = {~0ull - 5, 3, 2, 1ull << 63, 7, 7};  // past the end of 64 bits, backwards, far
  batch.leave_ticks = {~0ull, 1, ~0ull, 1ull << 63, 0, 7};
  sample.batches.emplace_back(ThreadId{0}, batch);
  ASSERT_TRUE(test::write_sample(dir / "a.h5", sample));
  RankFile file = open(dir / "a.h5");
  EventBatch read;
  ASSERT_TRUE(file.read(0, read));
  EXPECT_TRUE(test::is_same(read, batch));
}

TEST(RankFile, HoldsAHaloExchangeInLessThanSixBytesACall) {
  const TempDir dir;
  test::HaloStream stream;
  test::Sample sample;
  sample.meta.rank = 0;
  sample.meta.size = 16;
  constexpr std::size_t kIterations = 10'000;
  EventBatch batch;
  for (std::size_t i = 0; i < kIterations; ++i) {
    stream.iterate(batch);
    if (batch.call.size() >= 16384 || i + 1 == kIterations) {
      sample.batches.emplace_back(ThreadId{0}, batch);
      test::clear(batch);
    }
  }
  ASSERT_TRUE(test::write_sample(dir / "a.h5", sample));
  const double bytes = static_cast<double>(std::filesystem::file_size(dir / "a.h5"));
  const double per_call = bytes / (kIterations * test::HaloStream::kCallsPerIteration);
  RecordProperty("bytes_per_call", std::to_string(per_call));
  EXPECT_LT(per_call, 4.0);  // promised: 6
  RankFile file = open(dir / "a.h5");
  EventBatch read;
  for (std::size_t i = 0; i < sample.batches.size(); ++i) {
    ASSERT_TRUE(file.read(i, read));
    ASSERT_TRUE(test::is_same(read, sample.batches[i].second));
  }
}

TEST(RankFile, WithOneCallOfEachKindIsSmallerThanFortyKilobytes) {
  const TempDir dir;
  ASSERT_TRUE(test::write_sample(dir / "a.h5", test::sample_rank(1, 50)));
  EXPECT_LT(std::filesystem::file_size(dir / "a.h5"), 40'000u);
}

TEST(RankFile, OfEqualContentHasEqualBytes) {
  const TempDir dir;
  ASSERT_TRUE(test::write_sample(dir / "a.h5", test::sample_rank()));
  ASSERT_TRUE(test::write_sample(dir / "b.h5", test::sample_rank()));
  EXPECT_EQ(test::bytes_of(dir / "a.h5"), test::bytes_of(dir / "b.h5"));
}

TEST(RankFileWriter, LeavesNothingWhenItIsDroppedBeforeTheEnd) {
  const TempDir dir;
  {
    auto file = RankFileWriter::create(dir / "rank-00000.h5");
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->append(ThreadId{0}, test::sample_batch(1, 100'000, 0)));
    EXPECT_FALSE(std::filesystem::is_empty(dir.path()));
  }
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(RankFileWriter, ReplacesAnOlderFileOnlyWhenTheNewOneIsComplete) {
  const TempDir dir;
  const auto path = dir / "rank-00003.h5";
  ASSERT_TRUE(test::write_sample(path, test::sample_rank(1, 10)));
  const auto before = test::bytes_of(path);
  {
    auto file = RankFileWriter::create(path);
    ASSERT_TRUE(file->append(ThreadId{0}, test::sample_batch(1, 100, 0)));
    EXPECT_EQ(test::bytes_of(path), before);
  }
  EXPECT_EQ(test::bytes_of(path), before);
  ASSERT_TRUE(test::write_sample(path, test::sample_rank(1, 20)));
  EXPECT_EQ(open(path).meta().segments[0].events, 20u);
}

TEST(RankFileWriter, ReportsWhereItCannotWrite) {
  const auto file = RankFileWriter::create("/nonexistent/rank-00000.h5");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, Errc::io);
  EXPECT_EQ(file.error().what, "cannot create '/nonexistent/rank-00000.h5.part': No such file or directory");
}

TEST(RankFileName, HasFiveDigitsOrMore) {
  EXPECT_EQ(rank_file_name(3), "rank-00003.h5");
  EXPECT_EQ(rank_file_name(1234567), "rank-1234567.h5");
}

}  // namespace
}  // namespace meridian
