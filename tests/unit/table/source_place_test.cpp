// SPDX-License-Identifier: Apache-2.0
// How places of the program are written.

#include "trace/model/source_place.hpp"

#include <gtest/gtest.h>

namespace meridian {
namespace {

TEST(SourcePlace, HasTheFunctionFirstThenFileAndLineOrModuleAndOffset) {
  EXPECT_EQ(place_text({"exchange", "/home/user/halo.c", 120, "/home/user/halo", 0x12}), "exchange, halo.c:120");
  EXPECT_EQ(place_text({"LAMMPS_NS::CommBrick::reverse_comm()", "", 0, "/usr/lib/liblammps.so.0", 0x2b0cab}),
            "LAMMPS_NS::CommBrick::reverse_comm, liblammps.so.0+0x2b0cab");
  EXPECT_EQ(place_text({"", "halo.c", 120, "halo", 0x12}), "halo.c:120");
  EXPECT_EQ(place_text({"", "", 0, "bin/halo", 0x12}), "halo+0x12");
  EXPECT_EQ(place_text({"", "", 0, "", 0x12}), "0x12");
  EXPECT_EQ(place_text({"main", "", 0, "", 0}), "main");
  EXPECT_EQ(place_text({}), "");
}

TEST(SourcePlace, NamesFunctionsOfPythonAsPythonDoes) {
  EXPECT_EQ(place_text({"Solver.assemble", "run/solver.py", 41, "", 0}), "Solver.assemble, solver.py:41");
  EXPECT_EQ(place_text({"outer.<locals>.<lambda>", "solver.py", 7, "", 0}), "outer.<locals>.<lambda>, solver.py:7");
  EXPECT_EQ(place_text({"<module>", "solver.py", 7, "", 0}), "<module>, solver.py:7");
  EXPECT_EQ(place_text({"Store.cold_start", "solver.py", 7, "", 0}), "Store.cold_start, solver.py:7");
}

TEST(SourcePlace, NamesFunctionsWithoutWhatCompilersAppend) {
  EXPECT_EQ(without_copy_marks("step.constprop.0"), "step");
  EXPECT_EQ(without_copy_marks("step._omp_fn.3"), "step (parallel region)");
  EXPECT_EQ(without_copy_marks("solve(int) [clone ._omp_fn.0]"), "solve(int) (parallel region)");
  EXPECT_EQ(without_copy_marks("solve(int) [clone .isra.0]"), "solve(int)");
}

TEST(SourcePlace, NamesFunctionsWithoutParametersAndReturnTypes) {
  for (const auto& [name, expected] : {
           std::pair{"main", "main"},
           std::pair{"mod::solve", "mod::solve"},
           std::pair{"solve(double*, int)", "solve"},
           std::pair{"(anonymous namespace)::run(int)", "(anonymous namespace)::run"},
           std::pair{"(anonymous namespace)::run", "(anonymous namespace)::run"},
           std::pair{"void cg::sum<double, 3>(std::vector<double, std::allocator<double> > const&)",
                     "cg::sum<double, 3>"},
           std::pair{"Mesh::size() const", "Mesh::size"},
           std::pair{"Mesh::take() &&", "Mesh::take"},
           std::pair{"Less::operator()(int, int) const", "Less::operator()"},
           std::pair{"Mesh::operator bool() const", "Mesh::operator bool"},
           std::pair{"main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()"},
           std::pair{"solve(int) (parallel region)", "solve (parallel region)"},
           std::pair{"call(void (*)(int))", "call"},
           std::pair{"", ""},
           std::pair{"((((", "(((("},
           std::pair{"))", "))"},
       })
    EXPECT_EQ(without_parameters(name), expected) << name;
}

TEST(SourcePlace, LeavesTemplateArgumentsOutOfLongNames) {
  EXPECT_EQ(shorten_templates("sum<int>", 8), "sum<int>");
  EXPECT_EQ(shorten_templates("sum<int>", 7), "sum<...>");
  EXPECT_EQ(shorten_templates("a<b<c>>::operator<(d<e>)", 1), "a<...>::operator<(...)");
  EXPECT_EQ(shorten_templates("solve<std::vector<double, std::allocator<double>>>(int)::step", 20),
            "solve<...>(int)::step");
}

TEST(SourcePlace, LeavesParametersOutOfNamesThatAreLongEvenSo) {
  EXPECT_EQ(shorten_templates("assemble(Mesh const&, int)", 26), "assemble(Mesh const&, int)");
  EXPECT_EQ(shorten_templates("assemble(Mesh const&, int)", 20), "assemble(...)");
  EXPECT_EQ(shorten_templates("Mesh<double>::assemble(Field<double> const&, int) const", 20),
            "Mesh<...>::assemble(...)");
  EXPECT_EQ(shorten_templates("assemble(Mesh const&, int) (parallel region)", 20), "assemble(...) (parallel region)");
  EXPECT_EQ(shorten_templates("a_very_long_name_without_any", 20), "a_very_long_name_without_any");
}

TEST(SourcePlace, KnowsHeadersAndThoseOfTheSystem) {
  EXPECT_TRUE(is_header("/home/user/mesh.hpp"));
  EXPECT_FALSE(is_header("/home/user/mesh.cpp"));
  EXPECT_TRUE(is_system_header("/usr/lib/gcc/x86_64-linux-gnu/12/include/omp.h"));
  EXPECT_FALSE(is_system_header("/home/user/mesh.hpp"));
}

}  // namespace
}  // namespace meridian
