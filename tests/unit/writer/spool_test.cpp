// SPDX-License-Identifier: Apache-2.0
#include "trace/ring/spool.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <random>

#include "tests/support/seed.hpp"
#include "tests/support/temp_dir.hpp"

namespace meridian {
namespace {

using test::TempDir;
using Words = std::vector<std::uint64_t>;

constexpr RingFile::Geometry kGeometry{
    .slot_count = 4, .ring_bytes = 1 << 20, .block_bytes = 4096, .data_offset = 8192};

Words noise(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random{test::seeded(seed)};
  Words words(count);
  for (auto& word : words) word = random();
  return words;
}

struct Piece {
  std::uint32_t slot;
  std::uint64_t position;
  Words words;
  bool operator==(const Piece&) const = default;
};

std::vector<Piece> write_some(const std::filesystem::path& path) {
  std::vector<Piece> pieces;
  auto spool = SpoolWriter::create(path);
  EXPECT_TRUE(spool) << spool.error().what;
  for (std::uint32_t i = 0; i < 8; ++i) {
    pieces.push_back({i % 4, 8ull * 100 * i, noise(1 + 37 * i, i)});
    EXPECT_TRUE(spool->append(pieces[i].slot, pieces[i].position, pieces[i].words));
  }
  return pieces;
}

std::vector<Piece> read_all(const std::filesystem::path& path, bool* is_torn = nullptr) {
  auto spool = SpoolReader::open(path, kGeometry);
  EXPECT_TRUE(spool) << spool.error().what;
  std::vector<Piece> pieces;
  SpoolReader::Segment segment;
  while (spool->next(segment))
    pieces.push_back({segment.slot, segment.position, {segment.words.begin(), segment.words.end()}});
  if (is_torn != nullptr) *is_torn = spool->is_torn();
  return pieces;
}

TEST(Spool, GivesBackItsSegments) {
  const TempDir dir;
  const auto pieces = write_some(dir / "a.spool");
  bool is_torn = true;
  EXPECT_EQ(read_all(dir / "a.spool", &is_torn), pieces);
  EXPECT_FALSE(is_torn);
}

TEST(Spool, TruncatedAnywhereGivesTheCompleteSegments) {
  const TempDir dir;
  const auto pieces = write_some(dir / "a.spool");
  const auto bytes = test::bytes_of(dir / "a.spool");
  for (std::size_t length = 0; length < bytes.size(); length += 23) {
    test::put_bytes(dir / "cut", {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)});
    std::size_t whole = 0, end = 0;
    while (whole < pieces.size() && end + 32 + 8 * pieces[whole].words.size() <= length)
      end += 32 + 8 * pieces[whole++].words.size();
    bool is_torn = false;
    const auto read = read_all(dir / "cut", &is_torn);
    EXPECT_EQ(read, std::vector(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(whole)));
    EXPECT_EQ(is_torn, length != end);
  }
}

TEST(Spool, WithAFlippedBitEndsBeforeIt) {
  const TempDir dir;
  const auto pieces = write_some(dir / "a.spool");
  const auto bytes = test::bytes_of(dir / "a.spool");
  for (std::size_t at = 0; at < bytes.size(); at += 29) {
    auto flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    test::put_bytes(dir / "flipped", flipped);
    std::size_t whole = 0, end = 0;
    while (end + 32 + 8 * pieces[whole].words.size() <= at) end += 32 + 8 * pieces[whole++].words.size();
    EXPECT_EQ(read_all(dir / "flipped"),
              std::vector(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(whole)))
        << at;
  }
}

TEST(Spool, IsReadableOnlyByItsOwnerAndNeverReplacesAFile) {
  const TempDir dir;
  {
    auto spool = SpoolWriter::create(dir / "a.spool");
    struct stat status {};
    ASSERT_EQ(::stat((dir / "a.spool").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
  }
  EXPECT_FALSE(SpoolWriter::create(dir / "a.spool"));
  std::filesystem::create_symlink(dir / "target", dir / "link.spool");
  const auto through = SpoolWriter::create(dir / "link.spool");
  ASSERT_FALSE(through);
  EXPECT_EQ(through.error().what, "cannot create spool '" + (dir / "link.spool").string() + "': File exists");
  EXPECT_FALSE(std::filesystem::exists(dir / "target"));
}

TEST(Spool, ThatCannotGrowEndsWithItsLastCompleteSegment) {
  const TempDir dir;
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{.rlim_cur = 10'000, .rlim_max = limit.rlim_max};
  auto spool = SpoolWriter::create(dir / "a.spool");
  ASSERT_TRUE(spool->append(0, 0, noise(1000, 1)));
  ::setrlimit(RLIMIT_FSIZE, &small);
  const Status status = spool->append(1, 0, noise(1000, 2));
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, before);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Errc::io);
  EXPECT_EQ(std::filesystem::file_size(dir / "a.spool"), 32 + 8000u);
  ASSERT_TRUE(spool->append(2, 0, noise(10, 3)));  // there is room again
  const auto read = read_all(dir / "a.spool");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].words, noise(1000, 1));
  EXPECT_EQ(read[1].words, noise(10, 3));
}

TEST(Spool, ThatIsRestartedHasOnlyItsNewSegments) {
  const TempDir dir;
  auto spool = SpoolWriter::create(dir / "a.spool");
  ASSERT_TRUE(spool) << spool.error().what;
  for (std::uint32_t i = 0; i < 10; ++i) ASSERT_TRUE(spool->append(i % 4, 800ull * i, noise(100, i)));
  const auto size = std::filesystem::file_size(dir / "a.spool");
  for (std::uint32_t lap = 1; lap <= 3; ++lap) {
    ASSERT_TRUE(spool->restart());
    EXPECT_EQ(spool->bytes(), 0u);
    bool is_torn = true;
    EXPECT_TRUE(read_all(dir / "a.spool", &is_torn).empty());
    EXPECT_FALSE(is_torn);
    std::vector<Piece> pieces;
    for (std::uint32_t i = 0; i < lap; ++i) {
      pieces.push_back({i, 8000ull * lap + 800 * i, noise(100 + lap, lap)});
      ASSERT_TRUE(spool->append(i, pieces[i].position, pieces[i].words));
      EXPECT_EQ(read_all(dir / "a.spool", &is_torn), pieces);
      EXPECT_FALSE(is_torn);
    }
    EXPECT_EQ(std::filesystem::file_size(dir / "a.spool"), size);  // the same memory
  }
}

TEST(Spool, ThatIsRestartedEndsBeforeATornSegment) {
  const TempDir dir;
  auto spool = SpoolWriter::create(dir / "a.spool");
  for (std::uint32_t i = 0; i < 10; ++i) ASSERT_TRUE(spool->append(0, 800ull * i, noise(100, i)));
  const auto old = test::bytes_of(dir / "a.spool");
  ASSERT_TRUE(spool->restart());
  ASSERT_TRUE(spool->append(0, 8000, noise(100, 20)));
  ASSERT_TRUE(spool->append(0, 8800, noise(100, 21)));
  const auto whole = test::bytes_of(dir / "a.spool");
  // The second segment was not written to its end, wherever: what follows is from before.
  for (std::ptrdiff_t length = 832; length < 2 * 832; length += 7) {
    std::vector<char> torn(whole.begin(), whole.begin() + length);
    torn.insert(torn.end(), old.begin() + length, old.end());
    test::put_bytes(dir / "torn", torn);
    const auto read = read_all(dir / "torn");
    ASSERT_GE(read.size(), 1u);
    EXPECT_EQ(read[0].words, noise(100, 20));
    // Old segments that lie where new ones would are complete; readers have their records.
    for (std::size_t i = 1; i < read.size(); ++i) EXPECT_EQ(read[i].position, 800 * i) << length;
  }
}

TEST(Spool, ThatSomebodyReadsIsReplacedWhenItIsRestarted) {
  const TempDir dir;
  auto spool = SpoolWriter::create(dir / "a.spool");
  ASSERT_TRUE(spool->append(0, 0, noise(100, 1)));
  auto reader = SpoolReader::open(dir / "a.spool", kGeometry);
  ASSERT_TRUE(reader) << reader.error().what;
  ASSERT_TRUE(spool->restart());
  ASSERT_TRUE(spool->append(0, 800, noise(100, 2)));
  SpoolReader::Segment segment;
  ASSERT_TRUE(reader->next(segment));
  EXPECT_EQ(Words(segment.words.begin(), segment.words.end()), noise(100, 1));
  EXPECT_FALSE(reader->next(segment));
  EXPECT_FALSE(reader->is_torn());
  EXPECT_EQ(read_all(dir / "a.spool"), (std::vector<Piece>{{0, 800, noise(100, 2)}}));
  EXPECT_EQ(std::filesystem::file_size(dir / "a.spool"), 832u);
  EXPECT_FALSE(std::filesystem::exists(next_spool(dir / "a.spool")));
}

TEST(Spool, WhoseBeginIsDroppedHasTheOtherSegmentsAndGoesOn) {
  const TempDir dir;
  auto spool = SpoolWriter::create(dir / "a.spool");
  std::vector<Piece> pieces;
  for (std::uint32_t i = 0; i < 10; ++i) {
    pieces.push_back({i % 3, 800ull * i, noise(100, i)});
    ASSERT_TRUE(spool->append(i % 3, 800ull * i, noise(100, i)));
  }
  auto reader = SpoolReader::open(dir / "a.spool", kGeometry, 4 * 832);
  ASSERT_TRUE(spool->drop_before(4 * 832));
  EXPECT_EQ(spool->bytes(), 6 * 832u);
  ASSERT_TRUE(spool->append(1, 8000, noise(100, 11)));
  pieces.erase(pieces.begin(), pieces.begin() + 4);
  SpoolReader::Segment segment;  // who reads the old file reads it to its end
  for (const Piece& piece : pieces) {
    ASSERT_TRUE(reader->next(segment));
    EXPECT_EQ(segment.position, piece.position);
  }
  EXPECT_FALSE(reader->next(segment));
  pieces.push_back({1, 8000, noise(100, 11)});
  bool is_torn = true;
  EXPECT_EQ(read_all(dir / "a.spool", &is_torn), pieces);
  EXPECT_FALSE(is_torn);
  ASSERT_TRUE(spool->drop_before(spool->bytes()));
  EXPECT_EQ(std::filesystem::file_size(dir / "a.spool"), 0u);
  EXPECT_FALSE(std::filesystem::exists(next_spool(dir / "a.spool")));
}

TEST(Spool, WhoseRestCannotBeCopiedRemainsAsItWas) {
  const TempDir dir;
  auto spool = SpoolWriter::create(dir / "a.spool");
  ASSERT_TRUE(spool->append(0, 0, noise(100, 1)));
  ASSERT_TRUE(spool->append(0, 800, noise(100, 2)));
  std::filesystem::create_directory(next_spool(dir / "a.spool"));
  const Status dropped = spool->drop_before(832);
  ASSERT_FALSE(dropped);
  EXPECT_EQ(dropped.error().code, Errc::io);
  EXPECT_EQ(spool->bytes(), 2 * 832u);
  EXPECT_EQ(read_all(dir / "a.spool").size(), 2u);
}

}  // namespace
}  // namespace meridian
