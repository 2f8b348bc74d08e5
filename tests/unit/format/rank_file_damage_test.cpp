// Damage is tested like success: every broken file gives a named error or the data that were stored, never a crash.

#include <gtest/gtest.h>

#include <random>

#include "sample_rank.hpp"
#include "tests/support/temp_dir.hpp"
#include "trace/format/column.hpp"
#include "trace/format/h5.hpp"
#include "trace/format/table.hpp"

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
  EXPECT_TRUE(test::is_same(file->meta(), sample.meta)) << "wrong tables without an error";
  EXPECT_EQ(file->meta().segments.size(), sample.batches.size());
  bool is_whole = true;
  EventBatch batch;
  for (std::size_t i = 0; i < std::min(file->meta().segments.size(), sample.batches.size()); ++i) {
    const Status read = file->read(i, batch);
    if (read) {
      EXPECT_TRUE(test::is_same(batch, sample.batches[i].second)) << "wrong events without an error";
    } else {
      EXPECT_FALSE(read.error().what.empty());
      is_whole = false;
    }
  }
  return is_whole;
}

TEST(DamagedRankFile, CutAnywhereIsAnError) {
  const TempDir dir;
  const auto sample = test::sample_rank(4, 400);
  ASSERT_TRUE(test::write_sample(dir / "a.h5", sample));
  const auto bytes = test::bytes_of(dir / "a.h5");
  std::mt19937 random{1};
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
  std::mt19937 random{2};
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
  Error error_when_opened() {
    EXPECT_TRUE(file.close());
    return error_of(path);
  }
  Error error_when_read() {
    EXPECT_TRUE(file.close());
    auto opened = RankFile::open(path);
    EXPECT_TRUE(opened) << opened.error().what;
    if (!opened) return {};
    EventBatch batch;
    for (std::size_t i = 0; i < opened->meta().segments.size(); ++i)
      if (Status status = opened->read(i, batch); !status) return status.error();
    ADD_FAILURE() << "no segment was refused";
    return {};
  }

  TempDir dir;
  std::filesystem::path path = dir / "rank-00003.h5";
  h5::File file;
};

TEST_F(SpoiledRankFile, OfTheFutureNamesBothVersions) {
  replace_attribute("version", 99);
  const Error error = error_when_opened();
  EXPECT_EQ(error.code, Errc::unsupported);
  EXPECT_EQ(error.what, "rank file '" + path.string() + "' has schema 99, this merger reads up to 1");
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
  EXPECT_EQ(error_when_opened().what, "rank file '" + path.string() +
                                          "': the rank file contradicts itself: 'events/duration' has 1499 rows, the "
                                          "segments have 1500");
}

TEST_F(SpoiledRankFile, WithoutAColumnIsRefused) {
  H5Ldelete(file.get(), "coll/root", H5P_DEFAULT);
  EXPECT_EQ(error_when_opened().what, "rank file '" + path.string() + "': there is no column 'coll/root'");
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
  EXPECT_EQ(error_when_read().what, "the rank file contradicts itself: an event has a payload that is not known");
}

TEST_F(SpoiledRankFile, WithACallThatHasNoNameIsRefused) {
  auto calls = column<std::uint16_t>("events/call");
  calls[3] = 60000;
  replace_column("events/call", calls);
  EXPECT_EQ(error_when_read().what,
            "the rank file contradicts itself: an event is of a call that 'calls' does not have");
}

TEST_F(SpoiledRankFile, WithAHandleThatIsNotInTheDictionaryIsRefused) {
  auto comms = column<std::uint32_t>("p2p/comm");
  comms[0] = 4'000'000'000u;
  replace_column("p2p/comm", comms);
  EXPECT_EQ(error_when_read().what, "the rank file contradicts itself: a handle is not in 'dictionary'");
}

TEST_F(SpoiledRankFile, WithACallStackThatIsItsOwnCallerIsRefused) {
  const std::string reason =
      "rank file '" + path.string() +
      "': the rank file contradicts itself: a row of 'stacks' has a parent that is not before it";
  for (const std::vector<std::uint32_t>& parents :
       {std::vector<std::uint32_t>{0, 1, 1, 2}, {0, 2, 1, 2}, {0, 0, 0, 4'000'000'000u}, {1, 0, 1, 2}}) {
    replace_column<std::uint32_t>("stacks/parent", parents);
    EXPECT_EQ(error_when_opened().what, reason);
    reopen();
  }
}

TEST_F(SpoiledRankFile, WithCallStacksThatAreNotWholeIsRefused) {
  const std::string reason =
      "rank file '" + path.string() +
      "': the rank file contradicts itself: the columns of 'stacks' are not equally long, or have no or too many rows";
  replace_column<std::uint32_t>("stacks/parent", {0, 0, 1});
  EXPECT_EQ(error_when_opened().what, reason);
  reopen();
  std::vector<std::uint32_t> parents(kMaxStackRows + 1);
  for (std::uint32_t i = 2; i < parents.size(); ++i) parents[i] = i - 1;
  replace_column<std::uint32_t>("stacks/parent", parents);
  std::vector<std::uint64_t> addresses(parents.begin(), parents.end());
  replace_column<std::uint64_t>("stacks/address", addresses);
  EXPECT_EQ(error_when_opened().what, reason);
}

TEST_F(SpoiledRankFile, WithAnEventFromACallStackThatIsNotThereIsRefused) {
  auto nodes = column<std::uint32_t>("sites/node");
  nodes.back() = 4;
  replace_column("sites/node", nodes);
  EXPECT_EQ(error_when_read().what,
            "the rank file contradicts itself: an event has a call stack that 'stacks' does not have");
}

TEST_F(SpoiledRankFile, WithoutTheTableOfCallStacksIsRefused) {
  H5Ldelete(file.get(), "stacks", H5P_DEFAULT);
  EXPECT_EQ(error_when_read().what,
            "the rank file contradicts itself: an event has a call stack that 'stacks' does not have");
}

TEST_F(SpoiledRankFile, WithMembersThatOverlapIsRefused) {
  replace_column<std::int32_t>("member_ranks", {1});
  EXPECT_EQ(
      error_when_opened().what,
      "rank file '" + path.string() + "': the rank file contradicts itself: 'members' and 'member_ranks' do not fit");
}

TEST_F(SpoiledRankFile, WithACallThatThisBuildDoesNotKnowIsReadAndKeepsItsName) {
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
  EventBatch batch;
  ASSERT_TRUE(opened->read(0, batch));
  const auto original = test::sample_rank(3, 500).batches[0].second;
  for (std::size_t i = 0; i < batch.call.size(); ++i)
    EXPECT_EQ(batch.call[i], info(original.call[i]).name == replaced ? CallId::none : original.call[i]);
}

TEST(NoRankFile, IsAnErrorThatSaysWhatItIs) {
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
