// SPDX-License-Identifier: Apache-2.0
#include "cli/view/peer_user.hpp"

#include <gtest/gtest.h>

namespace meridian {
namespace {

constexpr std::string_view kTcp =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
    "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11 1 0 100 0 0 10 0\n"
    "   1: 0100007F:9C40 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 12 1 0 20 4 30 10 -1\n"
    "   2: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 13 1 0 20 4 30 10 -1\n"
    "   3: 0200007F:9C41 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1003        0 14 1 0 20 4 30 10 -1\n";
constexpr std::string_view kTcp6 =
    "   0: 0000000000000000FFFF00000100007F:9C42 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 "
    "00:00000000 00000000  1002        0 15 1 0 20 4 30 10 -1\n";

TEST(PeerUser, IsThatOfTheOtherEnd) {
  EXPECT_EQ(find_peer_user(kTcp, kTcp6, 0x9c40, 8080), 1001U);
  EXPECT_EQ(find_peer_user(kTcp, kTcp6, 0x9c42, 8080), 1002U);
}

TEST(PeerUser, IsUnknownForOtherConnections) {
  EXPECT_EQ(find_peer_user(kTcp, kTcp6, 0x9c40, 8081), std::nullopt);
  EXPECT_EQ(find_peer_user(kTcp, kTcp6, 0x9c41, 8080), std::nullopt);  // from another address
  EXPECT_EQ(find_peer_user(kTcp, kTcp6, 8080, 0), std::nullopt);
  EXPECT_EQ(find_peer_user("", "no table\n1:\n 1: : :\n", 1, 2), std::nullopt);
}

}  // namespace
}  // namespace meridian
