// SPDX-License-Identifier: Apache-2.0
// The curve of the memory of all processes, from rank files to the page. One tick is one ns.
#include "report/data/page_memory.hpp"

#include <gtest/gtest.h>

#include "analysed.hpp"
#include "unpacked.hpp"

namespace meridian::test {
namespace {

constexpr std::int64_t kZeroNs = -1'000'000'000;  // of the clocks of these ranks
constexpr std::size_t kBins = 256;

struct RunOfTwo : SyntheticRun {
  RunOfTwo() : SyntheticRun{2} {
    for (std::size_t i = 0; i < 2; ++i) {
      (*this)[i]->call(CallId::Init, {0, 100});
      (*this)[i]->call(CallId::Finalize, {2000, 2560});
    }
  }
  nlohmann::ordered_json page() {
    EXPECT_TRUE(merge());
    const auto trace = MergedTrace::open(merged());
    EXPECT_TRUE(trace) << trace.error().what;
    auto made = page_memory(*trace, kZeroNs, kZeroNs + 2560);
    EXPECT_TRUE(made) << made.error().what;
    return *made;
  }
};

std::vector<std::uint64_t> numbers(const std::string& packed) {
  std::vector<std::uint64_t> values;
  std::uint64_t value = 0;
  unsigned shift = 0;
  for (const char c : unpacked(packed, kBins * 10)) {
    const auto byte = static_cast<unsigned char>(c);
    value |= std::uint64_t{byte & 127U} << shift;
    shift += 7;
    if (byte >= 128) continue;
    values.push_back(value);
    value = 0;
    shift = 0;
  }
  return values;
}

TEST(PageMemory, AddsUpWhatTheProcessesHaveAtTheEndOfEachBin) {
  RunOfTwo run;
  run[0].memory = {{100, 5000, 5000, 0, 0, 0}, {1005, 9000, 9000, 0, 0, 0}, {1008, 7000, 9000, 0, 0, 0}};
  run[1].memory = {{505, 300, 300, 0, 0, 0}};
  const auto page = run.page();
  EXPECT_EQ(page["bin_ns"], 10);
  const std::vector<std::uint64_t> values = numbers(page["values"]);
  ASSERT_EQ(values.size(), kBins);
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    const std::size_t end = 10 * (bin + 1);
    const std::uint64_t first = end < 100 ? 0 : end < 1005 ? 5000 : 7000, second = end < 505 ? 0 : 300;
    EXPECT_EQ(values[bin], first + second) << bin;
  }
}

TEST(PageMemory, IsNullWithoutReadings) {
  RunOfTwo run;
  EXPECT_TRUE(run.page().is_null());
}

}  // namespace
}  // namespace meridian::test
