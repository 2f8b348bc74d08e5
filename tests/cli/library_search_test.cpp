// SPDX-License-Identifier: Apache-2.0
#include "cli/run/library_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/elf_builder.hpp"
#include "tests/support/temp_dir.hpp"

namespace meridian {
namespace {

using testing::Contains;
using testing::ElementsAre;

class LibraryClosure : public testing::Test {
 protected:
  std::filesystem::path library(const std::string& name, const ElfBuilder& elf = {}) const {
    return directory_.write(name, elf.bytes());
  }
  std::string at(const std::string& name) const { return (directory_.path() / name).string(); }
  std::vector<std::string> closure(const std::filesystem::path& program, const std::string& library_path = "") const {
    return library_closure(program, LibrarySearch{library_path, at("no-cache")});
  }

  test::TempDir directory_;
};

TEST_F(LibraryClosure, FollowsRunpathWithOrigin) {
  library("lib/libone.so", ElfBuilder{}.needs("libfar.so"));
  const auto program = library("program", ElfBuilder{}.needs("libone.so").runpath("$ORIGIN/lib"));
  EXPECT_THAT(closure(program), ElementsAre("libone.so", "libfar.so"));
}

TEST_F(LibraryClosure, PassesRpathOnButNotRunpath) {
  library("lib/libone.so", ElfBuilder{}.needs("libtwo.so"));
  library("lib/libtwo.so", ElfBuilder{}.needs("libthree.so"));
  const auto with_rpath = library("a", ElfBuilder{}.needs("libone.so").rpath(at("lib")));
  EXPECT_THAT(closure(with_rpath), ElementsAre("libone.so", "libtwo.so", "libthree.so"));
  const auto with_runpath = library("b", ElfBuilder{}.needs("libone.so").runpath(at("lib")));
  EXPECT_THAT(closure(with_runpath), ElementsAre("libone.so", "libtwo.so"));
}

TEST_F(LibraryClosure, TakesLibraryPathBeforeRunpath) {
  library("first/libone.so", ElfBuilder{}.needs("libfirst.so"));
  library("second/libone.so", ElfBuilder{}.needs("libsecond.so"));
  const auto program = library("program", ElfBuilder{}.needs("libone.so").runpath(at("second")));
  EXPECT_THAT(closure(program, at("first")), ElementsAre("libone.so", "libfirst.so"));
  EXPECT_THAT(closure(program), ElementsAre("libone.so", "libsecond.so"));
}

TEST_F(LibraryClosure, SkipsLibrariesOfAnotherMachine) {
  library("first/libone.so", ElfBuilder{}.needs("libwrong.so").machine(EM_S390));
  library("second/libone.so", ElfBuilder{}.needs("libright.so"));
  const auto program = library("program", ElfBuilder{}.needs("libone.so"));
  EXPECT_THAT(closure(program, at("first") + ":" + at("second")), ElementsAre("libone.so", "libright.so"));
}

TEST_F(LibraryClosure, EndsWhenLibrariesNeedEachOther) {
  library("lib/liba.so", ElfBuilder{}.needs("libb.so"));
  library("lib/libb.so", ElfBuilder{}.needs("liba.so"));
  const auto program = library("program", ElfBuilder{}.needs("liba.so").rpath(at("lib")));
  EXPECT_THAT(closure(program), ElementsAre("liba.so", "libb.so"));
}

TEST_F(LibraryClosure, KeepsTheNameOfAMissingLibrary) {
  EXPECT_THAT(closure(library("program", ElfBuilder{}.needs("libnowhere.so.9"))), ElementsAre("libnowhere.so.9"));
}

TEST(LibrarySearch, FindsTheCLibraryThroughTheLinkersCacheOrDirectories) {
  const auto found = LibrarySearch{""}.find("libc.so.6");
  ASSERT_TRUE(found);
  EXPECT_TRUE(read_elf(*found)->is_native);
}

TEST(LibrarySearch, SurvivesATruncatedOrInvalidCache) {
  const test::TempDir directory;
  const std::string magic = "glibc-ld.so.cache1.1";
  for (const std::string& bytes :
       {std::string{}, magic, magic + std::string(28, '\xff'), magic + std::string(200, '\x01')})
    EXPECT_FALSE((LibrarySearch{"", directory.write("cache", bytes)}.find("libnowhere.so")));
}

TEST(SearchPath, ReplacesOriginAndTakesEmptyForHere) {
  const auto directories = split_search_path("/a:$ORIGIN/../b:${ORIGIN}:", "/opt/bin/program");
  EXPECT_THAT(directories, ElementsAre("/a", "/opt/bin/../b", "/opt/bin"));
  EXPECT_THAT(split_search_path("/a::/b", "/x"), ElementsAre("/a", ".", "/b"));
}

}  // namespace
}  // namespace meridian
