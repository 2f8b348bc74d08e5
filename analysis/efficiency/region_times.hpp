// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "analysis/efficiency/efficiency_factors.hpp"
#include "merged/model/open_regions.hpp"

namespace meridian {

/// The time that each thread spent in each user region, in the run and in replays. Times are ns.
class RegionTimes {
 public:
  /// Times in replays: on a network that costs nothing, and there with a processor for each thread at any time.
  struct Ideal {
    std::int64_t network_ns = 0, processor_ns = 0;
  };
  struct Thread {
    std::int64_t run_ns = 0, compute_ns = 0;
    Ideal ideal;
    std::int64_t since_ns = 0;
    Ideal ideal_since;
    bool is_open = false;
  };
  struct Region {
    std::int64_t begin_ns = 0;  ///< when a thread was in it first
    std::map<std::uint32_t, Thread> threads{};

    EfficiencyTimes times() const {
      EfficiencyTimes times;
      for (const auto& [location, thread] : threads) {
        times.run_ns = std::max(times.run_ns, thread.run_ns);
        times.ideal_ns = std::max(times.ideal_ns, thread.ideal.network_ns);
        times.processor_ns = std::max(times.processor_ns, thread.ideal.processor_ns);
        times.compute_ns += thread.compute_ns;
        times.outside_ns.push_back(thread.compute_ns);
      }
      times.threads = threads.size();
      return times;
    }
  };

  /// A region begins or ends.
  void change(std::uint32_t location, std::uint32_t region, bool is_open, std::int64_t t, const Ideal& ideal) {
    const auto [at, is_new] = regions_.try_emplace(region, Region{t, {}});
    Thread& thread = at->second.threads[location];
    if (is_open && !thread.is_open) {
      thread.since_ns = t;
      thread.ideal_since = ideal;
    } else if (!is_open && thread.is_open) {
      thread.run_ns += t - thread.since_ns;
      thread.ideal.network_ns += ideal.network_ns - thread.ideal_since.network_ns;
      thread.ideal.processor_ns += ideal.processor_ns - thread.ideal_since.processor_ns;
    }
    thread.is_open = is_open;
  }
  /// Computing in regions that are open; each counts once.
  void compute(std::uint32_t location, const OpenRegions<>& open, std::int64_t ns) {
    for (auto at = open.all().begin(); at != open.all().end(); ++at)
      if (std::find_if(open.all().begin(), at, [&](const auto& outer) { return outer.call == at->call; }) == at)
        regions_[at->call].threads[location].compute_ns += ns;
  }
  /// The measured time of a thread ends.
  void close(std::uint32_t location, std::int64_t t, const Ideal& ideal) {
    last_ideal_[location] = ideal;
    for (auto& [region, times] : regions_) {
      const auto found = times.threads.find(location);
      if (found != times.threads.end() && found->second.is_open) change(location, region, false, t, ideal);
    }
  }
  /// Replays' times at which the measured time of a thread ended.
  Ideal last_ideal(std::uint32_t location) const {
    const auto found = last_ideal_.find(location);
    return found == last_ideal_.end() ? Ideal{} : found->second;
  }

  const std::map<std::uint32_t, Region>& all() const noexcept { return regions_; }

 private:
  std::map<std::uint32_t, Region> regions_;
  std::unordered_map<std::uint32_t, Ideal> last_ideal_;
};

}  // namespace meridian
