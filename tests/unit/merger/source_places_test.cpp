// SPDX-License-Identifier: Apache-2.0
// Source locations in the debug information of this test itself.

#include "merger/sites/debug_info.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace meridian::test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

std::uint64_t called_by_library();
std::uint64_t called_by_own_header();
std::uint64_t called_in_headers();
std::uint64_t called_by_lambda(int number);
std::uint64_t called_by_member();
std::uint64_t called_by_macro();

SourcePlace place_of(std::uint64_t address) {
  Dl_info info{};
  EXPECT_NE(dladdr(reinterpret_cast<void*>(address), &info), 0);
  SourcePlace found;
  const int descriptor = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(info.dli_fbase);
  read_places(descriptor, "/proc/self/exe", "", {offset}, [&](const SourcePlace& place) { found = place; });
  return found;
}

TEST(SourcePlaces, InHeadersOfTheSystemAreThoseOfTheirCallers) {
  if (!can_read_debug_info()) GTEST_SKIP() << "built without libdw";
  const SourcePlace place = place_of(called_by_library());
  EXPECT_EQ(place.file, "/home/user/own.cpp");
  EXPECT_EQ(place.line, 20u);
  EXPECT_THAT(place.function, HasSubstr("called_by_library"));
  EXPECT_EQ(place.outer, "");
}

TEST(SourcePlaces, InHeadersOfTheProgramAreThoseOfTheirCallers) {
  if (!can_read_debug_info()) GTEST_SKIP() << "built without libdw";
  const SourcePlace place = place_of(called_by_own_header());
  EXPECT_EQ(place.file, "/home/user/own.cpp");
  EXPECT_EQ(place.line, 21u);
  EXPECT_THAT(place.function, HasSubstr("called_by_own_header"));
  EXPECT_EQ(place.outer, "");
}

TEST(SourcePlaces, OfAProgramInHeadersAreThoseOfTheInnermostFunctionThatIsNotTheSystems) {
  if (!can_read_debug_info()) GTEST_SKIP() << "built without libdw";
  const SourcePlace place = place_of(called_in_headers());
  EXPECT_EQ(place.file, "/home/user/own.hpp");
  EXPECT_EQ(place.line, 8u);
  EXPECT_THAT(place.function, StartsWith("meridian::test::(anonymous namespace)::own_guard"));
  EXPECT_THAT(place.outer, HasSubstr("called_in_headers"));
}

TEST(SourcePlaces, InlinedLambdasAreNamedByTheirFunctionAndNumber) {
  if (!can_read_debug_info()) GTEST_SKIP() << "built without libdw";
  const std::string first = place_of(called_by_lambda(0)).function, second = place_of(called_by_lambda(1)).function;
  for (const std::string& name : {first, second})
    EXPECT_THAT(name, AllOf(HasSubstr("(anonymous namespace)::called_by_lambda"), HasSubstr("::operator()")));
  EXPECT_THAT(first, AnyOf(HasSubstr("::{lambda#1}::"), HasSubstr("$_")));  // GCC; clang
  EXPECT_THAT(second, AnyOf(HasSubstr("::{lambda#2}::"), HasSubstr("$_")));
  EXPECT_NE(first, second);
}

TEST(SourcePlaces, MembersOfClassesThatOtherFilesDoNotSeeAreNamedWithTheirClass) {
  if (!can_read_debug_info()) GTEST_SKIP() << "built without libdw";
  EXPECT_THAT(place_of(called_by_member()).function,
              StartsWith("meridian::test::(anonymous namespace)::Solver<int>::step"));
}

TEST(SourcePlaces, CodeOfAHeaderInAFunctionIsOfTheFunctionsFile) {
  if (!can_read_debug_info()) GTEST_SKIP() << "built without libdw";
  const SourcePlace place = place_of(called_by_macro());
  EXPECT_THAT(place.function, HasSubstr("called_by_macro"));
  EXPECT_EQ(place.file, "/home/user/own.cpp");
  EXPECT_EQ(place.line, 0u);  // it is in the header
}

std::uint64_t named_object[4] = {1, 2, 3, 4};  // not constant: in the data of the program
std::uint64_t named_zeros[4];

/// The name of an address in the program's memory.
std::string symbol_at(const void* address) {
  return place_of(reinterpret_cast<std::uint64_t>(address) + 1).function;  // a return address is behind its call
}

TEST(SourcePlaces, OfDataAreTheSymbolsOfTheirObjects) {
  if (!can_read_debug_info()) GTEST_SKIP() << "built without libdw";
  EXPECT_EQ(symbol_at(&named_object[0]), "meridian::test::(anonymous namespace)::named_object");
  EXPECT_EQ(symbol_at(&named_object[2]), "meridian::test::(anonymous namespace)::named_object+16");
  EXPECT_EQ(symbol_at(&named_zeros[1]), "meridian::test::(anonymous namespace)::named_zeros+8");
}

[[gnu::noinline]] std::uint64_t return_address() {
  return reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
}

// From here on the code claims to be in other files.
// clang-format off
# 80 "/usr/include/c++/12/shared_mutex"
[[gnu::always_inline]] inline std::uint64_t lock() { const std::uint64_t at = return_address(); asm(""); return at; }
[[gnu::always_inline]] inline std::uint64_t guard() { const std::uint64_t at = lock(); asm(""); return at; }
# 7 "/home/user/own.hpp"
[[gnu::always_inline]] inline std::uint64_t own() { const std::uint64_t at = return_address(); asm(""); return at; }
[[gnu::always_inline]] inline std::uint64_t own_guard() { const std::uint64_t at = guard(); asm(""); return at; }
[[gnu::noinline]] std::uint64_t called_in_headers() { const std::uint64_t at = own_guard(); asm(""); return at; }
# 20 "/home/user/own.cpp"
[[gnu::noinline]] std::uint64_t called_by_library() { const std::uint64_t at = guard(); asm(""); return at; }
[[gnu::noinline]] std::uint64_t called_by_lambda(int number) {  // what differs around the calls keeps compilers from making one of both
  const auto first = []() __attribute__((always_inline)) { asm("nop"); const std::uint64_t at = return_address(); asm("nop"); return at; };
  const auto second = []() __attribute__((always_inline)) { asm("nop;nop"); const std::uint64_t at = return_address(); asm("nop;nop"); return at; };
  return number == 0 ? first() : second();
}
template <class T> struct Solver {
  [[gnu::noinline]] std::uint64_t step(T count) const { const std::uint64_t at = return_address() + static_cast<std::uint64_t>(count); asm(""); return at; }
};
[[gnu::noinline]] std::uint64_t called_by_member() { return Solver<int>{}.step(0); }
[[gnu::noinline]] std::uint64_t called_by_macro() {
  std::uint64_t at = 0;
# 7 "/home/user/body.hpp"
  at = return_address();
# 40 "/home/user/own.cpp"
  asm("");
  return at;
}
# 21 "/home/user/own.cpp"
[[gnu::noinline]] std::uint64_t called_by_own_header() { const std::uint64_t at = own(); asm(""); return at; }

}  // namespace
}  // namespace meridian::test
