// SPDX-License-Identifier: Apache-2.0
// The energy of a rank's host over time in its rank file, valid and damaged.

#include "trace/format/rank/energy_table.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include "tests/support/temp_dir.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/format/tables/h5.hpp"

namespace meridian {
namespace {

class EnergyTables : public testing::Test {
 protected:
  void write(const std::vector<EnergyRow>& rows) {
    auto file = RankFileWriter::create(path);
    ASSERT_TRUE(file) << file.error().what;
    EnergyTableWriter table{file->id()};
    for (const EnergyRow& row : rows) ASSERT_TRUE(table.push(row));
    ASSERT_TRUE(table.finish());
    RankMeta meta;
    meta.size = 1;
    meta.hostname = "host";
    meta.executable = "app";
    ASSERT_TRUE(file->finish(meta));
  }
  Result<std::vector<EnergyRow>> read() {
    MERIDIAN_TRY(EnergyTable table, EnergyTable::open(path, ""));
    std::vector<EnergyRow> all;
    for (;;) {
      MERIDIAN_TRY(const auto rows, table.next());
      if (rows.empty()) return all;
      all.insert(all.end(), rows.begin(), rows.end());
    }
  }

  test::TempDir dir;
  std::filesystem::path path = dir / "rank-00000.h5";
};

TEST_F(EnergyTables, HaveWhatWasWritten) {
  std::vector<EnergyRow> rows;
  for (std::uint32_t i = 0; i < 10'000; ++i)
    rows.push_back({std::uint64_t{1'000'000'000'000} + 31 * (i / 4), 7 * i, i % 4});
  write(rows);
  const auto found = read();
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(*found, rows);
}

TEST_F(EnergyTables, WithoutReadingsAreNotInTheFile) {
  write({});
  EXPECT_TRUE(read()->empty());
  const h5::File file{H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)};
  EXPECT_FALSE(h5::exists(file.get(), "energy"));
}

TEST_F(EnergyTables, WithMoreThanAHostCanHaveAreDamaged) {
  for (const EnergyRow& wrong : {EnergyRow{2, std::uint64_t{1} << 60, 0}, EnergyRow{2, 0, kMostEnergyZones}}) {
    write({{1, 0, 0}, wrong, {3, 0, 0}});
    const auto found = read();
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, Errc::damaged);
    EXPECT_EQ(found.error().what,
              "the rank file contradicts itself: a reading of 'energy' has more than a host can have");
  }
}

}  // namespace
}  // namespace meridian
