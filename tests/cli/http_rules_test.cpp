// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cli/view/http_server.hpp"

namespace meridian {
namespace {

TEST(LoopbackHost, IsThisMachineAtAnyPort) {
  for (const char* const host :
       {"127.0.0.1", "127.0.0.1:80", "localhost", "localhost:65535", "[::1]", "[::1]:8080", "localhost:"})
    EXPECT_TRUE(is_loopback_host(host)) << host;
}

TEST(LoopbackHost, IsNoNameThatAnotherSiteCanHave) {
  for (const char* const host :
       {"", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "127.0.0.1:x", "127.0.0.2",
        "0.0.0.0", "[::2]", "localhost:80:80", "127.0.0.1 ", "LOCALHOST.", ":80"})
    EXPECT_FALSE(is_loopback_host(host)) << host;
}

TEST(RandomToken, IsDifferentEachTime) {
  const auto first = random_token(), second = random_token();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->size(), 32U);
  EXPECT_EQ(first->find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(*first, *second);
}

}  // namespace
}  // namespace meridian
