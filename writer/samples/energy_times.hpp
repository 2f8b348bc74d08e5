// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "trace/records/finish/sample_spool.hpp"
#include "trace/ring/ring_layout.hpp"
#include "writer/samples/energy_zones.hpp"
#include "writer/samples/host_claim.hpp"

namespace meridian {

/// The energy of the host over time, read by one writer of the host. Counters that begin at zero again are continued.
class EnergyTimes {
 public:
  static constexpr std::uint64_t kShortestStepNs = 50'000'000, kLongestStepNs = 1'000'000'000;
  /// No zone uses more: what would need more power is no energy, but a counter that was set to something else.
  static constexpr double kMostWatts = 50'000;

  /// `clock`: whose ticks are the times of the rows. `folder`: like /sys/class; empty: that of MERIDIAN_TEST_ENERGY, or /sys/class.
  explicit EnergyTimes(ClockKind clock, std::filesystem::path folder = {});

  /// Must be called before the first take(). `trace`: the output directory.
  void begin(const std::filesystem::path& trace) { trace_ = trace.string(); }
  /// Reads all counters if it is time, or if this is the last time, and if no other writer of this host does it. Adds a row for each of them, and
  /// texts about zones and about what cannot be read.
  /// `now_ns`: CLOCK_MONOTONIC. Short runs are read more often.
  void take(std::uint64_t now_ns, bool is_last, SampleSpoolWriter& spool);

 private:
  struct Counter {
    EnergyZone zone;
    std::optional<std::uint64_t> last_uj;  // as it was read
    std::uint64_t last_ns = 0;
    std::uint64_t sum_uj = 0;  // since the first reading
    std::uint64_t missing = 0;
    bool was_missing = false;  // at the last reading
    std::string reason;        // of the last one that is missing
  };

  void find(SampleSpoolWriter& spool);
  void read(std::uint32_t number, std::uint64_t ticks, std::uint64_t now_ns, SampleSpoolWriter& spool);
  /// Adds what the counter has counted since the last reading; false: it cannot have counted that.
  static bool advance(Counter& counter, std::uint64_t value_uj, std::uint64_t now_ns) noexcept;
  void miss(std::uint32_t number, std::string reason, SampleSpoolWriter& spool);
  static std::string missing_text(const Counter& counter);

  ClockKind clock_;
  std::filesystem::path folder_;
  std::string trace_;
  HostClaim claim_;
  bool is_found_ = false;
  std::vector<Counter> counters_;
  std::uint64_t begin_ns_ = 0, next_ns_ = 0;
};

}  // namespace meridian
