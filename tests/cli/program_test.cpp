// SPDX-License-Identifier: Apache-2.0
#include "cli/run/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

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
  EXPECT_EQ(flavor_of({"libmpi_abi.so.1"}), Flavor::abi);
  EXPECT_EQ(flavor_of({"libmpi_abi.so.1", "libmpi.so.40"}), Flavor::abi);
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

/// Without the variables of the launcher that may have started this test.
class LauncherVariables {
 public:
  explicit LauncherVariables(const std::vector<std::pair<const char*, const char*>>& set) {
    for (const char* const name :
         {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_MCA_ess", "PRTE_LAUNCHED", "PMI_RANK", "PMI_SIZE",
          "PMI_FD", "HYDI_CONTROL_FD", "MPIR_CVAR_CH3_NETMOD", "MPI_LOCALNRANKS", "PMIX_RANK", "SLURM_PROCID",
          "SLURM_NTASKS", "SLURM_STEP_NUM_TASKS"})
      variables_.emplace_back(std::make_unique<test::ScopedVariable>(name, nullptr));
    for (const auto& [name, value] : set) variables_.emplace_back(std::make_unique<test::ScopedVariable>(name, value));
  }
  LauncherVariables(const LauncherVariables&) = delete;
  LauncherVariables& operator=(const LauncherVariables&) = delete;
  ~LauncherVariables() {
    while (!variables_.empty()) variables_.pop_back();  // each restores what was there before it
  }

 private:
  std::vector<std::unique_ptr<test::ScopedVariable>> variables_;
};

TEST(Launcher, ReportsTheSizeOfItsJob) {
  {
    const LauncherVariables mpirun{{{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}}};
    EXPECT_EQ(find_launcher().size, 4);
  }
  {
    const LauncherVariables hydra{{{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}}};
    EXPECT_EQ(find_launcher().size, 3);
  }
  const LauncherVariables none{{}};
  EXPECT_EQ(find_launcher().size, std::nullopt);
}

TEST(Launcher, OfSlurmWithPmixIsOpenMpis) {
  const LauncherVariables srun{{{"PMIX_RANK", "5"}, {"SLURM_PROCID", "5"}, {"SLURM_STEP_NUM_TASKS", "8"}}};
  const Launcher launcher = find_launcher();
  EXPECT_EQ(launcher.flavor, Flavor::openmpi);
  EXPECT_EQ(launcher.evidence, "PMIX_RANK");
  EXPECT_EQ(launcher.rank, 5);
  EXPECT_EQ(launcher.size, 8);
}

TEST(Launcher, OfMpichMaySetPmixToo) {
  const LauncherVariables hydra{{{"PMI_RANK", "1"}, {"PMIX_RANK", "1"}}};
  EXPECT_EQ(find_launcher().flavor, Flavor::mpich);
}

TEST(Launcher, OfAJobStepMayBeMpirun) {
  const LauncherVariables mpirun{{{"SLURM_STEP_NUM_TASKS", "1"},
                                  {"SLURM_PROCID", "0"},
                                  {"OMPI_COMM_WORLD_RANK", "6"},
                                  {"OMPI_COMM_WORLD_SIZE", "7"}}};
  EXPECT_EQ(find_launcher().rank, 6);
  EXPECT_EQ(find_launcher().size, 7);
}

TEST(Launcher, HasNotStartedABatchScriptForEachOfItsTasks) {
  const LauncherVariables sbatch{{{"SLURM_NTASKS", "16"}, {"SLURM_PROCID", "0"}}};
  EXPECT_EQ(find_launcher().size, std::nullopt);
  EXPECT_EQ(find_launcher().flavor, std::nullopt);
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
