// SPDX-License-Identifier: Apache-2.0
#include "merger/load/rank_cursor.hpp"

#include <algorithm>
#include <utility>

namespace meridian {

RankCursor::RankCursor(RankFile& file, bool is_split, Findings& findings)
    : threads_{open_threads(file, findings)},
      is_split_{is_split || std::ranges::count(threads_, false, &ThreadCursor::is_over) > 1},
      keys_{first_keys(threads_), kLast} {}

std::vector<ThreadCursor> RankCursor::open_threads(RankFile& file, Findings& findings) {
  auto segments_of = segments_by_thread(file.meta());
  std::vector<ThreadCursor> threads;
  // If a thread has several rows, the first one gets its calls, so that none is counted twice.
  for (const ThreadRow& row : file.meta().threads)
    threads.emplace_back(file, row.thread, std::exchange(segments_of[row.thread], {}), findings);
  return threads;
}

std::vector<RankCursor::Key> RankCursor::first_keys(const std::vector<ThreadCursor>& threads) {
  std::vector<Key> keys;
  keys.reserve(threads.size() + 1);
  for (const ThreadCursor& thread : threads)
    keys.push_back(thread.is_over() ? kLast : Key{thread.call().enter_ticks, true});
  if (keys.empty()) keys.push_back(kLast);  // a rank without threads
  return keys;
}

void RankCursor::advance() {
  const std::uint32_t index = keys_.top();
  ThreadCursor& thread = threads_[index];
  if (phase() == Phase::enter) {
    keys_.update(index, {thread.call().leave_ticks, false});
    return;
  }
  thread.advance();
  if (thread.is_over())
    keys_.end(index);
  else
    keys_.update(index, {thread.call().enter_ticks, true});
}

}  // namespace meridian
