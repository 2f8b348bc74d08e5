// SPDX-License-Identifier: Apache-2.0
#include "writer/samples/energy_times.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "trace/ring/ring_clock.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kReadingsOfEnergy = 32;  // at least, between the shortest and the longest step
constexpr std::uint64_t kShortestNs =
    10'000'000;  // between readings whose power says anything: clocks of counters are coarse
constexpr double kMicrojoulesOfAWattNs = 1e-3;

std::filesystem::path folder_of_kernel() {
  const char* const folder = std::getenv("MERIDIAN_TEST_ENERGY");
  return folder != nullptr && *folder != '\0' ? folder : "/sys/class";
}

}  // namespace

EnergyTimes::EnergyTimes(ClockKind clock, std::filesystem::path folder)
    : clock_{clock}, folder_{folder.empty() ? folder_of_kernel() : std::move(folder)} {}

void EnergyTimes::take(std::uint64_t now_ns, bool is_last, SampleSpoolWriter& spool) {
  if (now_ns < next_ns_ && !is_last) return;
  if (begin_ns_ == 0) begin_ns_ = now_ns;
  next_ns_ = now_ns + std::clamp((now_ns - begin_ns_) / kReadingsOfEnergy, kShortestStepNs, kLongestStepNs);
  if (!is_found_) find(spool);
  if (counters_.empty() || !claim_.take(trace_)) return;
  const std::uint64_t ticks = ticks_now(clock_);
  if (ticks == 0) return;
  for (std::uint32_t number = 0; number < counters_.size(); ++number) {
    read(number, ticks, now_ns, spool);
    const Counter& counter = counters_[number];
    if (is_last && counter.missing != 0) spool.add(kEnergyIncompleteKey, missing_text(counter), number);
  }
}

// What may not be read at the beginning may not be read later: nobody changes these permissions during a run.
void EnergyTimes::find(SampleSpoolWriter& spool) {
  is_found_ = true;
  std::string refused;
  for (EnergyZone& zone : find_energy_zones(folder_)) {
    const EnergyNumber first = read_energy_number(zone.file);
    if (first.error != EACCES && first.error != EPERM)
      counters_.emplace_back().zone = std::move(zone);
    else if (refused.empty())
      refused = zone.file.string() + ": " + std::strerror(first.error);
  }
  if (!refused.empty() && claim_.take(trace_)) spool.add(kEnergyRefusedKey, refused, 0);
  for (std::uint32_t number = 0; number < counters_.size(); ++number) {
    const EnergyZone& zone = counters_[number].zone;
    const auto kind = static_cast<std::size_t>(zone.kind);
    spool.add(kEnergyZoneKey, std::string{kEnergyKindNames[kind]} + " " + zone.name, number);
  }
}

void EnergyTimes::read(std::uint32_t number, std::uint64_t ticks, std::uint64_t now_ns, SampleSpoolWriter& spool) {
  Counter& counter = counters_[number];
  const EnergyNumber number_read = read_energy_number(counter.zone.file);
  if (!number_read.value) {
    miss(number, number_read.error == 0 ? "there is no number" : std::strerror(number_read.error), spool);
    return;
  }
  if (counter.zone.range_uj != 0 && *number_read.value > counter.zone.range_uj) {
    miss(number, "more than the counter can have", spool);
    return;
  }
  if (!advance(counter, *number_read.value, now_ns)) miss(number, "the counter jumped", spool);
  counter.was_missing = false;
  spool.add(EnergyRow{ticks, counter.sum_uj, number});
}

bool EnergyTimes::advance(Counter& counter, std::uint64_t value_uj, std::uint64_t now_ns) noexcept {
  const auto last_uj = std::exchange(counter.last_uj, value_uj);
  const std::uint64_t last_ns = std::exchange(counter.last_ns, now_ns);
  if (!last_uj) return true;
  const std::uint64_t range_uj = counter.zone.range_uj;
  if (value_uj < *last_uj && range_uj == 0) return false;
  const std::uint64_t used_uj = value_uj >= *last_uj ? value_uj - *last_uj : value_uj + (range_uj - *last_uj);
  const auto elapsed_ns = static_cast<double>(std::max(now_ns - std::min(last_ns, now_ns), kShortestNs));
  if (static_cast<double>(used_uj) > kMostWatts * elapsed_ns * kMicrojoulesOfAWattNs) return false;
  counter.sum_uj += used_uj;
  return true;
}

void EnergyTimes::miss(std::uint32_t number, std::string reason, SampleSpoolWriter& spool) {
  Counter& counter = counters_[number];
  ++counter.missing;
  const bool is_new = !std::exchange(counter.was_missing, true) || counter.reason != reason;
  counter.reason = std::move(reason);
  if (is_new) spool.add(kEnergyIncompleteKey, missing_text(counter), number);
}

std::string EnergyTimes::missing_text(const Counter& counter) {
  return std::to_string(counter.missing) + (counter.missing == 1 ? " reading: " : " readings: ") + counter.reason;
}

}  // namespace meridian
