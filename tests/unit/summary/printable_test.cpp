// SPDX-License-Identifier: Apache-2.0
#include "cli/summary/printable.hpp"

#include <gtest/gtest.h>

namespace meridian {
namespace {

TEST(Printable, KeepsTextInAnyLanguage) { EXPECT_EQ(printable("plain, grüße, 日本"), "plain, grüße, 日本"); }

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(printable("\033[2J\n\t\x7f"), "\\x1b[2J\\x0a\\x09\\x7f");
  EXPECT_EQ(printable("\u009b31m"), "\\u{009b}31m");
  EXPECT_EQ(printable("\u202e\u2066\ufeff"), "\\u{202e}\\u{2066}\\u{feff}");
}

TEST(Printable, EscapesBrokenUtf8ByteByByte) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
}

TEST(DisplayWidth, CountsColumnsAndNotBytes) {
  EXPECT_EQ(display_width("grüße"), 5U);
  EXPECT_EQ(display_width("日本"), 4U);
  EXPECT_EQ(display_width("e\u0301"), 1U);
}

TEST(Shortened, CutsTheMiddleOut) {
  EXPECT_EQ(shortened("/a/long/path/to/program", 11), "/a/l...gram");
  EXPECT_EQ(shortened("short", 5), "short");
  EXPECT_EQ(shortened("日本語日本語", 9), "日...語");
}

TEST(Shortened, KeepsTheNameOfAFunctionLongest) {
  const char* const name = "outer::inner::Solver<double, std::vector<int>>::step(std::vector<double> const&, int)";
  EXPECT_EQ(shortened_function(name, 100), name);
  EXPECT_EQ(shortened_function(name, 60), "outer::inner::Solver<double, std::vector<int>>::step");
  EXPECT_EQ(shortened_function(name, 48), "inner::Solver<double, std::vector<int>>::step");
  EXPECT_EQ(shortened_function(name, 40), "Solver<double, std::vector<int>>::step");
  EXPECT_EQ(shortened_function(name, 20), "step");
  EXPECT_EQ(shortened_function("(anonymous namespace)::work(int)", 10), "work");
  EXPECT_EQ(shortened_function("norm<double, 3>", 10), "norm");
  EXPECT_EQ(shortened_function("a_function_with_a_long_name", 11), "a_fu...name");
  EXPECT_EQ(shortened_function("((((((((((", 5), "(...(");
}

TEST(Printable, PlacesKeepTheirLineLongest) {
  EXPECT_EQ(shortened_place("exchange, halo.c:120", 20), "exchange, halo.c:120");
  EXPECT_EQ(shortened_place("LAMMPS_NS::CommBrick::reverse_comm, liblammps.so.0+0x2b0cab", 37),
            "reverse_comm, liblammps.so.0+0x2b0cab");
  EXPECT_EQ(shortened_place("exchange_of_all, halo.c:120", 18), "e...ll, halo.c:120");
  EXPECT_EQ(shortened_place("exchange, halo.c:120", 14), "halo.c:120");
  EXPECT_EQ(shortened_place("halo.c:120", 8), "ha...120");
}

TEST(Shortened, KeepsTheEndOfAPath) {
  EXPECT_EQ(shortened_path("/home/user/a/program", 20), "/home/user/a/program");
  EXPECT_EQ(shortened_path("/home/user/a/program", 15), ".../a/program");
  EXPECT_EQ(shortened_path("/home/user/a/program", 11), ".../program");
  EXPECT_EQ(shortened_path("/home/user/a/program", 6), "p...am");
}

TEST(Wrapped, BreaksAtBlanks) { EXPECT_EQ(wrapped("one two three", 2, 9), "  one two\n  three\n"); }

TEST(Wrapped, BreaksAWordThatIsTooLong) { EXPECT_EQ(wrapped("abcdefgh ij", 1, 4), " abc\n def\n gh\n ij\n"); }

TEST(Wrapped, KeepsANumberAndItsUnitTogether) {
  EXPECT_EQ(wrapped("it took 5.9 % of", 0, 12), "it took\n5.9 % of\n");
  EXPECT_EQ(wrapped("it took 5.9 percent", 0, 12), "it took 5.9\npercent\n");
}

TEST(Wrapped, OfNothingIsNothing) { EXPECT_EQ(wrapped("", 2, 10), ""); }

}  // namespace
}  // namespace meridian
