// SPDX-License-Identifier: Apache-2.0
// How far apart the ranks enter collectives, who is the last one, and how little they exchange.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/walk/collective_shape.hpp"
#include "analysis/walk/trace_visitor.hpp"
#include "merged/model/wait_sink.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

constexpr double kFewBytes = 1 << 10;
constexpr std::size_t kMostArrivals = 100'000;  // further communicators are not listed

struct Arrivals {
  std::uint64_t count = 0, ranks = 0, small = 0;
  std::int64_t spread_ns = 0, longest_ns = 0, time_ns = 0;
  double bytes_per_peer = 0;
  std::map<std::int32_t, std::uint64_t> last;  // rank -> operations
};

/// Pairs of ranks that exchange data.
double pairs_of(CollectiveShape shape, double ranks) {
  if (shape == CollectiveShape::one_to_all || shape == CollectiveShape::all_to_one) return ranks;
  if (shape == CollectiveShape::prefix) return ranks * (ranks + 1) / 2;
  return ranks * ranks;
}

class ArrivalFinder final : public BackwardVisitor {
 public:
  explicit ArrivalFinder(const EventWindow& window)
      : window_{window}, trace_{window.trace()}, parts_left_{trace_.parts()} {}

  Status look_at(const MergedBatch&) override { return look(false); }
  Status finish(Summary& summary) override {
    MERIDIAN_TRY_DO(look(true));
    store(summary);
    return {};
  }

 private:
  /// Instances whose calls are all at hand. all  whether at hand or not
  Status look(bool all) {
    while (parts_left_ != 0) {
      if (parts_.empty()) {
        MERIDIAN_TRY(const MergedPart last, trace_.part(parts_left_ - 1));
        for (std::int32_t i = 0; i < last.parts; ++i) {
          MERIDIAN_TRY(parts_.emplace_back(), trace_.part(last.first_part + static_cast<std::uint64_t>(i)));
        }
      }
      for (const MergedPart& part : parts_)
        if (!all && !window_.has_reached(part.start)) return {};
      parts_left_ = parts_.front().first_part;
      starts_.clear();
      for (const MergedPart& part : parts_) {
        MERIDIAN_TRY(starts_.emplace_back(), window_.event(part.start));
      }
      add();
      parts_.clear();
    }
    return {};
  }

  void add() {
    const std::pair key{starts_.front().call, parts_.front().comm};
    if (key.second < 0 || (arrivals_.size() >= kMostArrivals && !arrivals_.contains(key))) return;
    Arrivals& sums = arrivals_[key];
    const auto [first, last] = std::ranges::minmax(starts_, {}, &WindowEvent::enter_ns);
    CollectiveShape shape = shape_of(parts_.front());
    double bytes = 0;
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      sums.time_ns += starts_[i].leave_ns - starts_[i].enter_ns;
      bytes += static_cast<double>(starts_[i].bytes_sent);
      shape = std::min(shape, shape_of(parts_[i]));
    }
    ++sums.count;
    sums.ranks = std::max<std::uint64_t>(sums.ranks, starts_.size());
    sums.spread_ns += last.enter_ns - first.enter_ns;
    sums.longest_ns = std::max(sums.longest_ns, last.enter_ns - first.enter_ns);
    if (last.enter_ns > first.enter_ns) ++sums.last[trace_.definitions().locations[last.location].rank];
    const double for_each = bytes / pairs_of(shape, static_cast<double>(starts_.size()));
    sums.bytes_per_peer += for_each;
    sums.small += bytes > 0 && for_each < kFewBytes ? 1 : 0;
  }

  void store(Summary& summary) const {
    const MergedDefinitions& definitions = trace_.definitions();
    summary.collective_arrivals.clear();
    for (const auto& [key, sums] : arrivals_) {
      const auto number = static_cast<std::size_t>(key.second);
      const auto& list = definitions.communicators;
      const auto most = std::ranges::max_element(sums.last, {}, [](const auto& entry) { return entry.second; });
      const auto count = static_cast<double>(sums.count);
      ArrivalSummary& row = summary.collective_arrivals.emplace_back();
      row.function = std::string{definitions.call_name(key.first)};
      row.comm = static_cast<std::uint32_t>(key.second);
      if (number < list.size()) row.name = list[number].name;
      row.ranks = sums.ranks;
      row.count = sums.count;
      row.mean_spread_s = seconds(sums.spread_ns) / count;
      row.longest_spread_s = seconds(sums.longest_ns);
      if (most != sums.last.end()) {
        row.last_rank = most->first;
        row.last_share = static_cast<double>(most->second) / count;
      }
      row.bytes_per_peer = sums.bytes_per_peer / count;
      row.small = sums.small;
      row.time_s = seconds(sums.time_ns);
    }
    std::ranges::stable_sort(summary.collective_arrivals, [](const ArrivalSummary& a, const ArrivalSummary& b) {
      return a.mean_spread_s * static_cast<double>(a.count) > b.mean_spread_s * static_cast<double>(b.count);
    });
  }

  const EventWindow& window_;
  const MergedTrace& trace_;
  std::uint64_t parts_left_;
  std::vector<MergedPart> parts_;                                        // of the next instance
  std::vector<WindowEvent> starts_;                                      // [part]
  std::map<std::pair<std::uint32_t, std::int32_t>, Arrivals> arrivals_;  // [call, comm]
};

}  // namespace

Result<std::unique_ptr<BackwardVisitor>> find_late_arrivals(const EventWindow& window, const Summary&, WaitSink*) {
  return std::unique_ptr<BackwardVisitor>{std::make_unique<ArrivalFinder>(window)};
}

}  // namespace meridian
