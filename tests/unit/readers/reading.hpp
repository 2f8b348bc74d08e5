// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "merger/readers/reader_process.hpp"
#include "processes/work.hpp"
#include "tests/support/forked_processes.hpp"

namespace meridian::test {

/// Answers requests for rank files until process 0 has no more work, but at most `most` of them. Returns whether all was well.
inline bool read_ranks(Processes& processes, std::size_t most = SIZE_MAX, RecoverRank recover = {}) {
  ReaderProcess reader{processes, std::move(recover)};
  for (std::size_t i = 0; i < most; ++i) {
    const auto message = processes.receive(0);
    if (!message || message->empty()) return false;
    if (message->front() == static_cast<std::uint8_t>(Work::end)) return true;
    if (!reader.answer(std::span{*message}.subspan(1))) return false;
  }
  return true;
}

/// Processes that read rank files until they are told to end.
class ReadingProcesses {
 public:
  explicit ReadingProcesses(int count) : processes{count, [](Processes& others) { return read_ranks(others); }} {}
  /// Whether all ended with success.
  bool end() {
    for (int i = 1; i < processes.count(); ++i) (void)bool{processes.send(i, {static_cast<std::uint8_t>(Work::end)})};
    return processes.join();
  }
  ForkedProcesses processes;
};

}  // namespace meridian::test
