// SPDX-License-Identifier: Apache-2.0
// Samples on their way to the rank file: what was stored is read, whatever happens to the end or to a byte.

#include <gtest/gtest.h>

#include <tuple>

#include "tests/support/ring_producer.hpp"
#include "tests/support/temp_dir.hpp"
#include "trace/records/finish/sample_spool.hpp"

namespace meridian {
namespace {

using namespace test;

bool are_equal(const SampleRow& a, const SampleRow& b) {
  return std::tuple{a.ticks, a.thread, a.stack} == std::tuple{b.ticks, b.thread, b.stack};
}

const std::vector<ProcessorRow> kIntervals = {{1'000'000'100'000, 90'000, 0, 3, 1, true},
                                              {1'000'000'050'000, 40'000, 30'000, 4'000'000'000, 4'000'000'000, false}};

// What grew may become less again.
const std::vector<MemoryRow> kReadings = {{1'000'000'000'000, 5'000'000, 5'000'000, 0, 1000, 3},
                                          {1'000'000'100'000, 4'000'000, 6'000'000, 1'000'000, 1001, 3},
                                          {1'000'000'200'000, 0, 6'000'000, 0, 5000, 4}};

const std::vector<EnergyRow> kUsed = {
    {1'000'000'000'000, 0, 0}, {1'000'000'000'000, 7, kMostEnergyZones - 1}, {1'000'000'200'000, 0, 0}};

class SampleSpool : public testing::Test {
 protected:
  RingFile open() { return *RingFile::open(made.path(), RingFile::Access::drain); }
  /// Two stacks and these samples.
  void store(const std::vector<SampleRow>& rows) {
    auto writer = SampleSpoolWriter::create(path, ring);
    ASSERT_TRUE(writer) << writer.error().what;
    writer->add(StackRow{0, 0x401000});
    writer->add("samples.lost", "3", 0);
    writer->add(StackRow{1, 0xffff'ffff'ffff'fff0});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i < kIntervals.size()) writer->add(kIntervals[i]);
      if (i < kReadings.size()) writer->add(kReadings[i]);
      if (i < kUsed.size()) writer->add(kUsed[i]);
      writer->add(rows[i]);
    }
    writer->add("samples.lost", "5", 0);
    writer->add("samples.lost", "7", 9);
    ASSERT_TRUE(writer->store());
  }
  std::vector<SampleRow> read() {
    std::vector<SampleRow> rows;
    auto reader = SampleSpoolReader::open(path, ring);
    if (!reader) return rows;
    intervals.clear();
    readings.clear();
    used.clear();
    for (SampleSpoolReader::Row row; reader->next(row);) {
      if (const auto* const sample = std::get_if<SampleRow>(&row)) rows.push_back(*sample);
      if (const auto* const interval = std::get_if<ProcessorRow>(&row)) intervals.push_back(*interval);
      if (const auto* const reading = std::get_if<MemoryRow>(&row)) readings.push_back(*reading);
      if (const auto* const energy = std::get_if<EnergyRow>(&row)) used.push_back(*energy);
    }
    is_damaged = reader->is_damaged();
    stacks = reader->stacks();
    texts = reader->texts();
    return rows;
  }

  TempDir dir;
  std::filesystem::path path = dir / "rank-00001.samples";
  TestRing made{dir / "a.ring", {}};
  RingFile ring = open();
  bool is_damaged = false;
  std::vector<StackRow> stacks;
  std::vector<TextRow> texts;
  std::vector<ProcessorRow> intervals;
  std::vector<MemoryRow> readings;
  std::vector<EnergyRow> used;
};

const std::vector<SampleRow> kRows = {
    {1'000'000'000'000, 0, 1}, {1'000'030'000'000, 4'000'000'000, 2}, {1'000'029'999'000, 1, 0}, {0, 1, 2}};

TEST_F(SampleSpool, HasWhatWasStored) {
  store(kRows);
  const auto rows = read();
  ASSERT_EQ(rows.size(), kRows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_TRUE(are_equal(rows[i], kRows[i])) << i;
  ASSERT_EQ(stacks.size(), 3U);
  EXPECT_EQ(stacks[1].address, 0x401000U);
  EXPECT_EQ(stacks[2].parent, 1U);
  EXPECT_EQ(stacks[2].address, 0xffff'ffff'ffff'fff0U);
  EXPECT_FALSE(is_damaged);
}

TEST_F(SampleSpool, HasTheIntervalsBetweenTheSamples) {
  store(kRows);
  EXPECT_EQ(read().size(), kRows.size());
  ASSERT_EQ(intervals.size(), kIntervals.size());
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    EXPECT_EQ(intervals[i].ticks, kIntervals[i].ticks);
    EXPECT_EQ(intervals[i].length, kIntervals[i].length);
    EXPECT_EQ(intervals[i].ran, kIntervals[i].ran);
    EXPECT_EQ(intervals[i].thread, kIntervals[i].thread);
    EXPECT_EQ(intervals[i].count, kIntervals[i].count);
    EXPECT_EQ(intervals[i].is_ready, kIntervals[i].is_ready);
  }
}

TEST_F(SampleSpool, HasTheReadingsOfTheMemory) {
  store(kRows);
  EXPECT_EQ(read().size(), kRows.size());
  EXPECT_EQ(readings, kReadings);
}

TEST_F(SampleSpool, HasTheReadingsOfTheEnergy) {
  store(kRows);
  EXPECT_EQ(read().size(), kRows.size());
  EXPECT_EQ(used, kUsed);
}

TEST_F(SampleSpool, SaysThatNoZoneHasThatMuchEnergyOrThatNumber) {
  for (const EnergyRow& wrong :
       {EnergyRow{1'000'000'000'000, std::uint64_t{1} << 60, 0}, EnergyRow{1'000'000'000'000, 0, kMostEnergyZones}}) {
    auto writer = SampleSpoolWriter::create(path, ring);
    ASSERT_TRUE(writer) << writer.error().what;
    writer->add(kUsed[0]);
    writer->add(wrong);
    writer->add(kUsed[1]);
    ASSERT_TRUE(writer->store());
    read();
    EXPECT_TRUE(is_damaged);
    EXPECT_EQ(used, std::vector{kUsed[0]});
  }
}

TEST_F(SampleSpool, SaysThatNoProcessHasThatMuchMemory) {
  auto writer = SampleSpoolWriter::create(path, ring);
  ASSERT_TRUE(writer) << writer.error().what;
  writer->add(kReadings[0]);
  writer->add(MemoryRow{1'000'000'100'000, std::uint64_t{1} << 60, 0, 0, 0, 0});
  writer->add(kReadings[1]);
  ASSERT_TRUE(writer->store());
  read();
  EXPECT_TRUE(is_damaged);
  EXPECT_EQ(readings, std::vector{kReadings[0]});
}

TEST_F(SampleSpool, KeepsTheLastTextOfAKeyAndHandle) {
  store(kRows);
  read();
  ASSERT_EQ(texts.size(), 2U);
  EXPECT_EQ(texts[0].value, "5");
  EXPECT_EQ(texts[1].value, "7");
  EXPECT_EQ(texts[1].handle, 9U);
}

TEST_F(SampleSpool, EndsWhereItIsTorn) {
  store(kRows);
  const std::vector<char> bytes = bytes_of(path);
  std::size_t most = 0;
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    put_bytes(path, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)});
    const auto rows = read();
    EXPECT_FALSE(is_damaged) << length;
    EXPECT_GE(rows.size(), most);
    most = rows.size();
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_TRUE(are_equal(rows[i], kRows[i])) << length;
  }
  EXPECT_EQ(most, kRows.size());
}

TEST_F(SampleSpool, RefersToStacksThatAreThereWhateverByteIsDamaged) {
  store(kRows);
  const std::vector<char> bytes = bytes_of(path);
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::vector<char> damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ 1 << bit);
      put_bytes(path, damaged);
      for (const SampleRow& row : read()) ASSERT_LT(row.stack, stacks.size()) << at << '.' << bit;
      for (const ProcessorRow& row : intervals) ASSERT_TRUE(row.is_valid()) << at << '.' << bit;
      for (const MemoryRow& row : readings) ASSERT_TRUE(row.is_valid()) << at << '.' << bit;
      for (const EnergyRow& row : used) ASSERT_TRUE(row.is_valid()) << at << '.' << bit;
      for (std::size_t i = 1; i < stacks.size(); ++i) ASSERT_LT(stacks[i].parent, i) << at << '.' << bit;
    }
}

TEST_F(SampleSpool, SaysThatAStackIsNotThere) {
  store({{5, 0, 1}, {6, 0, 3}, {7, 0, 1}});
  EXPECT_EQ(read().size(), 1U);
  EXPECT_TRUE(is_damaged);
}

TEST_F(SampleSpool, OfAnotherProcessIsNotFound) {
  store(kRows);
  ++made.header().process_start;
  const auto reader = SampleSpoolReader::open(path, ring);
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, Errc::not_found);
}

TEST_F(SampleSpool, ThatIsNotThereIsNotFound) {
  const auto reader = SampleSpoolReader::open(dir / "none", ring);
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, Errc::not_found);
}

}  // namespace
}  // namespace meridian
