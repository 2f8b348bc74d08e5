// SPDX-License-Identifier: Apache-2.0
#include "cli/support/job_slot.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/support/temp_dir.hpp"

namespace meridian::test {
namespace {

namespace fs = std::filesystem;

struct Process {
  std::string name = "bash";
  std::string parent = "1";
  std::string child_faults = "0";
  std::string environment = {};
  std::string maps = "7f00 /usr/lib/libc.so.6";
};

class JobSlot : public testing::Test {
 protected:
  void add(const std::string& id, const Process& process) {
    fs::create_directory(proc_ / id);
    std::ofstream{proc_ / id / "stat"} << "12 (" << process.name << ") S " << process.parent
                                       << " 12 12 0 -1 4194304 900 " << process.child_faults
                                       << " 0 0 7 8 0 0 20 0 1 0 5000";
    std::ofstream{proc_ / id / "environ"} << process.environment;
    std::ofstream{proc_ / id / "maps"} << process.maps;
  }
  std::string user() const { return find_user_of_slot("PMI_RANK", proc_.path()).value_or("nobody"); }
  static std::string of_rank(const std::string& variable = "PMI_RANK") {
    return std::string{"HOME=/root"} + '\0' + variable + "=3" + '\0';
  }

  const std::string kBefore_ =
      "another program ran before this one in the same place of the job, and may have used MPI";
  TempDir proc_;
};

TEST_F(JobSlot, OfAProcessOfTheLauncherIsUnused) {
  add("self", {.name = "meridian", .parent = "20"});
  add("20", {.name = "orted", .child_faults = "77"});
  EXPECT_EQ(user(), "nobody");
}

TEST_F(JobSlot, BehindAWrapperIsUnused) {
  add("self", {.name = "meridian", .parent = "20"});
  add("20", {.name = "a (strange) name", .parent = "21", .environment = of_rank()});
  add("21", {.name = "hydra_pmi_proxy", .child_faults = "5"});
  EXPECT_EQ(user(), "nobody");
}

// A shell in a job step of Slurm, from which mpirun was started.
TEST_F(JobSlot, OfALauncherInsideAnotherOneIsUnused) {
  add("self", {.name = "meridian", .parent = "20"});
  add("20", {.name = "mpirun", .parent = "21", .environment = of_rank("XPMI_RANK")});
  add("21", {.child_faults = "5", .environment = of_rank("PMI_RANKS")});
  EXPECT_EQ(user(), "nobody");
}

TEST_F(JobSlot, IsUsedByAnMpiProgramAboveIt) {
  for (const char* const library : {"/opt/lib/libmpi.so.40", "/usr/lib/libmpich.so.12"}) {
    add("self", {.name = "meridian", .parent = "20"});
    add("20", {.name = "sh", .parent = "21", .environment = of_rank()});
    add("21", {.name = "solver", .environment = of_rank(), .maps = std::string{"7f00 "} + library});
    EXPECT_EQ(user(), "'solver', which uses MPI itself, has started this process");
  }
}

TEST_F(JobSlot, MayBeUsedByProgramsThatRanBefore) {
  add("self", {.name = "meridian", .parent = "20", .child_faults = "300"});
  EXPECT_EQ(user(), kBefore_);
  add("self", {.name = "meridian", .parent = "20"});
  add("20", {.child_faults = "300", .environment = of_rank()});
  EXPECT_EQ(user(), kBefore_);
}

TEST_F(JobSlot, IsUnusedAsFarAsCanBeSeen) {
  EXPECT_EQ(user(), "nobody");
  add("self", {.parent = "20"});
  EXPECT_EQ(user(), "nobody");
  std::ofstream{proc_ / "self" / "stat"} << "12 (meridian";
  EXPECT_EQ(user(), "nobody");
  add("self", {.parent = "self"});  // a circle, if there ever is one, ends
  std::ofstream{proc_ / "self" / "environ"} << of_rank();
  EXPECT_EQ(user(), "nobody");
}

}  // namespace
}  // namespace meridian::test
