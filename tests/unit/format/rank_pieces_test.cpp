// SPDX-License-Identifier: Apache-2.0
// Rank files that are read by pieces, with decoded columns outside of memory, and without HDF5.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <vector>

#include "sample_rank.hpp"
#include "tests/support/temp_dir.hpp"
#include "trace/format/chunks/plane_store.hpp"
#include "trace/format/chunks/raw_file.hpp"
#include "trace/format/tables/column.hpp"

namespace meridian {
namespace {

using test::TempDir;

class MapStore : public PlaneStore {
 public:
  std::uint64_t take() override { return next_++; }
  void give_back(std::uint64_t block) override { blocks.erase(block); }
  Status write(std::uint64_t block, std::span<const std::uint8_t> bytes) override {
    if (is_full) return Error{Errc::io, "the store is full", ""};
    most = std::max(most, blocks.size() + 1);
    blocks[block].assign(bytes.begin(), bytes.end());
    return {};
  }
  Status read(std::uint64_t block, std::size_t offset, std::span<std::uint8_t> bytes) override {
    std::copy_n(blocks.at(block).begin() + static_cast<std::ptrdiff_t>(offset), bytes.size(), bytes.begin());
    return {};
  }
  std::map<std::uint64_t, std::vector<std::uint8_t>> blocks;
  std::size_t most = 0;
  bool is_full = false;

 private:
  std::uint64_t next_ = 0;
};

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void append(EventBatch& to, const EventBatch& from) {
  append(to.enter_ticks, from.enter_ticks);
  append(to.leave_ticks, from.leave_ticks);
  append(to.call, from.call);
  append(to.payload, from.payload);
  append(to.flags, from.flags);
  append(to.completion_count, from.completion_count);
  append(to.completions, from.completions);
  append(to.user_values, from.user_values);
  append(to.sites, from.sites);
  append(to.nodes, from.nodes);
  append(to.counters, from.counters);
  append(to.counters_between, from.counters_between);
#define MERIDIAN_EVENT(payload, Row, table) append(to.table, from.table);
#define MERIDIAN_PAIR(payload, of, Row, table)
#define MERIDIAN_OTHER(payload, Body)
#include "trace/model/payloads.def"
}

/// All events of a segment, read by pieces.
EventBatch read_pieces(RankFile& file, std::size_t index, std::size_t most) {
  EventBatch whole, batch;
  SegmentPieces pieces = file.pieces(index);
  while (pieces.left() != 0) {
    const Status read = file.read(pieces, batch);
    EXPECT_TRUE(read) << read.error().what;
    if (!read) break;
    EXPECT_LE(batch.call.size(), most);
    append(whole, batch);
  }
  return whole;
}

RankFile open_file(const std::filesystem::path& path) {
  auto file = RankFile::open(path);
  EXPECT_TRUE(file) << file.error().what;
  return *std::move(file);
}

TEST(RankFileByPieces, HasTheRowsOfWholeSegments) {
  const TempDir dir;
  const auto sample = test::sample_rank(3, 30'000);  // some columns have several chunks
  ASSERT_TRUE(test::write_sample(dir / "a.h5", sample));
  for (const bool has_store : {false, true})
    for (const std::size_t most : {std::size_t{700}, std::size_t{29'999}, std::size_t{1'000'000}}) {
      const auto store = has_store ? std::make_shared<MapStore>() : nullptr;
      RankFile file = open_file(dir / "a.h5");
      file.read_by_pieces(most, store);
      for (std::size_t i = 0; i < sample.batches.size(); ++i)
        EXPECT_TRUE(test::is_same(read_pieces(file, i, most), sample.batches[i].second)) << most << " " << i;
      EXPECT_EQ(has_store, store != nullptr && store->most > 0);
    }
}

TEST(RankFileByPieces, OfOneEventHasTheRowsOfWholeSegments) {
  const TempDir dir;
  const auto sample = test::sample_rank(2, 50);
  ASSERT_TRUE(test::write_sample(dir / "a.h5", sample));
  RankFile file = open_file(dir / "a.h5");
  file.read_by_pieces(1, nullptr);
  for (std::size_t i = 0; i < sample.batches.size(); ++i)
    EXPECT_TRUE(test::is_same(read_pieces(file, i, 1), sample.batches[i].second)) << i;
}

TEST(RankFileByPieces, GivesTheBlocksOfItsStoreBack) {
  const TempDir dir;
  ASSERT_TRUE(test::write_sample(dir / "a.h5", test::sample_rank(2, 30'000)));
  const auto store = std::make_shared<MapStore>();
  {
    RankFile file = open_file(dir / "a.h5");
    file.read_by_pieces(1000, store);
    for (std::size_t i = 0; i < file.meta().segments.size(); ++i) read_pieces(file, i, 1000);
    EXPECT_FALSE(store->blocks.empty());
  }
  EXPECT_TRUE(store->blocks.empty());
}

TEST(RankFileByPieces, OfAFullStoreAreAnError) {
  const TempDir dir;
  ASSERT_TRUE(test::write_sample(dir / "a.h5", test::sample_rank(1, 30'000)));
  const auto store = std::make_shared<MapStore>();
  store->is_full = true;
  RankFile file = open_file(dir / "a.h5");
  file.read_by_pieces(1000, store);
  EventBatch batch;
  SegmentPieces pieces = file.pieces(0);
  const Status read = file.read(pieces, batch);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().what, "the store is full");
}

// Files that other programs have compressed in their own way, which HDF5 reads.
TEST(RankFileByPieces, ThatOnlyHdf5CanReadHasTheSameRows) {
  const TempDir dir;
  const auto sample = test::sample_rank(2, 3000);
  ASSERT_TRUE(test::write_sample(dir / "a.h5", sample));
  {
    const h5::File file{H5Fopen((dir / "a.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT)};
    auto reader = ColumnReader::open(file.get(), "p2p/peer");
    ASSERT_TRUE(reader);
    std::vector<std::int32_t> values(reader->size());
    ASSERT_TRUE(reader->read(0, std::span{values}));
    ASSERT_GE(H5Ldelete(file.get(), "p2p/peer", H5P_DEFAULT), 0);
    const hsize_t rows = values.size();
    const h5::Space space{H5Screate_simple(1, &rows, nullptr)};
    const h5::Dataset plain{
        H5Dcreate2(file.get(), "p2p/peer", H5T_STD_I32BE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)};
    ASSERT_GE(H5Dwrite(plain.get(), H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  }
  RankFile file = open_file(dir / "a.h5");
  EXPECT_TRUE(file.needs_hdf5());
  file.read_by_pieces(700, std::make_shared<MapStore>());
  for (std::size_t i = 0; i < sample.batches.size(); ++i)
    EXPECT_TRUE(test::is_same(read_pieces(file, i, 700), sample.batches[i].second)) << i;
}

// The last row of a table is damaged: no piece has the table, as if the segment had been read whole.
TEST(RankFileByPieces, LackInAllPiecesWhatOneOfThemLacks) {
  const TempDir dir;
  ASSERT_TRUE(test::write_sample(dir / "a.h5", test::sample_rank(1, 3000)));
  {
    const h5::File file{H5Fopen((dir / "a.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT)};
    auto reader = ColumnReader::open(file.get(), "p2p/comm");
    ASSERT_TRUE(reader);
    std::vector<std::uint32_t> values(reader->size());
    ASSERT_TRUE(reader->read(0, std::span{values}));
    values.back() = 4'000'000'000u;
    ASSERT_GE(H5Ldelete(file.get(), "p2p/comm", H5P_DEFAULT), 0);
    auto column = ColumnWriter::create(file.get(), "p2p/comm", ColumnType::u32);
    ASSERT_TRUE(column->append(std::span{values}));
    ASSERT_TRUE(column->finish());
  }
  RankFile whole = open_file(dir / "a.h5"), file = open_file(dir / "a.h5");
  file.read_by_pieces(500, nullptr);
  for (std::size_t i = 0; i < whole.meta().segments.size(); ++i) {
    EventBatch expected, batch;
    ASSERT_TRUE(whole.read(i, expected));
    std::uint64_t lacking = 0;
    EventBatch found;
    SegmentPieces pieces = file.pieces(i);
    while (pieces.left() != 0) {
      ASSERT_TRUE(file.read(pieces, batch));
      for (const Unreadable& lack : batch.unreadable) lacking += lack.count;
      append(found, batch);
    }
    EXPECT_TRUE(test::is_same(found, expected)) << i;
    std::uint64_t expected_lacking = 0;
    for (const Unreadable& lack : expected.unreadable) expected_lacking += lack.count;
    EXPECT_EQ(lacking, expected_lacking) << i;
  }
  EXPECT_EQ(file.flaws(), 1u);
  EXPECT_EQ(whole.flaws(), 1u);
  EXPECT_EQ(file.meta().texts.back().value, whole.meta().texts.back().value);
}

TEST(RankFiles, KeepFewDescriptors) {
  const TempDir dir;
  const auto sample = test::sample_rank(1, 500);
  ASSERT_TRUE(test::write_sample(dir / "a.h5", sample));
  const auto open_descriptors = [] {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator{"/proc/self/fd"}, {}));
  };
  const std::size_t before = open_descriptors();
  std::vector<RankFile> files;
  for (int i = 0; i < 100; ++i) files.push_back(open_file(dir / "a.h5"));
  EventBatch batch;
  for (RankFile& file : files) {
    EXPECT_FALSE(file.needs_hdf5());
    ASSERT_TRUE(file.read(0, batch));
    EXPECT_TRUE(test::is_same(batch, sample.batches[0].second));
  }
  EXPECT_LE(open_descriptors(), before + RawFile::kMostOpen);
  files.clear();
  EXPECT_EQ(open_descriptors(), before);
}

TEST(RankFile, ThatIsReplacedWhileItIsReadIsAnError) {
  const TempDir dir;
  ASSERT_TRUE(test::write_sample(dir / "a.h5", test::sample_rank(1, 3000)));
  RankFile file = open_file(dir / "a.h5");
  std::filesystem::copy_file(dir / "a.h5", dir / "b.h5");
  std::filesystem::rename(dir / "b.h5", dir / "a.h5");
  EventBatch batch;
  const Status read = file.read(0, batch);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().what.find("another file has taken its place"), std::string::npos) << read.error().what;
}

}  // namespace
}  // namespace meridian
