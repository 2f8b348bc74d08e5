// SPDX-License-Identifier: Apache-2.0
// Call stacks on their way from the ring to the rank file.

#include <gtest/gtest.h>

#include "decoded.hpp"

namespace meridian {
namespace {

using namespace test;

TEST(RecordDecoder, SharesTheCallStacksOfThreads) {
  const auto node = [](std::uint32_t id, std::uint32_t parent, std::uint64_t address) {
    return record(CallId::none, Payload::stack, 1, 1, {}, 0, StackNode{id, parent, address});
  };
  const auto call = [](std::uint64_t enter, std::uint64_t site) {
    Words words = local_record(CallId::Wtime, enter, enter + 1);
    words.push_back(site);
    words[0] = header_word(CallId::Wtime, Payload::local, words.size(), 0, kFlagSite);
    return words;
  };
  const auto decoded = decode({
      {thread_record(0, 1), call(2, 0x9000), node(1, 0, 0x100), node(2, 1, 0x200), call(3, kStackSite | 2),
       node(3, 1, 0x300), call(4, kStackSite | 3), call(5, 0x9001), local_record(CallId::Wtime, 7, 8),
       call(9, kStackSite | 2)},
      {thread_record(1, 1), node(1, 0, kStackDeeper), node(2, 1, 0x200), call(3, kStackSite | 2), node(3, 0, 0x100),
       node(4, 3, 0x300), call(4, kStackSite | 4)},
      {thread_record(2, 1), call(3, 0x500)},
  });
  EXPECT_EQ(decoded.damaged, 0u);
  ASSERT_EQ(decoded.batches.size(), 3u);
  EXPECT_EQ(decoded.batches[0].events.sites, (std::vector<std::uint64_t>{0x9000, 0x200, 0x300, 0x9001, 0x200}));
  EXPECT_EQ(decoded.batches[0].events.nodes, (std::vector<std::uint32_t>{0, 2, 3, 0, 2}));
  EXPECT_EQ(decoded.batches[1].events.sites, (std::vector<std::uint64_t>{0x200, 0x300}));
  EXPECT_EQ(decoded.batches[1].events.nodes, (std::vector<std::uint32_t>{5, 3}));
  EXPECT_EQ(decoded.batches[2].events.nodes, std::vector<std::uint32_t>{});
  std::vector<std::pair<std::uint32_t, std::uint64_t>> stacks;
  for (const StackRow& row : decoded.meta.stacks) stacks.emplace_back(row.parent, row.address);
  EXPECT_EQ(stacks, (std::vector<std::pair<std::uint32_t, std::uint64_t>>{
                        {0, 0}, {0, 0x100}, {1, 0x200}, {1, 0x300}, {0, kStackDeeper}, {4, 0x200}}));
}

TEST(RecordDecoder, EndsAStreamAtAnInvalidCallStack) {
  const auto node = [](std::uint32_t id, std::uint32_t parent) {
    return record(CallId::none, Payload::stack, 1, 1, {}, 0, StackNode{id, parent, 0x100});
  };
  Words call = local_record(CallId::Wtime, 3, 4);
  call.push_back(kStackSite | 2);
  call[0] = header_word(CallId::Wtime, Payload::local, call.size(), 0, kFlagSite);
  Words none = call;
  none.back() = kStackSite;
  for (const Words& bad : {node(2, 1), node(3, 1), node(1, 2), node(0, 0), call, none}) {
    const auto decoded = decode({{thread_record(0, 1), node(1, 0), bad, local_record(CallId::Wtime, 5, 6)}});
    if (bad == node(2, 1)) {
      EXPECT_EQ(decoded.damaged, 0u);
      EXPECT_EQ(decoded.events, 1u);
      continue;
    }
    EXPECT_EQ(decoded.damaged, 1u);
    EXPECT_EQ(decoded.events, 0u);
  }
  // A thread that takes over the slot begins anew.
  const auto decoded = decode({{thread_record(0, 1), node(1, 0), node(2, 1), thread_record(1, 9), call}});
  EXPECT_EQ(decoded.damaged, 1u);
}

}  // namespace
}  // namespace meridian
