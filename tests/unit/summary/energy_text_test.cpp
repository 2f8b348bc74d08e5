// SPDX-License-Identifier: Apache-2.0
// Section ENERGY of the text, its line beside the efficiencies, and the figures of comparisons.

#include <gtest/gtest.h>

#include <cmath>

#include "cli/summary/text/text.hpp"
#include "summary/compare/figures.hpp"
#include "summary/measures.hpp"

namespace meridian {
namespace {

Summary two_hosts() {
  Summary summary;
  summary.energy = {{"n1", "package-0", "package", true, 0, 10, 1000, 100, 8, 816},
                    {"n1", "package-0/dram", "part", false, 0, 10, 50, 5, 8, 40},
                    {"n2", "package-0", "package", true, 0, 10, 500, 50, 8, 384}};
  summary.energy_regions = {
      {"n1", "setup", 2, 1, 100, 100}, {"n1", "solve", 20, 5, 500, 100}, {"n2", "solve", 20, 5, 250, 50}};
  PhaseSummary phase;
  phase.function = "MPI_Allreduce";
  phase.iterations = 20;
  summary.phases = {phase};
  summary.energy_phases = {{0, "n1", 500, 25, 100}, {0, "n2", 240, 12, 50}};
  return summary;
}

double figure(const Summary& summary, std::string_view name) {
  for (const Figure& figure : figures())
    if (figure.name == name) return figure.value(summary);
  return -1;
}

TEST(EnergyText, HasZonesRegionsAndIterations) {
  EXPECT_EQ(energy_section(two_hosts(), Paint{false}),
            "ENERGY (from MPI_Init to MPI_Finalize)\n"
            "  host zone              energy   power    time added\n"
            "  n1   package-0        1.00 kJ   100 W  10.0 s yes\n"
            "  n1   package-0/dram    50.0 J  5.00 W  10.0 s no (part)\n"
            "  n2   package-0          500 J  50.0 W  10.0 s yes\n"
            "  region  count  energy  power\n"
            "  solve      40   750 J  150 W\n"
            "  setup       2   100 J  100 W\n"
            "  37.0 J an iteration of MPI_Allreduce, 20 of them.\n");
  EXPECT_EQ(energy_section(Summary{}, Paint{false}), "");
}

TEST(EnergyText, HasALineBesideTheEfficiencies) {
  Summary summary = two_hosts();
  EXPECT_EQ(energy_text(summary), "  Energy: 1.20 kJ, 150 W (processors of 2 hosts).\n");
  EfficiencySummary run;
  run.scope = "run";
  summary.efficiencies = {run};
  EXPECT_NE(efficiency_section(summary, Paint{false}).find("\n  Energy: 1.20 kJ, 150 W"), std::string::npos);
  summary.energy.pop_back();
  EXPECT_EQ(energy_text(summary), "  Energy: 816 J, 102 W (processors of one host).\n");
  EXPECT_EQ(energy_text(Summary{}), "");
}

TEST(EnergyText, IsAFigureOfComparisonsWhereItIsKnown) {
  EXPECT_DOUBLE_EQ(figure(two_hosts(), "energy"), 1200);
  EXPECT_DOUBLE_EQ(figure(two_hosts(), "power"), 150);
  EXPECT_TRUE(std::isnan(figure(Summary{}, "energy")));
  EXPECT_EQ(unit_name(*unit_of_figure("energy")), "J");
  EXPECT_EQ(unit_name(*unit_of_figure("power")), "W");
}

}  // namespace
}  // namespace meridian
