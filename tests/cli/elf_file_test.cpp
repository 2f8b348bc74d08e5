// SPDX-License-Identifier: Apache-2.0
#include "cli/run/elf_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/elf_builder.hpp"
#include "tests/support/temp_dir.hpp"

namespace meridian {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(ElfFile, SeesThatThisTestIsDynamicAndNeedsTheCLibrary) {
  const auto elf = read_elf("/proc/self/exe");
  ASSERT_TRUE(elf);
  EXPECT_TRUE(elf->is_native);
  EXPECT_TRUE(elf->has_interpreter);
  EXPECT_THAT(elf->needed, Contains("libc.so.6"));
}

TEST(ElfFile, ListsNeededLibrariesAndSearchPaths) {
  const test::TempDir directory;
  const auto elf = read_elf(
      directory.write("a", ElfBuilder{}.needs("libone.so").runpath("$ORIGIN/lib").needs("libtwo.so.2").bytes()));
  ASSERT_TRUE(elf);
  EXPECT_THAT(elf->needed, ElementsAre("libone.so", "libtwo.so.2"));
  EXPECT_EQ(elf->search_path, "$ORIGIN/lib");
  EXPECT_TRUE(elf->has_runpath);
  EXPECT_FALSE(elf->has_interpreter);
}

TEST(ElfFile, PrefersRunpathToRpath) {
  const test::TempDir directory;
  const auto elf = read_elf(directory.write("a", ElfBuilder{}.rpath("/old").runpath("/new").bytes()));
  ASSERT_TRUE(elf);
  EXPECT_EQ(elf->search_path, "/new");
}

TEST(ElfFile, OfAnotherMachineIsNotNative) {
  const test::TempDir directory;
  const auto elf = read_elf(directory.write("a", ElfBuilder{}.machine(EM_S390).bytes()));
  ASSERT_TRUE(elf);
  EXPECT_FALSE(elf->is_native);
}

TEST(ElfFile, DoesNotExistWithoutTheMagicOrTheFile) {
  const test::TempDir directory;
  EXPECT_FALSE(read_elf(directory.write("script", "#!/bin/sh\n")));
  EXPECT_FALSE(read_elf(directory.write("empty", "")));
  EXPECT_FALSE(read_elf(directory.path() / "missing"));
  EXPECT_FALSE(read_elf(directory.path()));
}

TEST(ElfFile, CutOffAnywhereYieldsNoMoreThanTheWholeAndNeverCrashes) {
  const test::TempDir directory;
  const std::string whole = ElfBuilder{}.needs("liba.so").needs("libb.so").interpreter().bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto elf = read_elf(directory.write("a", whole.substr(0, length)));
    if (!elf) continue;
    EXPECT_LE(elf->needed.size(), 2U);
  }
}

TEST(ElfFile, WithAnyByteChangedNeverCrashes) {
  const test::TempDir directory;
  const std::string whole = ElfBuilder{}.needs("liba.so").runpath("/x").interpreter().bytes();
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char value : {'\x00', '\xff', '\x7f'}) {
      std::string damaged = whole;
      damaged[at] = value;
      const auto elf = read_elf(directory.write("a", damaged));
      if (elf) {
        EXPECT_LE(elf->needed.size(), 8U);
      }
    }
}

TEST(ElfFile, WithStringsBeyondTheFileHasNoNames) {
  const test::TempDir directory;
  std::string bytes = ElfBuilder{}.needs("libendless.so").bytes();
  bytes.pop_back();  // the last name has no end now
  const auto elf = read_elf(directory.write("a", bytes));
  ASSERT_TRUE(elf);
  EXPECT_THAT(elf->needed, IsEmpty());
}

}  // namespace
}  // namespace meridian
