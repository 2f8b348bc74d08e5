// SPDX-License-Identifier: Apache-2.0
// Rules from valid and from damaged unwind information.

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "pmpi/stacks/unwind_image.hpp"
#include "tests/support/seed.hpp"

namespace meridian {
namespace {

/// .eh_frame_hdr and .eh_frame for one function of 0x100 bytes, 0x1000 bytes before them.
class Frames {
 public:
  static constexpr std::size_t kCode = 0x1000;

  explicit Frames(std::vector<std::uint8_t> program, std::vector<std::uint8_t> common_program = {0x0c, 7, 8, 0x90, 1},
                  const char* augmentation = "zR")
      : bytes_(kCode) {
    const std::size_t table = bytes_.size();
    add<std::uint8_t>(1), add<std::uint8_t>(0x1b), add<std::uint8_t>(0x03), add<std::uint8_t>(0x3b);
    const std::size_t frames_at = bytes_.size();
    add<std::int32_t>(0), add<std::uint32_t>(1);
    add<std::int32_t>(static_cast<std::int32_t>(0 - static_cast<std::int64_t>(table)));
    const std::size_t entry_at = bytes_.size();
    add<std::int32_t>(0);
    const std::size_t common = bytes_.size();
    put(frames_at, static_cast<std::int32_t>(common - frames_at));
    add<std::uint32_t>(0), add<std::uint32_t>(0), add<std::uint8_t>(1);
    for (const char* c = augmentation; *c != '\0'; ++c) add<std::uint8_t>(static_cast<std::uint8_t>(*c));
    add<std::uint8_t>(0), add<std::uint8_t>(1), add<std::uint8_t>(0x78), add<std::uint8_t>(16);
    add<std::uint8_t>(1), add<std::uint8_t>(0x1b);
    append(common_program);
    end(common);
    const std::size_t entry = bytes_.size();
    put(entry_at, static_cast<std::int32_t>(entry - table));
    add<std::uint32_t>(0);
    add<std::uint32_t>(static_cast<std::uint32_t>(bytes_.size() - common));
    add<std::int32_t>(static_cast<std::int32_t>(0 - static_cast<std::int64_t>(bytes_.size())));
    add<std::uint32_t>(0x100), add<std::uint8_t>(0);
    append(program);
    end(entry);
  }

  UnwindRule at(std::uintptr_t offset) const {
    return read_unwind_rule({bytes_.data(), bytes_.data() + bytes_.size(), bytes_.data() + kCode},
                            reinterpret_cast<std::uintptr_t>(bytes_.data()) + offset);
  }
  std::vector<std::uint8_t>& bytes() { return bytes_; }

 private:
  template <class T>
  void add(T value) {
    bytes_.resize(bytes_.size() + sizeof value);
    std::memcpy(bytes_.data() + bytes_.size() - sizeof value, &value, sizeof value);
  }
  template <class T>
  void put(std::size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  void append(const std::vector<std::uint8_t>& more) { bytes_.insert(bytes_.end(), more.begin(), more.end()); }
  void end(std::size_t begin) {
    while ((bytes_.size() - begin) % 8 != 4) bytes_.push_back(0);
    put(begin, static_cast<std::uint32_t>(bytes_.size() - begin - 4));
  }

  std::vector<std::uint8_t> bytes_;
};

constexpr UnwindRule from_rsp(std::int32_t offset) { return {UnwindRule::from_rsp, UnwindRule::kept, 0, offset}; }

TEST(UnwindRule, FollowsTheProgramToThePlaceOfTheCall) {
  // push rbp at 0; mov rbp, rsp at 1; pop at 0x80
  const Frames frames{{0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 0x7c, 0xc6, 0x0c, 7, 8}};
  EXPECT_EQ(frames.at(1), from_rsp(8));
  EXPECT_EQ(frames.at(2), (UnwindRule{UnwindRule::from_rsp, UnwindRule::below_cfa, -16, 16}));
  EXPECT_EQ(frames.at(0x40), (UnwindRule{UnwindRule::from_rbp, UnwindRule::below_cfa, -16, 16}));
  EXPECT_EQ(frames.at(0x81), from_rsp(8)) << "the call is before the address that it returns to";
  EXPECT_EQ(frames.at(0x100), from_rsp(8));
  EXPECT_EQ(frames.at(0x101), UnwindRule{}) << "behind the function";
  EXPECT_EQ(frames.at(0), UnwindRule{}) << "before it";
}

TEST(UnwindRule, RemembersRowsAcrossAReturnInTheMiddle) {
  const Frames frames{{0x41, 0x0e, 64, 0x4f, 0x0a, 0x0e, 8, 0x41, 0x0b}};
  EXPECT_EQ(frames.at(8), from_rsp(64));
  EXPECT_EQ(frames.at(0x11), from_rsp(8));
  EXPECT_EQ(frames.at(0x20), from_rsp(64));
}

TEST(UnwindRule, KnowsFunctionsThatAlignTheirStack) {
  // CFA = [rbp - 8]; the caller's rbp lies at rbp + 0
  const Frames frames{{0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0x00}};
  EXPECT_EQ(frames.at(8), (UnwindRule{UnwindRule::at_rbp, UnwindRule::beside_rbp, 0, -8}));
}

TEST(UnwindRule, EndsAtAFrameWithoutACaller) { EXPECT_EQ(Frames({0x07, 16}).at(8).kind, UnwindRule::outermost); }

TEST(UnwindRule, IsUnknownForUnsupportedInstructions) {
  EXPECT_EQ(Frames({0x0c, 10, 8}).at(8).kind, UnwindRule::unknown) << "CFA from r10";
  EXPECT_EQ(Frames({0x09, 6, 3}).at(8), UnwindRule{}) << "rbp is in another register";
  EXPECT_EQ(Frames({0x0f, 2, 0x77, 0x08}).at(8), UnwindRule{}) << "another expression";
  EXPECT_EQ(Frames({0x90, 3}).at(8), UnwindRule{}) << "the return address is elsewhere";
  EXPECT_EQ(Frames({0x3f}).at(8), UnwindRule{}) << "an instruction that is not known";
  EXPECT_EQ(Frames({0x0b}).at(8), UnwindRule{}) << "a row that was not remembered";
  EXPECT_EQ(Frames(std::vector<std::uint8_t>(9, 0x0a)).at(8), UnwindRule{}) << "more rows than are remembered";
  EXPECT_EQ(Frames({}, {0x0c, 7, 8, 0x90, 1}, "zRS").at(8), UnwindRule{}) << "a signal frame";
  EXPECT_EQ(Frames({}, {0x0c, 7, 8, 0x90, 1}, "zQR").at(8), UnwindRule{}) << "what the entry says is not known";
}

TEST(UnwindRule, DoesNotTrustDamagedTables) {
  const Frames whole{{0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x0a, 0x02, 0x7c, 0xc6, 0x0c, 7, 8, 0x41, 0x0b}};
  std::mt19937_64 random{test::seeded(7)};
  std::size_t same = 0;
  constexpr int kRounds = 100'000;
  for (int i = 0; i < kRounds; ++i) {
    Frames frames = whole;
    const std::size_t length = frames.bytes().size();
    for (std::uint64_t flips = 1 + random() % 4; flips > 0; --flips)
      frames.bytes()[Frames::kCode + random() % (length - Frames::kCode)] = static_cast<std::uint8_t>(random());
    same += frames.at(0x40) == whole.at(0x40);
  }
  EXPECT_GT(same, 0u);
  EXPECT_LT(same, static_cast<std::size_t>(kRounds));
}

/// A copy of the data of a real library, with memory that cannot be read on both sides.
TEST(UnwindRule, ReadsOnlyTheImageWhateverItContains) {
  const auto code = reinterpret_cast<std::uintptr_t>(&std::qsort);
  const UnwindImage image = find_unwind_image(code);
  ASSERT_NE(image.table, nullptr);
  const auto bytes = static_cast<std::size_t>(image.end - image.begin);
  constexpr std::size_t kPage = 4096;
  const std::size_t pages = (bytes + kPage - 1) / kPage * kPage;
  auto* const memory =
      static_cast<unsigned char*>(mmap(nullptr, pages + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(mprotect(memory + kPage, pages, PROT_READ | PROT_WRITE), 0);
  unsigned char* const begin = memory + kPage + pages - bytes;  // it ends where the guard begins
  std::mt19937_64 random{test::seeded(11)};
  const auto moved = [&](std::uintptr_t address) {
    return address - reinterpret_cast<std::uintptr_t>(image.begin) + reinterpret_cast<std::uintptr_t>(begin);
  };
  const auto table = static_cast<std::size_t>(image.table - image.begin);
  std::size_t found = 0, asked = 0;
  for (int round = 0; round < 60; ++round) {
    std::memcpy(begin, image.begin, bytes);
    if (round > 0)
      for (int flips = 0; flips < (round % 2 == 0 ? 300 : 30'000); ++flips)
        begin[table + 12 + random() % (bytes - table - 12)] = static_cast<unsigned char>(random());
    for (int i = 0; i < 3000; ++i, ++asked) {
      const std::uintptr_t address = code + random() % 400'000 - 200'000;
      const UnwindRule rule = read_unwind_rule({begin, begin + bytes, begin + table}, moved(address));
      if (round == 0) {
        const UnwindRule expected = read_unwind_rule(image, address);
        ASSERT_TRUE(rule == expected);
      }
      found += rule.kind != UnwindRule::unknown;
    }
  }
  EXPECT_GT(found, 3000u);
  EXPECT_LT(found, asked);
  munmap(memory, pages + 2 * kPage);
}

TEST(UnwindRule, HasNoImageForUnmappedAddresses) {
  EXPECT_EQ(find_unwind_image(16).table, nullptr);
  std::vector<char> heap(100);
  EXPECT_EQ(find_unwind_image(reinterpret_cast<std::uintptr_t>(heap.data())).table, nullptr);
}

}  // namespace
}  // namespace meridian
