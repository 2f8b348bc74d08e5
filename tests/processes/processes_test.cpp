// SPDX-License-Identifier: Apache-2.0
#include "processes/processes.hpp"

#include <gtest/gtest.h>

#include <sched.h>

#include <string>
#include <vector>

#include "processes/mpi_processes.hpp"
#include "processes/shared_cpus.hpp"
#include "tests/support/forked_processes.hpp"
#include "tests/support/temp_dir.hpp"

namespace meridian {
namespace {

TEST(MpiProcesses, NameALibraryThatCannotBeLoaded) {
  const auto processes = MpiProcesses::start("/nowhere/libmeridian-processes.so");
  ASSERT_FALSE(processes);
  EXPECT_EQ(processes.error().what,
            "cannot load '/nowhere/libmeridian-processes.so': /nowhere/libmeridian-processes.so: cannot open shared "
            "object file: No such file or directory");
  EXPECT_EQ(processes.error().hint,
            "load the module, or install the package, of the MPI library whose launcher started this process");
}

TEST(MpiProcesses, RefuseALibraryOfAnotherVersion) {
  const auto processes = MpiProcesses::start("libm.so.6");
  ASSERT_FALSE(processes);
  EXPECT_EQ(processes.error().what, "cannot use 'libm.so.6': it belongs to another version of meridian");
}

TEST(ForkedProcesses, ExchangeMessagesOfAnySize) {
  constexpr std::size_t kBytes = 5'000'000;  // more than a socket holds, in both directions at once
  test::ForkedProcesses processes{4, [](Processes& self) {
                                    if (!self.send(0, Message(kBytes, static_cast<std::uint8_t>(self.rank()))))
                                      return false;
                                    for (std::size_t i = 0; i < 100; ++i) {
                                      const auto message = self.receive(0);
                                      if (!message || *message != Message(i, 7)) return false;
                                    }
                                    const auto message = self.receive(0);
                                    return message && message->size() == kBytes;
                                  }};
  for (int rank = 1; rank < processes.count(); ++rank) {
    for (std::size_t i = 0; i < 100; ++i) ASSERT_TRUE(processes.send(rank, Message(i, 7)));
    ASSERT_TRUE(processes.send(rank, Message(kBytes)));
  }
  for (int rank = 1; rank < processes.count(); ++rank) {
    const auto message = processes.receive(rank);
    ASSERT_TRUE(message) << message.error().what;
    EXPECT_EQ(*message, Message(kBytes, static_cast<std::uint8_t>(rank)));
  }
  EXPECT_TRUE(processes.join());
}

TEST(ForkedProcesses, NoticeTheEndOfEachOther) {
  test::ForkedProcesses processes{3, [](Processes& self) { return self.rank() == 2 && !self.receive(1); }};
  const auto message = processes.receive(1);
  ASSERT_FALSE(message);
  EXPECT_EQ(message.error().what, "process 1 has ended");
  EXPECT_FALSE(processes.join());  // process 1 failed
}

TEST(Peers, AreObservedUntilTheyEnd) {
  test::ForkedProcesses processes{3, [](Processes& self) { return Peers::introduce(self) && self.receive(0); }};
  const auto peers = Peers::introduce(processes);
  ASSERT_TRUE(peers) << peers.error().what;
  EXPECT_FALSE(peers->find_ended());
  ASSERT_TRUE(processes.send(2, Message{1}));
  EXPECT_FALSE(processes.receive(2));  // has ended; its parent, which is this process, has not waited for it
  std::optional<Error> ended;
  while (!ended) ended = peers->find_ended();
  EXPECT_TRUE(ended->what.starts_with("process 2 of the merge (pid ")) << ended->what;
  EXPECT_TRUE(ended->what.ends_with(") has ended")) << ended->what;
  ASSERT_TRUE(processes.send(1, Message{1}));
  EXPECT_TRUE(processes.join());
}

/// The processors of this process, in words.
std::string cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
  std::string words;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) words += std::to_string(cpu) + " ";
  return words;
}

/// Binds this process to one of these processors, as launchers do.
void bind_to_one(const cpu_set_t& set, int number) {
  std::vector<int> list;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) list.push_back(cpu);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(list[static_cast<std::size_t>(number) % list.size()], &one);
  EXPECT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
}

TEST(SharedCpus, AreThoseOfAllProcessesOfAHost) {
  cpu_set_t before;
  CPU_ZERO(&before);
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  std::string expected;
  for (int cpu = 0, found = 0; cpu < CPU_SETSIZE && found < 3; ++cpu)
    if (CPU_ISSET(cpu, &before)) expected += std::to_string(cpu) + " ", ++found;
  test::ForkedProcesses processes{3, [&](Processes& self) {
                                    bind_to_one(before, self.rank());
                                    return share_cpus(self) && cpus() == expected;
                                  }};
  bind_to_one(before, 0);
  EXPECT_TRUE(share_cpus(processes));
  EXPECT_EQ(cpus(), expected);
  EXPECT_TRUE(processes.join());
  ::sched_setaffinity(0, sizeof before, &before);
}

TEST(SharedCpus, OfAnswersThatSayNothingStayAsTheyAre) {
  const std::string before = cpus();
  test::ForkedProcesses processes{2, [](Processes& self) { return self.send(0, {}) && self.receive(0); }};
  EXPECT_TRUE(share_cpus(processes));
  EXPECT_EQ(cpus(), before);
  EXPECT_TRUE(processes.join());
}

}  // namespace
}  // namespace meridian
