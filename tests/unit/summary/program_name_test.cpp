// SPDX-License-Identifier: Apache-2.0
#include "summary/program_name.hpp"

#include <gtest/gtest.h>

#include <string>

#include "summary/summary.hpp"

namespace meridian {
namespace {

std::string name_of(const std::string& executable, const std::string& command) {
  Summary summary;
  summary.run.executable = executable;
  summary.context.push_back({0, "node", "cpu", "0", command});
  return program_name(summary);
}

TEST(ProgramName, IsThatOfTheExecutableWithoutItsFolders) {
  EXPECT_EQ(name_of("/home/user/halo2d", "./halo2d input.py"), "halo2d");
  EXPECT_EQ(name_of("", ""), "");
}

TEST(ProgramName, OfAnInterpreterIsThatOfItsScriptOrModule) {
  EXPECT_EQ(name_of("/usr/bin/python3.11", "/usr/bin/python3 bench/a.py 20"), "a.py");
  EXPECT_EQ(name_of("/usr/bin/python3.11", "python3 -B -X dev -u b.py"), "b.py");
  EXPECT_EQ(name_of("/usr/bin/python3.11", "python3 -m mpi4py.bench ringtest"), "mpi4py.bench");
  EXPECT_EQ(name_of("/usr/bin/python3.11", "python3 -m mpi4py c.py"), "c.py");
  EXPECT_EQ(name_of("/usr/lib/R/bin/exec/R", "R --no-save d.R"), "d.R");
}

TEST(ProgramName, OfAnInterpreterWithoutAScriptIsItsOwn) {
  EXPECT_EQ(name_of("/usr/bin/python3.11", "python3 -c pass"), "python3.11");
  EXPECT_EQ(name_of("/usr/bin/python3.11", "python3"), "python3.11");
}

}  // namespace
}  // namespace meridian
