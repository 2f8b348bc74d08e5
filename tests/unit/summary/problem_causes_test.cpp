// SPDX-License-Identifier: Apache-2.0
// Which ranks are named as the cause of a wait, why they are late, and what helps.

#include <gmock/gmock.h>

#include <string>
#include <string_view>

#include "summary/problems/problem_sleeps.hpp"
#include "tests/unit/summary/problem_samples.hpp"

namespace meridian {
namespace {

using samples::add_wait;
using samples::even_ranks;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

ProblemSummary the(const Summary& summary, std::string_view kind) {
  for (ProblemSummary& problem : find_problems(summary))
    if (problem.problem == kind) return problem;
  ADD_FAILURE() << kind;
  return {};
}

TEST(ProblemCauses, SeveralRanksThatAreLateAndHardlyWaitAreTheCause) {
  Summary summary = even_ranks(4);
  for (const std::size_t rank : {2U, 3U}) summary.ranks[rank].mpi_s = 1;
  add_wait(summary, "wait at N x N", 0, 2, 2, "MPI_Allreduce");
  add_wait(summary, "wait at N x N", 1, 3, 2, "MPI_Allreduce");
  add_wait(summary, "wait at N x N", 3, 2, 0.1, "MPI_Allreduce");
  const ProblemSummary problem = the(summary, "wait at N x N");
  EXPECT_THAT(problem.text, StartsWith("Ranks 0 and 1 wait 4.10 s in MPI_Allreduce"));
  EXPECT_THAT(problem.text, HasSubstr(" for ranks 2 and 3, mostly the last to enter."));
  EXPECT_EQ(problem.causer, -1);
  EXPECT_EQ(problem.causers, "2,3");
  EXPECT_EQ(problem.remedy, "Give ranks 2 and 3 less work: their waiters then wait less.");
}

TEST(ProblemCauses, ARankThatComputesLongerAtTheEndOfAChainOfWaitsGetsLessWork) {
  Summary summary = even_ranks(4);
  summary.ranks[0].mpi_s = 1;
  for (std::int32_t rank = 1; rank < 4; ++rank)
    add_wait(summary, "late sender", rank, rank - 1, 2, "MPI_Recv", "MPI_Send");
  summary.delays = {{0, 0, "compute", "", "MPI_Send", "a.c:9", 10, 2, 4}};
  EXPECT_EQ(the(summary, "late sender").remedy, "Give rank 0 less work: its waiters then wait less.");
}

TEST(ProblemCauses, ARankThatSleepsGetsNoAdviceToWorkLess) {
  Summary summary = even_ranks(2);
  add_wait(summary, "wait at barrier", 0, 1, 2);
  summary.delays = {{1, 0, "call", "", "usleep", "a.c:3", 10, 2, 0}};
  const ProblemSummary problem = find_problems(summary).front();
  EXPECT_THAT(problem.text, HasSubstr("It is late because of usleep (a.c:3)."));
  EXPECT_EQ(problem.remedy, "Let rank 1 wait there for what it sleeps for, or sleep for a shorter time.");
}

TEST(ProblemCauses, ARankThatWaitsForItsThreadsGetsAdviceOnThem) {
  Summary summary = even_ranks(2);
  add_wait(summary, "wait at barrier", 0, 1, 2);
  summary.delays = {{1, 0, "call", "", "pthread_join", "a.c:3", 10, 2, 0}};
  EXPECT_EQ(find_problems(summary).front().remedy,
            "Give the threads that rank 1 waits for there less work, or share it among more.");
  summary.delays = {{1, 0, "call", "", "sem_timedwait", "a.c:3", 10, 2, 0}};
  EXPECT_EQ(find_problems(summary).front().remedy,
            "Find out what rank 1 waits for there: another of its threads, or a timeout.");
}

TEST(ProblemCauses, ARankThatIsLateBecauseItSendsToAllInTurnGetsACollective) {
  Summary summary = even_ranks(4);
  summary.ranks[0].messages_sent = 300;
  for (const std::size_t rank : {1U, 2U, 3U}) summary.ranks[rank].messages_received = 100;
  for (std::int32_t rank = 1; rank < 4; ++rank) add_wait(summary, "late sender", rank, 0, 2, "MPI_Recv", "MPI_Send");
  summary.delays = {{0, 0, "call", "", "MPI_Send", "a.c:9", 10, 6, 0}};
  EXPECT_THAT(find_problems(summary).front().remedy, HasSubstr("a collective (MPI_Bcast, MPI_Scatter)"));
}

TEST(ProblemCauses, RequestsOfAProgramWithoutMessagesAreNotThoseOfSmallOnes) {
  Summary summary = even_ranks(2);
  summary.functions = {{"MPI_Waitall", "request", 80, 8, 0.1}};
  EXPECT_EQ(the(summary, "transfer").remedy, "Exchange less data, or compute for longer before waiting.");
  summary.messages.matched = 100;
  EXPECT_EQ(the(summary, "transfer").remedy, "Send fewer and larger messages.");
}

TEST(ProblemCauses, TheReasonOfAWaitIsThatOfThePartWhichIsNoLackOfProcessors) {
  Summary summary = even_ranks(2);
  summary.ranks[0].mpi_s = 5;
  summary.ranks[1].mpi_s = 1;
  add_wait(summary, "wait at barrier", 0, 1, 4);
  summary.delays = {{1, 0, "compute", "", "MPI_Barrier", "a.c:9", 1, 1.8, 0}, {1, 0, "ready", "", "", "", 1, 2.2, 0}};
  summary.ready_times = {{1, 0, 2.2, 0, 0}};
  const ProblemSummary wait = the(summary, "wait at barrier");
  EXPECT_THAT(wait.text, Not(HasSubstr("It is late because it has no processor")));
  EXPECT_EQ(wait.remedy, "Give rank 1 less work: its waiters then wait less.");
  summary.delays = {{1, 0, "compute", "", "MPI_Barrier", "a.c:9", 1, 0.4, 0}, {1, 0, "ready", "", "", "", 1, 3.6, 0}};
  EXPECT_EQ(the(summary, "wait at barrier").remedy, "See that rank 1 has a processor.");
}

/// Rank 1 of two is outside MPI for a second longer, in which its thread that calls MPI sleeps.
struct Sleeping {
  Sleeping() : summary{samples::even_ranks(2)} {
    load.ranks = {{&summary.ranks[0], 0.5, 1, 0}, {&summary.ranks[1], 0.5, 2, 1}};
  }
  void compute(std::int32_t rank, std::uint32_t thread, double self_s, std::uint64_t calls = 0) {
    ThreadSummary& row = summary.threads.emplace_back();
    row.rank = rank;
    row.thread = thread;
    row.calls = calls;
    ThreadFunctionSummary& function = summary.thread_functions.emplace_back();
    function.rank = rank;
    function.thread = thread;
    function.self_s = self_s;
  }
  std::string text() const { return describe_sleep(summary, load, load.ranks[1]); }
  bool is_late() const { return is_late_by_sleep(summary, load, {1}); }

  Summary summary;
  Load load;
};

TEST(ProblemSleeps, OfAThreadThatWaitsForOtherThreadsOfItsRankAreWork) {
  Sleeping sleeping;
  EXPECT_TRUE(sleeping.is_late());
  EXPECT_THAT(sleeping.text(), HasSubstr(" In 1.00 s of that it does not run: it sleeps"));
  sleeping.compute(1, 0, 0.9, 7);
  EXPECT_TRUE(sleeping.is_late()) << "the thread itself calls MPI";
  sleeping.compute(1, 1, 0.9);
  EXPECT_FALSE(sleeping.is_late());
  EXPECT_EQ(sleeping.text(), " In 1.00 s of that it waits, and other threads of the rank compute.");
}

TEST(ProblemSleeps, StayThoseWhereOtherThreadsOfAllRanksComputeAsLong) {
  Sleeping sleeping;
  sleeping.compute(0, 1, 3);
  sleeping.compute(1, 1, 3);
  EXPECT_TRUE(sleeping.is_late()) << "such as a thread for progress, which polls all the time";
  EXPECT_THAT(sleeping.text(), HasSubstr("it does not run"));
}

}  // namespace
}  // namespace meridian
