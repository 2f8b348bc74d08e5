// SPDX-License-Identifier: Apache-2.0
// Which samples inside MPI calls are in functions of the program that MPI calls.

#include "analysis/functions/called_functions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace meridian::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t kAllreduce = 1, kLock = 2;
constexpr std::int32_t kMain = 3, kLibrary = 4, kSum = 5, kOtherLine = 6, kSumOfOtherLine = 7, kLater = 8;

/// main() calls MPI_Allreduce in line 45, and MPI calls sum().
class CalledByMpi : public testing::Test {
 protected:
  CalledByMpi() {
    definitions.calls = {{"", ""}, {"MPI_Allreduce", "coll"}, {"pthread_mutex_lock", "lock"}};
    definitions.modules = {{"", ""}, {"/app/solver", ""}};
    definitions.sites = {{}, {1, 0x100, "main", "", "/src/main.c", 45, 0}};
    definitions.locations = {{0, 0, 100, 1}, {1, 0, 101, 1}};
    names.modules = {{""}, {"/app/solver"}, {"/lib/libopen-pal.so.40"}, {"/app/libother.so"}};
    names.places = {{},
                    {1, 0, "main", "", "/src/main.c", 45},
                    {2, 0, "opal_progress", "", "", 0},
                    {1, 0, "sum", "", "/src/sum.c", 7},
                    {1, 0, "main", "", "/src/main.c", 50},
                    {3, 0, "other", "", "/src/other.c", 9}};
    names.paths = {{}, {}, {}, {0, 1}, {3, 2}, {4, 3}, {0, 4}, {6, 3}, {4, 5}};
  }
  void add(std::int32_t path, std::uint64_t samples, std::uint32_t call = kAllreduce, std::uint32_t site = 1,
           std::int32_t location = 0) {
    MergedEvent event;
    event.call = call;
    event.site = site;
    for (std::uint64_t i = 0; i < samples; ++i) called.add({0, location, path}, event);
  }
  std::vector<std::string> rows() const {
    Summary summary;
    called.fill(
        SampleFunctions{names}, [](std::uint32_t location) { return location == 0 ? 1.0 : 2.0; }, summary);
    std::vector<std::string> found;
    for (const CalledFunctionSummary& row : summary.called_functions)
      found.push_back(row.call + ": " + row.function + " (" + row.place + ") of " + row.module + ", " +
                      std::to_string(row.samples) + " in " + std::to_string(static_cast<int>(row.processor_s)) +
                      " s, most rank " + std::to_string(row.most_rank));
    return found;
  }

  MergedDefinitions definitions;
  SampleNames names;
  CalledFunctions called{definitions};
};

TEST_F(CalledByMpi, AreFunctionsWhoseCallersIncludeTheOneThatCallsMpi) {
  add(kSum, 3);
  add(kSum, 2, kAllreduce, 1, 1);
  EXPECT_THAT(rows(), ElementsAre("MPI_Allreduce: sum (sum.c:7) of solver, 5 in 7 s, most rank 1"));
}

TEST_F(CalledByMpi, AreNoFunctionsOfTheMpiLibraryAndNotTheCallerItself) {
  add(kMain, 3);
  add(kLibrary, 3);
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(CalledByMpi, AreNotOfALibraryThatCallsNeitherMpiNorItsCaller) {
  add(kLater, 3);
  EXPECT_THAT(rows(), IsEmpty()) << "as little is known of it as of a library of MPI";
}

TEST_F(CalledByMpi, AreNotThoseThatTheCallerIsInOnAnotherLine) {
  add(kOtherLine, 3);
  add(kSumOfOtherLine, 3);
  EXPECT_THAT(rows(), IsEmpty()) << "frames of Python are read when the call may be over";
}

TEST_F(CalledByMpi, AreUnknownWithoutTheSiteOfTheCallAndInOtherCalls) {
  add(kSum, 3, kAllreduce, 0);
  add(kSum, 3, kLock);
  EXPECT_THAT(rows(), IsEmpty());
}

}  // namespace
}  // namespace meridian::test
