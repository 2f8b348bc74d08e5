// SPDX-License-Identifier: Apache-2.0
#include "merger/statistics/compute_statistics.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "merger/model/definitions/paths.hpp"
#include "trace/model/call_facts.hpp"
#include "trace/model/event.hpp"
#include "trace/model/units.hpp"
#include "trace/model/wide_sum.hpp"

namespace meridian {
namespace {

/// The contribution of a call to the sums of its rank, besides its time.
struct Adds {
  bool is_end = false;     ///< MPI or a session starts or ends in it
  bool has_bytes = false;  ///< a collective or one-sided access
  bool is_sleep = false;
};
const std::array<Adds, kCallCount> kAdds = [] {
  std::array<Adds, kCallCount> adds{};
  for (std::size_t i = 0; i < kCallCount; ++i) {
    const CallGroup group = kCalls[i].group;
    adds[i] = {starts_or_ends_mpi(facts_of(static_cast<CallId>(i)).role),
               group == CallGroup::coll || group == CallGroup::rma, group == CallGroup::sleep};
  }
  return adds;
}();

/// The standard deviation of n values, from their exact sum and sum of squares: no cancellation.
double standard_deviation(std::uint64_t n, std::uint64_t sum, unsigned __int128 squares) {
  if (n < 2) return 0;
  const auto count = static_cast<long double>(n);
  // The mean is subtracted as an integer first, so that rounding errors are small.
  const std::uint64_t mean = sum / n;
  const std::uint64_t rest = sum - mean * n;  // sum of (x - mean)
  const auto wide = static_cast<unsigned __int128>(mean);
  const unsigned __int128 centred = squares + wide * wide * n - 2 * wide * sum;  // sum of (x - mean)^2
  const long double shift = static_cast<long double>(rest) / count;
  const long double variance = static_cast<long double>(centred) / count - shift * shift;
  return static_cast<double>(std::sqrt(std::max(variance, 0.0L)));
}

}  // namespace

Statistics::Part& Statistics::part(std::uint32_t call, std::uint32_t path) {
  if (path == kNoPath) return parts_[call];
  if (path < first_of_path_.size()) [[likely]]
    for (std::uint32_t at = first_of_path_[path]; at != kNone; at = parts_[at].next)
      if (parts_[at].call == call) return parts_[at];
  return new_part(call, path);
}

Statistics::Part& Statistics::new_part(std::uint32_t call, std::uint32_t path) {
  if (path >= first_of_path_.size()) first_of_path_.resize(path + std::size_t{1}, kNone);
  const auto number = static_cast<std::uint32_t>(parts_.size());
  Part& made = parts_.emplace_back();
  made.call = call;
  made.path = path;
  made.next = std::exchange(first_of_path_[path], number);
  made.ranks.resize((ranks_.size() + 63) / 64);
  return made;
}

void Statistics::Part::add(const Part& other) noexcept {
  count += other.count;
  timed += other.timed;
  total_ns += other.total_ns;
  min_ns = std::min(min_ns, other.min_ns);
  max_ns = std::max(max_ns, other.max_ns);
  squares += other.squares;
  bytes_sent += other.bytes_sent;
  bytes_received += other.bytes_received;
}

Statistics::Counts& Statistics::count(RankSums& rank, std::uint32_t thread) {
  if (rank.recent == nullptr || rank.recent_thread != thread) {
    rank.recent = &rank.threads[thread];
    rank.recent_thread = thread;
  }
  return *rank.recent;
}

void Statistics::add(const EventRow& row, std::uint64_t sent, std::uint64_t received) {
  const std::int64_t leave_ns = row.enter_ns + std::max<std::int64_t>(row.duration_ns, 0);
  const auto duration = static_cast<std::uint64_t>(std::max<std::int64_t>(row.inside_ns(), 0));
  const std::uint64_t calls = row.calls();
  const auto number = static_cast<std::size_t>(row.rank);
  RankSums& rank = ranks_[number];
  rank.first_ns = std::min(rank.first_ns, row.enter_ns);
  rank.last_ns = std::max(rank.last_ns, leave_ns);
  first_ns_ = std::min(first_ns_, row.enter_ns);
  last_ns_ = std::max(last_ns_, leave_ns);
  has_events_ = true;
  Counts& counts = count(rank, row.thread);
  if (row.call >= first_user_) {
    ++counts.user_events;
    return;
  }
  if ((row.flags & kFlagUnfinished) != 0) [[unlikely]]
    rank.open_calls.push_back(
        {row.thread, row.call, static_cast<std::uint32_t>(row.path), static_cast<std::int64_t>(duration)});
  Part& at = part(row.call, row.path);
  at.count += calls;
  at.bytes_sent += sent;
  at.bytes_received += received;
  // A call that had not returned has a known duration only if the end of its rank was observed.
  if ((row.flags & kFlagUnfinished) == 0 || duration != 0) [[likely]] {
    at.timed += calls;
    at.total_ns += duration;
    // Of the polls of a phase, only the mean is known.
    const std::uint64_t mean = duration / calls;
    at.min_ns = std::min(at.min_ns, mean);
    at.max_ns = std::max(at.max_ns, mean);
    durations_[row.call].add(mean, calls);
    at.squares += even_squares(duration, calls);
  }
  if (row.path != kNoPath) at.ranks[number / 64] |= std::uint64_t{1} << (number % 64);
  const bool is_of_mpi = row.call <= kMpiCallCount || row.call >= kCallCount;  // other phases are damage: one call
  add_to_rank(rank, counts, row.call, is_of_mpi ? calls : 1, duration, sent, received);
}

void Statistics::add_to_rank(RankSums& rank, Counts& counts, std::uint32_t call, std::uint64_t calls, std::uint64_t ns,
                             std::uint64_t sent, std::uint64_t received) {
  const Adds adds = call < kCallCount ? kAdds[call] : Adds{};
  if (call <= kMpiCallCount || call >= kCallCount) {  // the latter: calls unknown to this build
    if (!counts.is_nested) rank.mpi_ns += ns;
    counts.mpi_calls += calls;
    if (adds.is_end && !counts.is_nested) rank.ends_ns += ns;
    if (adds.has_bytes) {
      rank.other_bytes_sent += sent;
      rank.other_bytes_received += received;
    }
  } else if (info(static_cast<CallId>(call)).group == CallGroup::user) {  // without a known definition
    counts.user_events += calls;
  } else {
    counts.thread_calls += calls;
    (adds.is_sleep ? counts.sleep_ns : counts.waits_ns) += ns;
  }
}

void Statistics::extend(std::int32_t rank, std::int64_t until_ns) {
  RankSums& at = ranks_[static_cast<std::size_t>(rank)];
  if (at.threads.empty() || !has_events_) return;
  at.last_ns = std::max(at.last_ns, until_ns);
  last_ns_ = std::max(last_ns_, until_ns);
}

void Statistics::add(const ProfiledCalls& calls) {
  const auto number = static_cast<std::size_t>(calls.rank);
  RankSums& rank = ranks_[number];
  Counts& counts = count(rank, calls.thread);
  if (calls.call < kCallCount && info(static_cast<CallId>(calls.call)).group == CallGroup::user) {
    counts.user_events += calls.count;
    return;
  }
  Part sums;
  sums.count = sums.timed = calls.count;
  sums.total_ns = calls.total_ns;
  sums.min_ns = calls.min_ns;
  sums.max_ns = calls.max_ns;
  sums.squares = calls.squares;
  sums.bytes_sent = calls.bytes_sent;
  sums.bytes_received = calls.bytes_received;
  Part& at = part(calls.call, calls.path);
  at.add(sums);
  if (calls.path != kNoPath) at.ranks[number / 64] |= std::uint64_t{1} << (number % 64);
  add_to_rank(rank, counts, calls.call, calls.count, calls.total_ns, calls.bytes_sent, calls.bytes_received);
}

namespace {

/// Fills in the columns that functions and call sites have in common.
template <class Part, class Row>
void describe(const Part& part, Row& row) {
  row.count = part.count;
  row.bytes_sent = part.bytes_sent;
  row.bytes_received = part.bytes_received;
  if (part.timed == 0) return;
  row.total_s = static_cast<double>(part.total_ns) * kSecondsPerNs;
  row.mean_s = row.total_s / static_cast<double>(part.timed);
  row.min_s = static_cast<double>(part.min_ns) * kSecondsPerNs;
  row.max_s = static_cast<double>(part.max_ns) * kSecondsPerNs;
  row.sd_s = standard_deviation(part.timed, part.total_ns, part.squares) * kSecondsPerNs;
}

}  // namespace

std::vector<FunctionSummary> Statistics::functions(std::span<const NamedCall> calls) const {
  std::vector<Part> sums(calls.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const std::size_t call = parts_[i].path == kNoPath ? i : parts_[i].call;
    if (call < sums.size()) sums[call].add(parts_[i]);
  }
  std::vector<FunctionSummary> list;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].count == 0) continue;
    FunctionSummary function;
    function.name = calls[i].name;
    function.group = calls[i].group;
    describe(sums[i], function);
    list.push_back(std::move(function));
  }
  std::ranges::sort(list, [](const FunctionSummary& a, const FunctionSummary& b) {
    return std::tie(b.total_s, a.name) < std::tie(a.total_s, b.name);
  });
  return list;
}

std::vector<FunctionTimesSummary> Statistics::times(std::span<const NamedCall> calls) const {
  std::vector<FunctionTimesSummary> list;
  for (const FunctionSummary& function : functions(calls)) {
    const auto call = std::ranges::find(calls, function.name, &NamedCall::name);
    const DurationHistogram& durations = durations_[static_cast<std::size_t>(call - calls.begin())];
    if (durations.count() == 0) continue;
    const auto n = static_cast<double>(durations.count());
    FunctionTimesSummary& row = list.emplace_back();
    row.function = function.name;
    row.count = durations.count();
    row.mean_s = function.mean_s;
    row.trimmed_mean_s = durations.mean_of_shortest(0.9) * kSecondsPerNs;
    const double error_s = n > 1 ? function.sd_s / std::sqrt(n - 1) : 0;  // of the sample: s = sd sqrt(n / (n - 1))
    row.confidence90_s = 1.645 * error_s;
    row.confidence95_s = 1.960 * error_s;
    row.confidence99_s = 2.576 * error_s;
    double* const deciles[] = {&row.decile1_s, &row.decile2_s, &row.decile3_s, &row.decile4_s, &row.decile5_s,
                               &row.decile6_s, &row.decile7_s, &row.decile8_s, &row.decile9_s};
    for (std::size_t i = 0; i < std::size(deciles); ++i)
      *deciles[i] = std::clamp(durations.quantile(static_cast<double>(i + 1) / 10) * kSecondsPerNs, function.min_s,
                               function.max_s);
  }
  return list;
}

std::vector<Statistics::PlaceSums> Statistics::places(std::span<const NamedCall> calls,
                                                      std::span<const std::uint32_t> place_of) const {
  std::uint64_t all_ns = 0;  // without MPI_Init and MPI_Finalize, which have no share
  std::map<std::pair<std::uint32_t, std::uint32_t>, Part> sums;  // by place and call
  const auto is_end = [](std::size_t call) { return call < kCallCount && kAdds[call].is_end; };
  for (std::size_t at = 0; at < parts_.size(); ++at) {
    const Part& part = parts_[at];
    if (!is_end(part.path == kNoPath ? at : part.call)) all_ns += part.total_ns;
    if (part.path >= place_of.size() || part.count == 0 || part.call >= calls.size()) continue;
    const std::uint32_t place = place_of[part.path];
    if (place == kNowhere) continue;
    Part& sum = sums[{place, part.call}];
    sum.add(part);
    sum.ranks.resize(part.ranks.size());
    for (std::size_t i = 0; i < part.ranks.size(); ++i) sum.ranks[i] |= part.ranks[i];
  }
  std::vector<PlaceSums> list;
  for (auto& [key, part] : sums) {
    PlaceSums& row = list.emplace_back();
    row.place = key.first;
    part.call = key.second;
    row.summary.function = calls[part.call].name;
    describe(part, row.summary);
    const bool has_share = !is_end(part.call);
    row.summary.share = !has_share    ? std::numeric_limits<double>::quiet_NaN()
                        : all_ns == 0 ? 0
                                      : static_cast<double>(part.total_ns) / static_cast<double>(all_ns);
    for (const std::uint64_t ranks : part.ranks) row.summary.ranks += static_cast<std::uint64_t>(std::popcount(ranks));
  }
  std::ranges::sort(list, [](const PlaceSums& a, const PlaceSums& b) {
    return std::tie(b.summary.total_s, a.summary.function, a.place) <
           std::tie(a.summary.total_s, b.summary.function, b.place);
  });
  return list;
}

template <class Row>
void Statistics::fill_counts(const Counts& counts, Row& row) noexcept {
  row.calls = counts.mpi_calls;
  row.thread_calls = counts.thread_calls;
  row.user_events = counts.user_events;
}

Statistics::Counts Statistics::sum(const RankSums& rank) noexcept {
  Counts sum;
  for (const auto& [thread, counts] : rank.threads) {
    sum.mpi_calls += counts.mpi_calls;
    sum.thread_calls += counts.thread_calls;
    sum.user_events += counts.user_events;
  }
  return sum;
}

std::uint64_t Statistics::threads_in_mpi(const RankSums& rank) noexcept {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      rank.threads, [](const auto& thread) { return thread.second.mpi_calls != 0 && !thread.second.is_nested; }));
}

void Statistics::fill(RankSummary& rank, std::span<const Life> lives,
                      const std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t>& joined_ns) const {
  const RankSums& at = ranks_[static_cast<std::size_t>(rank.rank)];
  const auto calls_mpi = [&](std::uint32_t thread) {
    const auto found = at.threads.find(thread);
    return found != at.threads.end() && found->second.mpi_calls != 0 && !found->second.is_nested;
  };
  std::int64_t thread_ns = 0;
  for (const Life& life : lives)
    if (calls_mpi(life.thread))
      thread_ns += std::max<std::int64_t>(std::min(life.end_ns, at.last_ns) - std::max(life.begin_ns, at.first_ns), 0);
  // A thread that only waits for the end of another one spends the time of that one.
  for (const auto& [threads, ns] : joined_ns)
    if (calls_mpi(threads.first) && calls_mpi(threads.second)) thread_ns -= ns;
  rank.thread_s = static_cast<double>(std::max<std::int64_t>(thread_ns, 0)) * kSecondsPerNs;
  for (const auto& [thread, counts] : at.threads) {
    if (!calls_mpi(thread)) continue;
    rank.waits_s += static_cast<double>(counts.waits_ns) * kSecondsPerNs;
    rank.sleep_s += static_cast<double>(counts.sleep_ns) * kSecondsPerNs;
  }
  rank.ends_s = static_cast<double>(at.ends_ns) * kSecondsPerNs;
  rank.other_bytes_sent = at.other_bytes_sent;
  rank.other_bytes_received = at.other_bytes_received;
  fill_counts(sum(at), rank);
  rank.threads = threads_in_mpi(at);
  rank.mpi_s = static_cast<double>(at.mpi_ns) * kSecondsPerNs;
  rank.time_s = at.threads.empty() ? 0 : static_cast<double>(at.last_ns - at.first_ns) * kSecondsPerNs;
}

void Statistics::fill(RunSummary& run) const {
  Counts all;
  run.threads = 0;
  for (const RankSums& rank : ranks_) {
    const Counts counts = sum(rank);
    all.mpi_calls += counts.mpi_calls;
    all.thread_calls += counts.thread_calls;
    all.user_events += counts.user_events;
    run.threads += threads_in_mpi(rank);
  }
  fill_counts(all, run);
  run.time_s = has_events_ ? static_cast<double>(last_ns_ - first_ns_) * kSecondsPerNs : 0;
}

void Statistics::fill(ThreadSummary& thread) const {
  const auto& threads = ranks_[static_cast<std::size_t>(thread.rank)].threads;
  if (const auto at = threads.find(thread.thread); at != threads.end()) fill_counts(at->second, thread);
}

}  // namespace meridian
