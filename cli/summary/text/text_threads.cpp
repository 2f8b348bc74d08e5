// SPDX-License-Identifier: Apache-2.0
// Sections LOCKS and THREADS.

#include <fmt/format.h>

#include <algorithm>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMost = 10;

std::string address(std::uint64_t value) { return value == 0 ? "-" : fmt::format("{:#x}", value); }

/// The name that the program gave the lock, or its symbol, otherwise its address.
std::string lock_cell(const Summary& summary, const LockSummary& lock) {
  if (lock.object == 0) return "others";
  for (const LockNameSummary& name : summary.lock_names)
    if (name.rank == lock.rank && name.object == lock.object) return printable(name.name);
  return address(lock.object);
}

/// "3 (12)": thread 3, which held the lock in 12 waits.
std::string who(std::int64_t thread, std::uint64_t count) {
  return thread < 0 ? "-" : fmt::format("{} ({})", thread, human_count(count));
}

/// Without arguments, which would fill the line.
std::string routine_of(const ThreadSummary& thread) {
  const std::string& name = thread.routine_name;
  return name.empty() ? address(thread.routine) : printable(name.substr(0, name.find('(', 1)));
}

}  // namespace

std::string locks_section(const Summary& summary, const Paint& paint) {
  if (summary.locks.empty()) return {};
  std::vector<const LockSummary*> order;
  for (const LockSummary& lock : summary.locks) order.push_back(&lock);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->wait_s > b->wait_s; });
  Table table{{{"rank"},
               {"lock", Align::left},
               {summary.lock_names.empty() ? "address" : "which"},
               {"taken"},
               {"waited"},
               {"wait"},
               {"longest"},
               {"most"},
               {"had by"},
               {"wanted by"}}};
  const std::size_t shown = std::min(kMost, order.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const LockSummary& lock = *order[i];
    table.add({fmt::format("{}", lock.rank), printable(lock.kind), lock_cell(summary, lock),
               human_count(lock.acquisitions), human_count(lock.contended), human_duration(lock.wait_s),
               human_duration(lock.longest_s), human_count(lock.most_waiters), who(lock.holder, lock.held),
               who(lock.waiter, lock.waited)});
  }
  return paint.heading(fmt::format("LOCKS BY TIME WAITED ({}; most: at once; by: thread, its waits)",
                                   how_many(shown, order.size()))) +
         "\n" + table.text([&](const std::string& line) { return paint.title(line); });
}

std::string threads_section(const Summary& summary, const Paint& paint) {
  if (summary.threads.empty()) return {};
  std::vector<const ThreadSummary*> order;
  for (const ThreadSummary& thread : summary.threads) order.push_back(&thread);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->calls + a->thread_calls > b->calls + b->thread_calls;
  });
  const std::size_t shown = std::min(kMost, order.size());
  Table table{{{"rank"},
               {"thread"},
               {"name", Align::left},
               {"routine", Align::left, Shortening::function},
               {"made by"},
               {"begins"},
               {"lives"},
               {"calls"},
               {"thr calls"}}};
  for (std::size_t i = 0; i < shown; ++i) {
    const ThreadSummary& thread = *order[i];
    table.add({fmt::format("{}", thread.rank), fmt::format("{}", thread.thread),
               thread.name.empty() ? "-" : printable(thread.name), routine_of(thread),
               thread.creator < 0 ? "-" : fmt::format("{}", thread.creator), human_duration(thread.begin_s),
               human_duration(thread.life_s), human_count(thread.calls), human_count(thread.thread_calls)});
  }
  return paint.heading(fmt::format("THREADS BY CALLS ({})", how_many(shown, order.size()))) + "\n" +
         table.text([&](const std::string& line) { return paint.title(line); });
}

}  // namespace meridian
