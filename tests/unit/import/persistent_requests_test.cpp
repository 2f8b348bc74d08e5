// SPDX-License-Identifier: Apache-2.0
#include "import/persistent_requests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace meridian::imported {
namespace {

constexpr Repeated kFirst{0, 1, 5, 100}, kSecond{0, 1, 6, 100};

TEST(PersistentRequests, SendsThatAreAlikeUseOneRequestInTurn) {
  PersistentRequests requests;
  EXPECT_EQ(requests.start_send(kFirst, 2, 1), 0U);
  requests.end_send(0);
  EXPECT_EQ(requests.start_send(kFirst, 2, 2), 0U);
  EXPECT_EQ(requests.sends().size(), 1U);
}

TEST(PersistentRequests, SendsThatOverlapOrDifferUseSeveralRequests) {
  PersistentRequests requests;
  EXPECT_EQ(requests.start_send(kFirst, 3, 1), 0U);
  EXPECT_EQ(requests.start_send(kFirst, 3, 1), 1U);
  EXPECT_EQ(requests.start_send(kSecond, 3, 1), 2U);
  EXPECT_EQ(requests.sends()[2].tag, 6);
}

TEST(PersistentRequests, NoRequestIsNeededBeforeItIsMade) {
  PersistentRequests requests;
  EXPECT_EQ(requests.start_send(kFirst, 0, 1), std::nullopt);
  EXPECT_EQ(requests.end_receive(kFirst, 0, 1, 2), std::nullopt);
}

TEST(PersistentRequests, SendsWithoutCompletionsUseTheirRequestAgainInALaterCall) {
  PersistentRequests requests;
  EXPECT_EQ(requests.start_send(kFirst, 1, 1), 0U);
  EXPECT_EQ(requests.start_send(kFirst, 1, 1), std::nullopt);  // MPI_Startall starts a request once
  EXPECT_EQ(requests.start_send(kFirst, 1, 2), 0U);
}

TEST(PersistentRequests, ReceivesThatOverlapUseSeveralRequests) {
  PersistentRequests requests;
  EXPECT_EQ(requests.end_receive(kFirst, 2, 1, 3), 0U);
  EXPECT_EQ(requests.end_receive(kFirst, 2, 2, 4), 1U);  // began before the other one ended
  EXPECT_EQ(requests.end_receive(kFirst, 2, 5, 6), 1U);
  EXPECT_EQ(requests.receives().size(), 2U);
}

TEST(PersistentRequests, AReceiveFromSeveralSendersIsOneFromAny) {
  PersistentRequests requests;
  EXPECT_EQ(requests.end_receive({0, 1, 5, 10}, 1, 1, 2), 0U);
  EXPECT_EQ(requests.end_receive({0, 2, 5, 30}, 1, 3, 4), 0U);
  const Repeated repeated = requests.receives()[0];
  EXPECT_EQ(repeated.peer, -1);
  EXPECT_EQ(repeated.tag, 5);
  EXPECT_EQ(repeated.bytes, 30U);
}

}  // namespace
}  // namespace meridian::imported
