// SPDX-License-Identifier: Apache-2.0
// One MPI library, as its header and its symbols show it, against the call table, mpi_has.h and our own library.
// Built once per flavor. From CMake: MERIDIAN_FLAVOR, MERIDIAN_PREPROCESSED (mpi.h after the preprocessor), MERIDIAN_NM
// and, where our library is built, MERIDIAN_LIBRARY. Linked with the MPI library, whose symbols dlsym() finds.

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "mpi_has.h"
#include "trace/model/call_id.hpp"

namespace meridian {
namespace {

using Names = std::set<std::string>;

struct Has {
  const char* name;
  bool has;
};
constexpr Has kHas[] = {
#define MERIDIAN_CALL_AS(type, name, group, params, args, recorded) {#name, MERIDIAN_HAS_##name != 0},
#include "trace/model/mpi_calls.def"
};

/// The text without its __attribute__((...)).
std::string without_attributes(std::string text) {
  constexpr std::string_view kWord = "__attribute__";
  for (std::size_t at = 0; (at = text.find(kWord, at)) != std::string::npos;) {
    std::size_t end = text.find('(', at);
    for (int depth = 0; end < text.size(); ++end) {
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
      if (depth == 0) break;
    }
    text.erase(at, end + 1 - at);
  }
  return text;
}

/// The word that ends just before `end`.
std::string word_before(std::string_view text, std::size_t end) {
  while (end > 0 && std::isspace(static_cast<unsigned char>(text[end - 1])) != 0) --end;
  std::size_t begin = end;
  while (begin > 0 && (std::isalnum(static_cast<unsigned char>(text[begin - 1])) != 0 || text[begin - 1] == '_'))
    --begin;
  return std::string{text.substr(begin, end - begin)};
}

/// Functions named `prefix`... that a preprocessed C header declares: outside of braces, the word before the first
/// parenthesis of a declaration that is no typedef.
Names declared_functions(const std::string& header, std::string_view prefix) {
  const std::string text = without_attributes(header);
  Names found;
  std::size_t begin = 0;
  int braces = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{') ++braces;
    if (text[at] == '}') --braces;
    if (text[at] != ';' || braces != 0) continue;
    const std::string_view declaration = std::string_view{text}.substr(begin, at - begin);
    begin = at + 1;
    const std::size_t open = declaration.find('(');
    if (open == std::string_view::npos || declaration.find("typedef") != std::string_view::npos) continue;
    const std::string name = word_before(declaration, open);
    if (name.starts_with(prefix)) found.insert(name.substr(prefix.size()));
  }
  return found;
}

/// The functions that mpi.h declares, without "MPI_". Open MPI 5.0 has one that no standard has.
Names declared() {
  std::ifstream file{MERIDIAN_PREPROCESSED};
  Names names = declared_functions({std::istreambuf_iterator<char>{file}, {}}, "MPI_");
  names.erase("Session_set_info");
  return names;
}

/// Those of `names` that this MPI's library has under its profiling name.
Names in_library(const Names& names) {
  Names found;
  for (const std::string& name : names)
    if (dlsym(RTLD_DEFAULT, ("PMPI_" + name).c_str()) != nullptr) found.insert(name);
  return found;
}

Names difference(const Names& of, const Names& without) {
  Names left;
  std::ranges::set_difference(of, without, std::inserter(left, left.end()));
  return left;
}

TEST(HeaderParser, SeesFunctionsAndNothingElse) {
  const std::string header = R"(
    typedef int (MPI_Callback)(int);  struct MPI_S { int (*MPI_member)(void); };  extern int MPI_variable;
    __attribute__((visibility("default"))) int MPI_One(void) __attribute__((deprecated("MPI_Zero (gone);")));
    extern double
      MPI_Two (int (*MPI_argument)(int), int x[][3]);  int PMPI_One(void);
    static inline int MPI_Three(void) { return MPI_Four(1); ; } ; int mpi_one_(void);)";
  EXPECT_EQ(declared_functions(header, "MPI_"), (Names{"One", "Two", "Three"}));
  EXPECT_EQ(declared_functions(header, "PMPI_"), (Names{"One"}));
}

TEST(MpiHeader, DeclaresNothingThatTheTableLacks) {
  const Names names = declared();
  ASSERT_GT(names.size(), 400U) << MERIDIAN_PREPROCESSED;
  for (const std::string& name : names) EXPECT_NE(call_by_name("MPI_" + name), CallId::none) << "MPI_" << name;
}

TEST(MpiHas, IsOneForCallsThatTheHeaderDeclaresAndTheLibraryHas) {
  Names said;
  for (const Has& row : kHas)
    if (row.has) said.insert(row.name);
  const Names expected = in_library(declared());
  EXPECT_EQ(difference(expected, said), Names{});
  EXPECT_EQ(difference(said, expected), Names{});
}

#ifdef MERIDIAN_LIBRARY
/// Names `prefix`... among the dynamic symbols that our library defines.
Names exported(std::string_view prefix) {
  constexpr auto close = [](std::FILE* pipe) { pclose(pipe); };
  const std::unique_ptr<std::FILE, decltype(close)> pipe{
      popen(MERIDIAN_NM " -D --defined-only --format=posix '" MERIDIAN_LIBRARY "'", "r")};
  Names found;
  char line[4096];
  while (pipe != nullptr && std::fgets(line, sizeof line, pipe.get()) != nullptr) {
    const std::string_view text{line};
    const std::string_view name = text.substr(0, text.find_first_of(" @\n"));
    if (name.starts_with(prefix)) found.emplace(name.substr(prefix.size()));
  }
  return found;
}
#endif

#ifdef MERIDIAN_LIBRARY
/// SEND of MPI_SEND: what some Fortran compilers make of a name, never C's.
bool is_fortran(const std::string& name) {
  return std::ranges::none_of(name, [](unsigned char letter) { return std::islower(letter) != 0; });
}
#endif

TEST(OurLibrary, ExportsEveryCallThatThisMpiHasAndNoOther) {
#ifdef MERIDIAN_LIBRARY
  const Names expected = in_library(declared());
  Names ours = exported("MPI_");
  std::erase_if(ours, is_fortran);
  EXPECT_EQ(difference(expected, ours), Names{}) << "not wrapped";
  EXPECT_EQ(difference(ours, expected), Names{}) << "wrapped, but not in " MERIDIAN_FLAVOR;
  EXPECT_EQ(exported("PMPI_"), Names{}) << "the profiling names are the MPI library's";
#else
  GTEST_SKIP() << "libmeridian is not built for " MERIDIAN_FLAVOR;
#endif
}

}  // namespace
}  // namespace meridian
