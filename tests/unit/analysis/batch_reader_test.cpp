// SPDX-License-Identifier: Apache-2.0
// Reading ahead in a thread gives what reading gives, errors included.

#include "analysis/walk/batch_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "merger/merge.hpp"
#include "synthetic_patterns.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/temp_dir.hpp"

namespace meridian::test {
namespace {

/// A trace of several batches, merged once for all tests.
class BatchReaderTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = std::make_unique<TempDir>();
    write_halo(directory_->path(), 2, 15'000);
    const auto outcome = merge(directory_->path());
    ASSERT_TRUE(outcome) << outcome.error().what;
  }
  static void TearDownTestSuite() { directory_.reset(); }
  static std::filesystem::path merged() { return *directory_ / "merged.h5"; }

  static std::unique_ptr<TempDir> directory_;
};
std::unique_ptr<TempDir> BatchReaderTest::directory_;

/// Fields that an event of a batch and its WindowEvent have in common.
using Row = std::tuple<std::uint64_t, std::int64_t, std::int64_t, std::uint32_t, std::uint32_t, std::uint32_t>;

struct Seen {
  std::vector<Row> batches, windows;
  std::size_t links = 0;
  std::string error;
  bool operator==(const Seen&) const = default;
};

Seen read_all(const std::filesystem::path& path, bool is_backwards, bool has_thread) {
  Seen seen;
  const auto trace = MergedTrace::open(path);
  EXPECT_TRUE(trace) << trace.error().what;
  if (!trace) return seen;
  auto cursor = trace->select({.is_backwards = is_backwards});
  EXPECT_TRUE(cursor) << cursor.error().what;
  if (!cursor) return seen;
  BatchReader reader{*std::move(cursor), has_thread};
  BatchReader::Batch batch;
  for (;;) {
    const auto has_events = reader.next(batch);
    if (!has_events) seen.error = has_events.error().what;
    if (!has_events || !*has_events) return seen;
    for (const MergedEvent& event : batch.batch.events)
      seen.batches.emplace_back(event.row, event.enter_ns, event.leave_ns(), event.location, event.call, event.site);
    for (const WindowEvent& event : batch.events)
      seen.windows.emplace_back(event.row, event.enter_ns, event.leave_ns, event.location, event.call, event.site);
    seen.links += batch.batch.links.size();
  }
}

TEST_F(BatchReaderTest, ItsThreadReadsWhatTheCallerWouldRead) {
  for (const bool is_backwards : {false, true}) {
    const Seen expected = read_all(merged(), is_backwards, false);
    EXPECT_EQ(expected.error, "");
    ASSERT_GT(expected.batches.size(), 2U * 65536U);  // several batches
    EXPECT_GT(expected.links, 0U);
    EXPECT_TRUE(read_all(merged(), is_backwards, true) == expected);
  }
}

TEST_F(BatchReaderTest, TheWindowIsByRowInBothDirections) {
  const Seen forwards = read_all(merged(), false, true);
  const Seen backwards = read_all(merged(), true, true);
  EXPECT_TRUE(forwards.windows == forwards.batches);
  std::vector<Row> reversed{backwards.batches.rbegin(), backwards.batches.rend()};
  EXPECT_TRUE(reversed == forwards.batches);
  EXPECT_LT(backwards.windows[0], backwards.windows[1]);
  std::vector<Row> sorted = backwards.windows;
  std::ranges::sort(sorted);
  std::ranges::sort(reversed);
  EXPECT_TRUE(sorted == reversed);
}

TEST_F(BatchReaderTest, AReaderThatIsLeftEarlyEndsItsThread) {
  const auto trace = MergedTrace::open(merged());
  ASSERT_TRUE(trace);
  for (int batches = 0; batches < 3; ++batches) {
    auto cursor = trace->select();
    ASSERT_TRUE(cursor);
    BatchReader reader{*std::move(cursor), true};
    BatchReader::Batch batch;
    for (int i = 0; i < batches; ++i) {
      const auto has_events = reader.next(batch);
      ASSERT_TRUE(has_events && *has_events);
    }
  }
}

TEST_F(BatchReaderTest, DamageIsTheSameErrorAfterTheSameEvents) {
  const auto bytes = std::filesystem::file_size(merged());
  const std::uint64_t parts = cases(40);
  std::uint64_t errors = 0;
  for (std::uint64_t part = 1; part < parts; ++part) {
    const auto copy = *directory_ / "damaged.h5";
    std::filesystem::copy_file(merged(), copy, std::filesystem::copy_options::overwrite_existing);
    {
      std::fstream file{copy, std::ios::in | std::ios::out | std::ios::binary};
      file.seekp(static_cast<std::streamoff>(bytes * part / parts));
      file << std::string(64, '\x5a');
    }
    if (!MergedTrace::open(copy)) continue;
    const Seen expected = read_all(copy, false, false);
    EXPECT_TRUE(read_all(copy, false, true) == expected) << part << ": " << expected.error;
    errors += expected.error.empty() ? 0 : 1;
  }
  EXPECT_GT(errors, parts / 8);
}

}  // namespace
}  // namespace meridian::test
