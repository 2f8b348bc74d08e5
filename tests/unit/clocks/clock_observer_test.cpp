// SPDX-License-Identifier: Apache-2.0
// Ranks that name one clock and contradict each other: they have two clocks, or their messages were paired wrongly.

#include "merger/clocks/samples/clock_observer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "merger/clocks/fit/fit_clocks.hpp"

namespace meridian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Two ranks of one host.
class OneClock : public ::testing::Test {
 protected:
  OneClock() {
    for (std::int32_t rank = 0; rank < 2; ++rank) {
      metas_[rank].rank = rank;
      metas_[rank].hostname = "host";
      pointers_.push_back(&metas_[rank]);
    }
    first_.domain_of = {0, 0};
    first_.domains = 1;
    first_.maps.resize(2);
  }
  /// 100 messages in 100 ms.
  void send(std::int32_t from, std::int64_t takes_ns, bool is_ambiguous = false) {
    for (std::int64_t i = 0; i < 100; ++i) {
      MatchedMessage message;
      message.send.rank = from;
      message.post.rank = message.completion.rank = 1 - from;
      message.send_enter_ns = 1'000'000 * i;
      message.receive_leave_ns = message.send_enter_ns + takes_ns;
      message.is_ambiguous = is_ambiguous;
      messages_.push_back(message);
    }
  }
  std::vector<std::uint32_t> split() {
    ClockObserver observer{pointers_, first_};
    observer.add(messages_);
    return observer.find_split();
  }

 private:
  RankMeta metas_[2];
  std::vector<const RankMeta*> pointers_;
  Clocks first_;
  std::vector<MatchedMessage> messages_;
};

TEST_F(OneClock, IsBelievedIfMessagesTakeTime) {
  send(0, 1000);
  send(1, 1000);
  EXPECT_THAT(split(), IsEmpty());
}

TEST_F(OneClock, IsTwoIfADistanceExplainsBothDirections) {
  send(0, -5'000'000);
  send(1, 5'002'000);
  EXPECT_THAT(split(), ElementsAre(1, 2));
}

TEST_F(OneClock, IsTwoIfTheOnlyDirectionIsReversed) {
  send(0, -5'000'000);
  EXPECT_THAT(split(), ElementsAre(1, 2));
}

TEST_F(OneClock, IsBelievedIfNoDistanceExplainsBothDirections) {
  send(0, -5'000'000);
  send(1, 1000);
  EXPECT_THAT(split(), IsEmpty()) << "the messages were paired wrongly";
}

TEST_F(OneClock, IsTwoIfTheyDriftApart) {
  send(0, -5'000'000);
  send(1, 5'000'000 - 10'000);  // 100 ppm
  EXPECT_THAT(split(), ElementsAre(1, 2));
}

TEST_F(OneClock, IsBelievedIfOnlyGuessesContradict) {
  send(0, -5'000'000, true);
  send(1, 5'002'000);
  EXPECT_THAT(split(), IsEmpty());
}

}  // namespace
}  // namespace meridian
