// SPDX-License-Identifier: Apache-2.0
#include "report/private_names.hpp"

#include <gtest/gtest.h>

#include <string>

namespace meridian {
namespace {

Summary on_hosts() {
  Summary summary;
  for (const char* host : {"alpha.site.org", "beta", "alpha.site.org"}) summary.ranks.emplace_back().host = host;
  return summary;
}

TEST(PrivateNames, GiveHostsNumbersWhateverTheirFormIs) {
  const PrivateNames names{on_hosts()};
  EXPECT_EQ(names.in("2 processors of alpha.site.org, beta: 3"), "2 processors of host1, host2: 3");
  EXPECT_EQ(names.in("(alpha) waits for beta."), "(host1) waits for host2.");
  EXPECT_EQ(names.in("alphabet beta-version, x_beta"), "alphabet beta-version, x_beta");
}

TEST(PrivateNames, KeepTheLastPartOfPaths) {
  const PrivateNames names{on_hosts()};
  EXPECT_EQ(names.in("/home/user/run 2/../app.x --in=/data/u/in.dat ~/x ./app"), "run app.x --in=in.dat x app");
  EXPECT_EQ(names.in("assemble, src/mesh/a.c:7"), "assemble, a.c:7");
  EXPECT_EQ(names.in("'/scratch/u/'"), "'u'");
  EXPECT_EQ(names.in("12 bytes/s and/or 3 / 4"), "12 bytes/s and/or 3 / 4");
}

TEST(PrivateNames, LeaveAddressesOut) {
  const PrivateNames names{on_hosts()};
  EXPECT_EQ(names.in("tcp;10.0.0.7:41;beta"), "tcp;address:41;host2");
  EXPECT_EQ(names.in("Open MPI v4.1.4, 1.2.3, 1234.1.1.1"), "Open MPI v4.1.4, 1.2.3, 1234.1.1.1");
}

TEST(PrivateNames, LeaveTheEnvironmentOutButForSettingsOfTheRun) {
  nlohmann::ordered_json summary = {
      {"environment", {{{"name", "OMPI_MCA_x"}, {"value", "secret"}}, {{"name", "OMP_NUM_THREADS"}, {"value", "4"}}}},
      {"ranks", {{{"host", "beta"}, {"calls", 3}}}}};
  PrivateNames{on_hosts()}.apply_to_summary(summary);
  EXPECT_EQ(summary["environment"][0]["value"], "(left out)");
  EXPECT_EQ(summary["environment"][1]["value"], "4");
  EXPECT_EQ(summary["ranks"].dump(), R"([{"host":"host2","calls":3}])");
}

TEST(PrivateNames, LeaveWhatIsPackedAlone) {
  nlohmann::ordered_json timeline = {{"rows", {{{"host", "beta"}, {"rank", 1}}}},
                                     {"shares", "a/b.c+beta"},
                                     {"places", {"f, /home/user/a.c:3"}},
                                     {"matrix", {{"hosts", {{"names", {"beta"}}}}}},
                                     {"clocks", {{"names", {"beta"}}, {"fit", "x/y.z"}}}};
  PrivateNames{on_hosts()}.apply_to_timeline(timeline);
  EXPECT_EQ(timeline.dump(), R"({"rows":[{"host":"host2","rank":1}],"shares":"a/b.c+beta","places":["f, a.c:3"],)"
                             R"("matrix":{"hosts":{"names":["host2"]}},"clocks":{"names":["host2"],"fit":"x/y.z"}})");
}

}  // namespace
}  // namespace meridian
