#include "merger/compute_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "trace/model/event.hpp"

namespace meridian {
namespace {

constexpr double kSecondsPerNs = 1e-9;

/// Of n values, from their sum and the sum of their squares, both exact: no cancellation.
double standard_deviation(std::uint64_t n, std::uint64_t sum, unsigned __int128 squares) {
  if (n < 2) return 0;
  const auto count = static_cast<long double>(n);
  // The mean is taken off as an integer first, so that what is rounded is small.
  const std::uint64_t mean = sum / n;
  const std::uint64_t rest = sum - mean * n;  // sum of (x - mean)
  const auto wide = static_cast<unsigned __int128>(mean);
  const unsigned __int128 centred = squares + wide * wide * n - 2 * wide * sum;  // sum of (x - mean)^2
  const long double shift = static_cast<long double>(rest) / count;
  const long double variance = static_cast<long double>(centred) / count - shift * shift;
  return static_cast<double>(std::sqrt(std::max(variance, 0.0L)));
}

}  // namespace

void Statistics::add(const EventRow& row) noexcept {
  const auto duration = static_cast<std::uint64_t>(std::max<std::int64_t>(row.duration_ns, 0));
  const std::int64_t leave_ns = row.enter_ns + static_cast<std::int64_t>(duration);
  if (row.call >= first_user_) {
    RankSums& rank = ranks_[static_cast<std::size_t>(row.rank)];
    rank.first_ns = std::min(rank.first_ns, row.enter_ns);
    rank.last_ns = std::max(rank.last_ns, leave_ns);
    first_ns_ = std::min(first_ns_, row.enter_ns);
    last_ns_ = std::max(last_ns_, leave_ns);
    return;
  }
  Function& function = functions_[row.call];
  ++function.count;
  function.bytes_sent += row.bytes_sent;
  function.bytes_received += row.bytes_received;
  if ((row.flags & kFlagUnfinished) == 0) [[likely]] {
    ++function.timed;
    function.total_ns += duration;
    function.min_ns = std::min(function.min_ns, duration);
    function.max_ns = std::max(function.max_ns, duration);
    function.squares += static_cast<unsigned __int128>(duration) * duration;
  }
  RankSums& rank = ranks_[static_cast<std::size_t>(row.rank)];
  ++rank.calls;
  rank.mpi_ns += duration;
  rank.first_ns = std::min(rank.first_ns, row.enter_ns);
  rank.last_ns = std::max(rank.last_ns, leave_ns);
  ++calls_;
  first_ns_ = std::min(first_ns_, row.enter_ns);
  last_ns_ = std::max(last_ns_, leave_ns);
}

std::vector<FunctionSummary> Statistics::functions(std::span<const NamedCall> calls) const {
  std::vector<FunctionSummary> list;
  for (std::size_t i = 0; i < functions_.size() && i < calls.size(); ++i) {
    const Function& at = functions_[i];
    if (at.count == 0) continue;
    FunctionSummary function;
    function.name = calls[i].name;
    function.group = calls[i].group;
    function.count = at.count;
    function.bytes_sent = at.bytes_sent;
    function.bytes_received = at.bytes_received;
    if (at.timed != 0) {
      function.total_s = static_cast<double>(at.total_ns) * kSecondsPerNs;
      function.mean_s = function.total_s / static_cast<double>(at.timed);
      function.min_s = static_cast<double>(at.min_ns) * kSecondsPerNs;
      function.max_s = static_cast<double>(at.max_ns) * kSecondsPerNs;
      function.sd_s = standard_deviation(at.timed, at.total_ns, at.squares) * kSecondsPerNs;
    }
    list.push_back(std::move(function));
  }
  std::ranges::sort(list, [](const FunctionSummary& a, const FunctionSummary& b) {
    return std::tie(b.total_s, a.name) < std::tie(a.total_s, b.name);
  });
  return list;
}

void Statistics::fill(RankSummary& rank) const {
  const RankSums& at = ranks_[static_cast<std::size_t>(rank.rank)];
  rank.calls = at.calls;
  rank.mpi_s = static_cast<double>(at.mpi_ns) * kSecondsPerNs;
  rank.time_s = at.calls == 0 ? 0 : static_cast<double>(at.last_ns - at.first_ns) * kSecondsPerNs;
}

void Statistics::fill(RunSummary& run) const {
  run.calls = calls_;
  run.time_s = calls_ == 0 ? 0 : static_cast<double>(last_ns_ - first_ns_) * kSecondsPerNs;
}

}  // namespace meridian
