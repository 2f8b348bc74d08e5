// SPDX-License-Identifier: Apache-2.0
// exchange_messages PLUGIN SUBJECT: one of the processes of an mpirun. Prints what is wrong, and ends with 0 if nothing is.
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "processes/mpi_processes.hpp"

namespace {

using meridian::Message;
using meridian::MpiProcesses;
using meridian::Status;
using Clock = std::chrono::steady_clock;

constexpr int kErrorCode = 5;

/// Bytes that depend on the sender, the receiver and the number of the message.
Message made(std::size_t bytes, int from, int to, int number) {
  Message message(bytes);
  auto state = static_cast<std::uint32_t>(from * 7919 + to * 104729 + number * 31 + 1);
  for (std::uint8_t& byte : message) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<std::uint8_t>(state >> 24U);
  }
  return message;
}

meridian::Error wrong(const std::string& what) { return {meridian::Errc::damaged, what, ""}; }

Status expect(MpiProcesses& self, int from, std::size_t bytes, int number) {
  MERIDIAN_TRY(const Message message, self.receive(from));
  if (message != made(bytes, from, self.rank(), number))
    return wrong("message " + std::to_string(number) + " of process " + std::to_string(from) + " arrived changed");
  return {};
}

/// All to all: `number` messages of `bytes(i)` bytes are sent before the first one is received.
template <class Bytes>
Status all_to_all(MpiProcesses& self, int number, Bytes bytes) {
  for (int i = 0; i < number; ++i)
    for (int to = 0; to < self.count(); ++to)
      if (to != self.rank()) MERIDIAN_TRY_DO(self.send(to, made(bytes(i), self.rank(), to, i)));
  for (int from = 0; from < self.count(); ++from)
    for (int i = 0; i < number && from != self.rank(); ++i) MERIDIAN_TRY_DO(expect(self, from, bytes(i), i));
  return {};
}

Status many(MpiProcesses& self) {
  MERIDIAN_TRY_DO(all_to_all(self, 5000, [](int i) { return static_cast<std::size_t>(i % 97); }));
  for (int i = 0; i < 200; ++i)  // a question and its answer
    for (int other = 1; other < self.count(); ++other) {
      if (self.rank() == 0) {
        MERIDIAN_TRY_DO(self.send(other, made(8, 0, other, i)));
        MERIDIAN_TRY_DO(expect(self, other, 80, i));
      } else if (self.rank() == other) {
        MERIDIAN_TRY_DO(expect(self, 0, 8, i));
        MERIDIAN_TRY_DO(self.send(0, made(80, other, 0, i)));
      }
    }
  return {};
}

Status pieces(MpiProcesses& self) {
  constexpr std::size_t kBytes[] = {0, 1, 999, 1000, 1001, 2000, 123'456, 0, 7};
  return all_to_all(self, std::size(kBytes), [&](int i) { return kBytes[i]; });
}

Status large(MpiProcesses& self) {
  return all_to_all(self, 1, [&](int) { return std::size_t{200'000'000} / static_cast<std::size_t>(self.count()); });
}

double processor_s() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Process 0 keeps the others waiting for a message, and then for the end.
Status waiting(MpiProcesses& self) {
  constexpr double kShare = 0.2;
  if (self.rank() == 0) {
    for (int to = 1; to < self.count(); ++to) {
      std::this_thread::sleep_for(std::chrono::milliseconds{1500});
      MERIDIAN_TRY_DO(self.send(to, made(9, 0, to, 0)));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{1500});
    return self.finish();
  }
  const Clock::time_point begin = Clock::now();
  const double before_s = processor_s();
  MERIDIAN_TRY_DO(expect(self, 0, 9, 0));
  const double received_s = processor_s() - before_s;
  const double waited_s = std::chrono::duration<double>(Clock::now() - begin).count();
  if (received_s > kShare * waited_s)
    return wrong("waiting for a message took " + std::to_string(received_s / waited_s) + " processors");
  return self.finish();
}

/// The last process is killed while process 0 waits for it, and the others for process 0.
Status killed(MpiProcesses& self) {
  if (self.rank() == self.count() - 1) {
    ::raise(SIGKILL);
  }
  MERIDIAN_TRY(const Message message, self.receive(self.rank() == 0 ? self.count() - 1 : 0));
  return wrong("a message of " + std::to_string(message.size()) + " bytes came from nobody");
}

/// The last process returns with an error, although the others wait for it.
Status failing(MpiProcesses& self) {
  if (self.rank() == self.count() - 1) return wrong("an error of the last process");
  MERIDIAN_TRY(const Message message, self.receive(self.count() - 1));
  return {};
}

Status aborting(MpiProcesses& self) {
  if (self.rank() == self.count() - 1) self.abort(kErrorCode);
  MERIDIAN_TRY(const Message message, self.receive(self.count() - 1));
  return {};
}

Status run(const char* plugin, std::string_view subject) {
  MERIDIAN_TRY(const auto self, subject == "pieces" ? MpiProcesses::start(plugin, 1000) : MpiProcesses::start(plugin));
  if (subject == "waiting") return waiting(*self);  // finishes by itself
  constexpr std::pair<std::string_view, Status (*)(MpiProcesses&)> kSubjects[] = {
      {"many", many},     {"pieces", pieces},   {"large", large},
      {"killed", killed}, {"failing", failing}, {"aborting", aborting}};
  const auto* const found = std::ranges::find(kSubjects, subject, [](const auto& row) { return row.first; });
  if (found == std::end(kSubjects)) return wrong("no such subject");
  MERIDIAN_TRY_DO(found->second(*self));
  MERIDIAN_TRY_DO(self->finish());
  std::printf("process %d of %d is done\n", self->rank(), self->count());
  return {};
}

}  // namespace

int main(int, char** argv) {
  const Status status = run(argv[1], argv[2]);
  if (status) return 0;
  std::fprintf(stderr, "%s\n", status.error().what.c_str());
  return 1;
}
