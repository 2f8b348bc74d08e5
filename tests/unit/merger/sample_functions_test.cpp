// SPDX-License-Identifier: Apache-2.0
// The function of the program that a sample was in, and how it came there.

#include "merged/sample_functions.hpp"

#include <gmock/gmock.h>

namespace meridian::test {
namespace {

/// Paths from main() inwards; each call adds one and returns its number.
class Names {
 public:
  Names() {
    names_.modules = {{""}, {"/home/user/app"}, {"/lib/libm.so.6"}, {"/lib/libc.so.6"}, {"/opt/libsolver.so.2"}};
    names_.places.emplace_back();
    names_.paths.resize(kPathsWithoutPlace);
  }
  std::uint32_t add(std::uint32_t parent, const SamplePlace& place) {
    names_.places.push_back(place);
    names_.paths.push_back({parent, static_cast<std::uint32_t>(names_.places.size() - 1)});
    return static_cast<std::uint32_t>(names_.paths.size() - 1);
  }
  std::uint32_t main() {
    return add(add(0, {3, 0, "__libc_start_main", "", "", 0}), {1, 0, "main", "", "/src/app.c", 8});
  }
  SampleFunctions functions() const { return SampleFunctions{names_}; }

 private:
  SampleNames names_;
};

std::string name(const SampleFunctions& functions, std::uint32_t path) {
  const SampleFunctions::Line& line = functions.line_of(path);
  if (line.function == SampleFunctions::kNone) return "none";
  return function_place(functions.functions()[line.function], line.line);
}

TEST(SampleFunctions, AreNamedWithFileAndLine) {
  Names names;
  const std::uint32_t path = names.add(names.main(), {1, 0, "assemble", "", "/src/app.c", 4});
  const SampleFunctions functions = names.functions();
  EXPECT_EQ(name(functions, path), "assemble (app.c:4)");
  EXPECT_EQ(functions.callers_of(path, 3), "main (app.c:8)");
}

TEST(SampleFunctions, LibrariesOfTheSystemCountForTheirCaller) {
  Names names;
  const std::uint32_t assemble = names.add(names.main(), {1, 0, "assemble", "", "/src/app.c", 4});
  const std::uint32_t sine = names.add(names.add(assemble, {2, 0, "sin", "", "", 0}), {2, 0, "__sin_fma", "", "", 0});
  EXPECT_EQ(name(names.functions(), sine), "assemble (app.c:4)");
  EXPECT_EQ(names.functions().callers_of(sine, 3), "main (app.c:8)");
}

TEST(SampleFunctions, HeadersOfTheSystemCountForTheirCaller) {
  Names names;
  const std::uint32_t assemble = names.add(names.main(), {1, 0, "assemble", "", "/src/app.cpp", 4});
  const std::uint32_t at =
      names.add(assemble, {1, 0, "std::vector<double>::operator[]", "", "/usr/include/c++/12/bits/stl_vector.h", 1123});
  EXPECT_EQ(name(names.functions(), at), "assemble (app.cpp:4)");
}

TEST(SampleFunctions, HelpersInHeadersOfTheProgramCountForTheirCaller) {
  Names names;
  const std::uint32_t assemble = names.add(names.main(), {1, 0, "assemble", "", "/src/app.cpp", 4});
  const std::uint32_t inner = names.add(names.add(assemble, {1, 0, "outer", "", "/src/tools.hpp", 9}),
                                        {1, 0, "inner", "", "/src/tools.hpp", 5});
  EXPECT_EQ(name(names.functions(), inner), "assemble (app.cpp:4)");
  EXPECT_EQ(names.functions().callers_of(inner, 3), "main (app.c:8)");
}

TEST(SampleFunctions, AProgramInHeadersIsNamed) {
  Names names;
  const std::uint32_t path = names.add(0, {1, 0, "run", "", "/src/app.hpp", 4});
  EXPECT_EQ(name(names.functions(), path), "run (app.hpp:4)");
}

TEST(SampleFunctions, CodeWithoutALineIsOfTheFileOfItsFunction) {
  Names names;
  const std::uint32_t known = names.add(0, {1, 0, "assemble", "", "/src/app.c", 4});
  const std::uint32_t unknown = names.add(0, {1, 0, "assemble", "", "", 0});
  const SampleFunctions functions = names.functions();
  EXPECT_EQ(functions.line_of(known).function, functions.line_of(unknown).function);
}

TEST(SampleFunctions, CodeOfAHeaderIsOfTheFileOfItsFunction) {
  Names names;
  const std::uint32_t known = names.add(0, {1, 0, "assemble", "", "/src/app.c", 4});
  const std::uint32_t in_header = names.add(0, {1, 0, "assemble", "", "/src/tools.h", 7});
  const SampleFunctions functions = names.functions();
  EXPECT_EQ(functions.line_of(known).function, functions.line_of(in_header).function);
  EXPECT_EQ(name(functions, in_header), "assemble (app.c)");
}

TEST(SampleFunctions, OfTheSystemAreSoWhereTheyHaveNoLine) {
  Names names;
  const std::uint32_t assemble = names.add(names.main(), {1, 0, "assemble", "", "/src/app.cpp", 4});
  names.add(assemble, {1, 0, "std::function<void()>::operator()", "", "/usr/include/c++/12/bits/std_function.h", 9});
  const std::uint32_t at = names.add(assemble, {1, 0, "std::function<void()>::operator()", "", "", 0});
  EXPECT_EQ(name(names.functions(), at), "assemble (app.cpp:4)");
  const std::uint32_t inlined =
      names.add(assemble, {1, 0, "update", "std::_Function_handler<void()>::_M_invoke", "/src/app.cpp", 9});
  EXPECT_EQ(names.functions().callers_of(inlined, 3), "assemble (app.cpp:4) <- main (app.c:8)");
}

TEST(SampleFunctions, OfALibraryOfTheProgramAreNamed) {
  Names names;
  const std::uint32_t path = names.add(names.main(), {4, 0, "solve", "", "", 0});
  EXPECT_EQ(name(names.functions(), path), "solve (libsolver.so.2)");
}

TEST(SampleFunctions, WithoutSymbolsAreThoseOfTheirFile) {
  Names names;
  const std::uint32_t first = names.add(0, {4, 0x400, "", "", "", 0}), second = names.add(0, {4, 0x500, "", "", "", 0});
  const SampleFunctions functions = names.functions();
  EXPECT_EQ(name(functions, first), "(no symbols) (libsolver.so.2)");
  EXPECT_EQ(functions.line_of(first).function, functions.line_of(second).function);
  std::uint32_t path = names.main();
  for (std::uint64_t offset = 1; offset < 5; ++offset) path = names.add(path, {4, offset, "", "", "", 0});
  path = names.add(path, {1, 0, "callback", "", "/src/app.c", 20});
  EXPECT_EQ(names.functions().callers_of(path, 3), "(no symbols) (libsolver.so.2) <- main (app.c:8)");
}

TEST(SampleFunctions, CodeOutsideTheProgramHasNone) {
  Names names;
  const std::uint32_t path = names.add(0, {3, 0, "clone", "", "", 0});
  EXPECT_EQ(name(names.functions(), path), "none");
  EXPECT_EQ(name(names.functions(), 0), "none");
  EXPECT_EQ(name(names.functions(), 2), "none");
}

TEST(SampleFunctions, OfARecursionAreEachThereOnce) {
  Names names;
  std::uint32_t path = names.main();
  for (int i = 0; i < 1000; ++i) path = names.add(path, {1, 0, "descend", "", "/src/app.c", 20});
  const SampleFunctions functions = names.functions();
  EXPECT_EQ(functions.frames_of(path).size(), 2U);
  EXPECT_EQ(functions.callers_of(path, 2), "descend (app.c:20) <- main (app.c:8)");
}

TEST(SampleFunctions, AFunctionIntoWhichAnotherIsInlinedIsItsCaller) {
  Names names;
  const std::uint32_t path = names.add(names.main(), {1, 0, "source", "step", "/src/app.c", 6});
  const SampleFunctions functions = names.functions();
  EXPECT_EQ(name(functions, path), "source (app.c:6)");
  EXPECT_EQ(functions.callers_of(path, 3), "step (app) <- main (app.c:8)");  // the line of the call is unknown
  EXPECT_EQ(functions.callers_of(path, 1), "step (app)");
  std::vector<std::string> frames;
  for (const SampleFunctions::Line& line : functions.frames_of(path))
    frames.push_back(functions.functions()[line.function].name);
  EXPECT_THAT(frames, testing::ElementsAre("source", "step", "main"));
}

TEST(SampleFunctions, AFunctionThatIsAlsoInlinedIsOne) {
  Names names;
  const std::uint32_t step = names.add(names.main(), {1, 0, "step", "", "/src/app.c", 7});
  const std::uint32_t source = names.add(0, {1, 0, "source", "step.constprop.0", "/src/tool.c", 6});
  const SampleFunctions functions = names.functions();
  EXPECT_EQ(functions.frames_of(source)[1].function, functions.line_of(step).function);
}

TEST(SampleFunctions, PartsOfAFunctionThatTheCompilerMakesHaveItsName) {
  Names names;
  const std::uint32_t cold = names.add(0, {1, 0, "assemble.cold", "", "", 0});
  const std::uint32_t copy = names.add(0, {1, 0, "solve.constprop.0", "", "", 0});
  const std::uint32_t region = names.add(0, {1, 0, "main._omp_fn.0", "", "/src/app.c", 12});
  const SampleFunctions functions = names.functions();
  EXPECT_EQ(name(functions, cold), "assemble (app)");
  EXPECT_EQ(name(functions, copy), "solve (app)");
  EXPECT_EQ(name(functions, region), "main (parallel region) (app.c:12)");
}

}  // namespace
}  // namespace meridian::test
