// SPDX-License-Identifier: Apache-2.0
#include "import/channel_counts.hpp"

#include <gtest/gtest.h>

namespace meridian::imported {
namespace {

constexpr Channel kThere{1, 0, 1, 7}, kBack{1, 1, 0, 7};

TEST(ChannelCounts, AllChannelsAreReliableIfTheToolRecordsBothSides) {
  ChannelCounts counts;
  counts.add_send(kThere);
  counts.add_posted_receive();
  counts.add_posted_receive();
  counts.add_completed_receive();
  counts.add_sendrecv(false);
  counts.add_sendrecv(true);
  EXPECT_FALSE(counts.lacks_sides());
  EXPECT_TRUE(counts.is_reliable(kThere));
}

TEST(ChannelCounts, OnlyCompleteChannelsAreReliableIfNoPostedReceiveCompletes) {
  ChannelCounts counts;
  counts.add_send(kThere);
  counts.add_receive(kThere);
  counts.add_send(kBack);
  counts.add_posted_receive();
  EXPECT_TRUE(counts.lacks_sides());
  EXPECT_TRUE(counts.is_reliable(kThere));
  EXPECT_FALSE(counts.is_reliable(kBack));
}

TEST(ChannelCounts, OnlyCompleteChannelsAreReliableIfSendrecvHasNoMessages) {
  ChannelCounts counts;
  counts.add_receive(kThere);
  counts.add_sendrecv(false);
  EXPECT_TRUE(counts.lacks_sides());
  EXPECT_FALSE(counts.is_reliable(kThere));
}

}  // namespace
}  // namespace meridian::imported
