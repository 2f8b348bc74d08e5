// SPDX-License-Identifier: Apache-2.0
// The choice of the global clock with `--reference`.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "clocks/clock_world.hpp"
#include "merger/clocks/fit/fit_clocks.hpp"
#include "merger/model/clocks.hpp"

namespace meridian {
namespace {

using test::TrueClock;
using test::World;

class ReferenceByName : public testing::Test {
 protected:
  ReferenceByName() {
    world.add_anchors();
    world.add_star();
    world.metas[1].hostname = "node1.cluster.example";
  }
  Result<Clocks> fit(const std::string& reference) {
    ClockOptions options{ClockModel::linear};
    options.reference = reference;
    std::vector<const RankMeta*> metas;
    for (const RankMeta& meta : world.metas) metas.push_back(&meta);
    return fit_clocks(metas, options);
  }
  std::uint32_t domain(const std::string& reference) {
    const auto clocks = fit(reference);
    EXPECT_TRUE(clocks) << clocks.error().what;
    return clocks ? clocks->reference : 99;
  }
  World world{{TrueClock{}, TrueClock{.offset_ns = 1e9L}, TrueClock{.offset_ns = 2e9L}}};
};

TEST_F(ReferenceByName, IsARankAHostOrAutomatic) {
  EXPECT_EQ(domain("2"), 2u);
  EXPECT_EQ(domain("node2"), 2u);
  EXPECT_EQ(domain("NODE2"), 2u);
  EXPECT_EQ(domain("node1.cluster.example"), 1u);
  EXPECT_EQ(domain("node1"), 1u);
  EXPECT_EQ(domain("auto"), 0u);
  EXPECT_EQ(domain(""), 0u);
}

TEST_F(ReferenceByName, OfAHostWithSeveralClocksIsTheLowest) {
  world.metas[2].hostname = "node0";
  EXPECT_EQ(domain("node0"), 0u);
}

TEST_F(ReferenceByName, AnUnknownHostIsAnErrorThatNamesTheNearest) {
  const auto clocks = fit("nodw2");
  ASSERT_FALSE(clocks);
  EXPECT_EQ(clocks.error().what, "cannot take 'nodw2' as the reference: no rank of the trace ran there");
  EXPECT_EQ(clocks.error().hint, "did you mean 'node2'?");
}

TEST_F(ReferenceByName, AllHostsAreListedIfNoneIsNear) {
  const auto clocks = fit("frontend");
  ASSERT_FALSE(clocks);
  EXPECT_EQ(clocks.error().hint, "give a rank, or a host of the trace: node0, node1.cluster.example, node2");
}

TEST_F(ReferenceByName, AMissingRankIsAnError) {
  const auto clocks = fit("7");
  ASSERT_FALSE(clocks);
  EXPECT_EQ(clocks.error().what, "cannot take rank 7 as the reference: it has no file");
}

}  // namespace
}  // namespace meridian
