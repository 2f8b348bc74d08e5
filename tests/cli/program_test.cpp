// SPDX-License-Identifier: Apache-2.0
#include "cli/run/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/elf_builder.hpp"
#include "tests/support/scoped_variable.hpp"
#include "tests/support/temp_dir.hpp"

namespace meridian {
namespace {

std::optional<Flavor> flavor_of(const std::vector<std::string>& names) {
  std::string library;
  return flavor_of_libraries(names, library);
}

TEST(Flavor, IsKnownByTheNamesOfLibraries) {
  EXPECT_EQ(flavor_of({"libc.so.6", "libmpi.so.40"}), Flavor::openmpi);
  EXPECT_EQ(flavor_of({"libmpich.so.12"}), Flavor::mpich);
  EXPECT_EQ(flavor_of({"libmpi.so.12", "libfabric.so.1"}), Flavor::mpich);
  EXPECT_EQ(flavor_of({"libmpi.so.12", "libopen-rte.so.12"}), Flavor::openmpi);
  EXPECT_EQ(flavor_of({"/opt/mpi/lib/libmpi.so.40"}), Flavor::openmpi);
  EXPECT_EQ(flavor_of({"libc.so.6", "libmpir.so"}), std::nullopt);
}

TEST(Flavor, OfTwoLibrariesIsTheNearestOne) {
  std::string library;
  EXPECT_EQ(flavor_of_libraries({"libmpich.so.12", "libmpi.so.40"}, library), Flavor::mpich);
  EXPECT_EQ(library, "libmpich.so.12");
}

TEST(ProgramFacts, SeeMpiThroughALibraryOfTheProgram) {
  const test::TempDir directory;
  directory.write("lib/libsolver.so", ElfBuilder{}.needs("libmpi.so.40").bytes());
  const auto program =
      directory.write("program", ElfBuilder{}.needs("libsolver.so").runpath("$ORIGIN/lib").interpreter().bytes());
  const ProgramFacts facts = inspect_program(program);
  EXPECT_EQ(facts.obstacle, "");
  EXPECT_EQ(facts.flavor, Flavor::openmpi);
  EXPECT_EQ(facts.library, "libmpi.so.40");
}

TEST(ProgramFacts, OfAScriptAreThoseOfItsInterpreter) {
  const test::TempDir directory;
  const auto interpreter = directory.write("interpreter", ElfBuilder{}.needs("libmpich.so.12").interpreter().bytes());
  const auto script = directory.write("script", "#! " + interpreter.string() + " -u\nprint()\n");
  EXPECT_EQ(inspect_program(script).flavor, Flavor::mpich);
  EXPECT_EQ(inspect_program(directory.write("outer", "#!" + script.string() + "\n")).flavor, Flavor::mpich);
}

TEST(ProgramFacts, OfAScriptThatInterpretsItselfEnd) {
  const test::TempDir directory;
  const auto script = directory.write("loop", "#!" + (directory.path() / "loop").string() + "\n");
  EXPECT_EQ(inspect_program(script).flavor, std::nullopt);
}

TEST(ProgramFacts, NameTheObstacleToTracing) {
  const test::TempDir directory;
  EXPECT_EQ(inspect_program(directory.write("static", ElfBuilder{}.bytes())).obstacle, "it is statically linked");
  EXPECT_EQ(inspect_program(directory.write("foreign", ElfBuilder{}.interpreter().machine(EM_S390).bytes())).obstacle,
            "it is built for another kind of machine");
  const std::string dynamic = ElfBuilder{}.interpreter().bytes();
  EXPECT_EQ(inspect_program(directory.write("setuid", dynamic, 04755)).obstacle,
            "it is set-user-ID, set-group-ID or has capabilities");
  EXPECT_EQ(inspect_program(directory.write("setgid", dynamic, 02755)).obstacle,
            "it is set-user-ID, set-group-ID or has capabilities");
  EXPECT_EQ(inspect_program(directory.write("plain", dynamic, 0755)).obstacle, "");
}

TEST(FindProgram, SearchesPathInOrderAndSkipsWhatCannotRun) {
  const test::TempDir directory;
  directory.write("first/tool", "", 0644);
  std::filesystem::create_directories(directory.path() / "second/tool");
  const auto wanted = directory.write("third/tool", "", 0755);
  const std::string path = directory.path().string();
  const test::ScopedVariable variable{"PATH", (path + "/first:" + path + "/second:" + path + "/third").c_str()};
  const auto found = find_program("tool");
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(*found, wanted);
}

TEST(FindProgram, SuggestsTheProgramInThisDirectory) {
  const test::TempDir directory;
  directory.write("only_here", "", 0755);
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  const auto found = find_program("only_here");
  std::filesystem::current_path(before);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what, "cannot run 'only_here': not found in PATH");
  EXPECT_EQ(found.error().hint, "the one in this directory is './only_here'");
}

TEST(Launcher, IsOpenMpisWhenBothHaveLeftTheirVariables) {
  const test::ScopedVariable rank{"OMPI_COMM_WORLD_RANK", "3"};
  const test::ScopedVariable other{"PMI_RANK", "7"};
  const Launcher launcher = find_launcher();
  EXPECT_EQ(launcher.flavor, Flavor::openmpi);
  EXPECT_EQ(launcher.rank, 3);
  EXPECT_FALSE(launcher.speaks());
}

TEST(Launcher, IsMpichsWithPmiAlone) {
  const test::ScopedVariable ours{"OMPI_COMM_WORLD_RANK", nullptr};
  const test::ScopedVariable rank{"PMI_RANK", "0"};
  EXPECT_EQ(find_launcher().flavor, Flavor::mpich);
  EXPECT_TRUE(find_launcher().speaks());
}

TEST(Launcher, IgnoresARankThatIsNotANumber) {
  const test::ScopedVariable ours{"OMPI_COMM_WORLD_RANK", "zero"};
  const test::ScopedVariable pmi{"PMI_RANK", nullptr};
  const test::ScopedVariable pmix{"PMIX_RANK", nullptr};
  const test::ScopedVariable slurm{"SLURM_PROCID", nullptr};
  EXPECT_EQ(find_launcher().rank, std::nullopt);
  EXPECT_TRUE(find_launcher().speaks());
}

}  // namespace
}  // namespace meridian
