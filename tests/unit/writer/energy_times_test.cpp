// SPDX-License-Identifier: Apache-2.0
// The energy of a host over time, from folders like those of the kernel.

#include "writer/samples/energy_times.hpp"

#include <gmock/gmock.h>
#include <sys/fsuid.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "tests/support/ring_producer.hpp"
#include "tests/support/temp_dir.hpp"
#include "trace/records/finish/finish_rank.hpp"

namespace meridian {
namespace {

using namespace test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Tests of other things do not read the energy of this machine.
[[maybe_unused]] const int kIsSet = ::setenv("MERIDIAN_TEST_ENERGY", "none", 1);

constexpr std::uint64_t kRange = 1000;
constexpr std::uint64_t kTurnNs = 1'000'000'000;

class Energy : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(out);
    made.set_output(out, 2);
    times.begin(out);
  }
  void write(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories((folder / file).parent_path());
    std::ofstream{folder / file} << text;
  }
  /// A zone of RAPL: "0:1".
  void zone(const std::string& number, const std::string& name, const std::string& energy,
            const std::string& range = std::to_string(kRange)) {
    write("powercap/intel-rapl:" + number + "/name", name + "\n");
    write("powercap/intel-rapl:" + number + "/max_energy_range_uj", range + "\n");
    write("powercap/intel-rapl:" + number + "/energy_uj", energy + "\n");
  }
  void count(const std::string& number, const std::string& energy) {
    write("powercap/intel-rapl:" + number + "/energy_uj", energy + "\n");
  }
  void take(bool is_last = false) { times.take(now_ns += kTurnNs, is_last, spool); }
  /// Stores all that was taken and makes the rank file. Energy by zone, in the order of time.
  std::map<std::uint32_t, std::vector<std::uint64_t>> rows() {
    EXPECT_TRUE(spool.store());
    const auto finished = finish_rank(ring, pieces_of(made.path(), out, 2), out);
    EXPECT_TRUE(finished) << finished.error().what;
    std::map<std::uint32_t, std::vector<std::uint64_t>> found;
    auto table = EnergyTable::open(out / "rank-00002.h5", "");
    EXPECT_TRUE(table) << table.error().what;
    for (;;) {
      const auto some = table->next();
      EXPECT_TRUE(some) << some.error().what;
      if (!some || some->empty()) return found;
      for (const EnergyRow& row : *some) found[row.zone].push_back(row.energy_uj);
    }
  }
  /// Values of the texts with this key in the rank file.
  std::vector<std::string> texts(const std::string& key) {
    std::vector<std::string> found;
    const auto file = RankFile::open(out / "rank-00002.h5");
    EXPECT_TRUE(file) << file.error().what;
    for (const TextRow& text : file->meta().texts)
      if (text.key == key) found.push_back(text.value);
    return found;
  }

  TempDir dir;
  std::filesystem::path out = dir / "out", folder = dir / "class";
  TestRing made{dir / "a.ring", {}};
  RingFile ring = *RingFile::open(made.path(), RingFile::Access::drain);
  EnergyTimes times{ClockKind::monotonic_raw, folder};
  std::uint64_t now_ns = kTurnNs;
  bool has_out = std::filesystem::create_directory(out);
  SampleSpoolWriter spool = *SampleSpoolWriter::create(samples_in_output(out, 2), ring);
};

TEST_F(Energy, IsContinuedWhereACounterBeginsAtZeroAgain) {
  zone("0", "package-0", "900");
  take();
  for (const char* const value : {"950", "50", "1000", "0", "0", "999", "1"}) {
    count("0", value);
    take();
  }
  EXPECT_THAT(rows()[0], ElementsAre(0, 50, 150, 1100, 1100, 1100, 2099, 2101));
  EXPECT_THAT(texts(kEnergyIncompleteKey), IsEmpty());
}

TEST_F(Energy, HasZonesInZonesAndSensorsWithTheirKinds) {
  zone("1", "psys", "1");
  zone("0", "package-0", "2");
  zone("0:10", "dram", "3");
  zone("0:2", "core", "4");
  zone("10", "package-1", "5");
  write("powercap/intel-rapl-mmio:0/energy_uj", "6");
  write("powercap/intel-rapl/enabled", "1");
  write("powercap/intel-rapl:x/energy_uj", "7");
  write("hwmon/hwmon2/name", "amd_energy\n");
  write("hwmon/hwmon2/energy1_input", "8\n");
  write("hwmon/hwmon2/energy1_label", "Esocket0\n");
  write("hwmon/hwmon2/energy2_input", "9\n");
  write("hwmon/hwmon2/temp1_input", "10\n");
  take();
  EXPECT_EQ(rows().size(), 7U);
  EXPECT_THAT(texts(kEnergyZoneKey),
              ElementsAre("package package-0", "part package-0/core", "part package-0/dram", "platform psys",
                          "package package-1", "socket amd_energy/Esocket0", "sensor amd_energy/energy2"));
}

TEST_F(Energy, GoesOnAfterReadingsThatFail) {
  zone("0", "package-0", "100");
  take();
  count("0", "200");
  take();
  std::filesystem::remove(folder / "powercap/intel-rapl:0/energy_uj");
  take();
  take();
  for (const char* const garbage : {"", "many", "-3", "0x20", "30 40", "99999999999999999999999", "1001"}) {
    count("0", garbage);
    take();
  }
  count("0", "500");
  take(true);
  EXPECT_THAT(rows()[0], ElementsAre(0, 100, 400));
  EXPECT_THAT(texts(kEnergyIncompleteKey), ElementsAre("9 readings: more than the counter can have"));
}

TEST_F(Energy, OfAZoneThatVanishesEndsThere) {
  zone("0", "package-0", "100");
  zone("1", "package-1", "100");
  take();
  std::filesystem::remove_all(folder / "powercap/intel-rapl:0");
  count("1", "300");
  take();
  take(true);
  const auto read = rows();
  EXPECT_THAT(read.at(0), ElementsAre(0));
  EXPECT_THAT(read.at(1), ElementsAre(0, 200, 200));
  EXPECT_THAT(texts(kEnergyIncompleteKey), ElementsAre("2 readings: No such file or directory"));
}

TEST_F(Energy, IsNotWhatNoPowerCouldHaveUsed) {
  zone("0", "package-0", "100", "1000000000000000");
  write("hwmon/hwmon0/energy1_input", "500");
  take();
  count("0", "900000000000000");
  write("hwmon/hwmon0/energy1_input", "400");  // a sensor does not begin at zero again
  take();
  count("0", "900000000000070");
  write("hwmon/hwmon0/energy1_input", "420");
  take(true);
  const auto read = rows();
  EXPECT_THAT(read.at(0), ElementsAre(0, 0, 70));
  EXPECT_THAT(read.at(1), ElementsAre(0, 0, 20));
  EXPECT_THAT(texts(kEnergyIncompleteKey),
              ElementsAre("1 reading: the counter jumped", "1 reading: the counter jumped"));
}

TEST_F(Energy, WithoutAnyCountersLeavesNothing) {
  take();
  take(true);
  EXPECT_THAT(rows(), IsEmpty());
  for (const char* const key : {kEnergyZoneKey, kEnergyRefusedKey, kEnergyIncompleteKey})
    EXPECT_THAT(texts(key), IsEmpty());
}

TEST_F(Energy, ThatMayNotBeReadIsNamed) {
  zone("0", "package-0", "100");
  zone("0:0", "core", "100");
  const std::filesystem::path file = folder / "powercap/intel-rapl:0/energy_uj";
  std::filesystem::permissions(file, std::filesystem::perms::none);
  // Root may read everything, unless the kernel takes it for somebody else.
  const bool is_root = ::geteuid() == 0;
  if (is_root) {
    for (auto path = folder; path != path.root_path(); path = path.parent_path())
      if (path.string().starts_with(dir.path().string()))
        std::filesystem::permissions(path, std::filesystem::perms::all);
    ::setfsuid(65534);
  }
  take();
  if (is_root) ::setfsuid(0);
  const auto read = rows();
  EXPECT_THAT(texts(kEnergyRefusedKey), ElementsAre(file.string() + ": Permission denied"));
  EXPECT_THAT(texts(kEnergyZoneKey), ElementsAre("part package-0/core"));
}

TEST_F(Energy, IsReadByOneWriterOfTheHostUntilItEnds) {
  zone("0", "package-0", "100");
  take();
  const pid_t other = ::fork();
  if (other == 0) {
    HostClaim same, another;
    ::_exit((same.take(out.string()) ? 1 : 0) + (another.take("another trace") ? 0 : 2));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  EXPECT_EQ(status, 0);
  {
    HostClaim first;
    EXPECT_TRUE(first.take("a trace"));
    EXPECT_FALSE(HostClaim{}.take("a trace"));
    EXPECT_TRUE(first.take("a trace"));
  }
  EXPECT_TRUE(HostClaim{}.take("a trace"));
}

TEST_F(Energy, IsReadEverySecondAndMoreOftenAtTheBeginning) {
  zone("0", "package-0", "100");
  constexpr std::uint64_t kTick = 10'000'000;
  std::size_t early = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    times.take(now_ns += kTick, false, spool);
    if (i == 100) early = rows()[0].size();
  }
  EXPECT_NEAR(static_cast<double>(early), 20, 2);
  EXPECT_NEAR(static_cast<double>(rows()[0].size()), 32 + 96 + 68, 15);
}

}  // namespace
}  // namespace meridian
