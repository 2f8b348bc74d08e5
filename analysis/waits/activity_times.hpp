// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

namespace meridian {

/// An amount of time, by a number for what it was spent on.
struct Amount {
  std::uint32_t key = 0;
  std::int64_t ns = 0;
};

/// Sums of amounts by key. Most have few keys, which are quicker to find in a list.
class Amounts {
 public:
  void add(std::uint32_t key, std::int64_t ns) {
    if (!places_.empty()) return add_to_many(key, ns);
    for (Amount& amount : list_)
      if (amount.key == key) {
        amount.ns += ns;
        return;
      }
    list_.push_back({key, ns});
    if (list_.size() > kFew) index();
  }
  void add(const std::vector<Amount>& amounts, std::int64_t sign = 1) {
    for (const Amount& amount : amounts) add(amount.key, sign * amount.ns);
  }
  void add(const Amounts& amounts, std::int64_t sign = 1) { add(amounts.list_, sign); }
  void clear() {
    list_.clear();
    places_.clear();
  }
  /// By key.
  void sort_into(std::vector<Amount>& list) const;

 private:
  static constexpr std::size_t kFew = 24;
  void add_to_many(std::uint32_t key, std::int64_t ns);
  void index();

  std::vector<Amount> list_;
  std::unordered_map<std::uint32_t, std::size_t> places_;  // in list_; empty: it has few
};

/// What a location spent its time on: its own activities, and the causes of its waits. The time is kept in intervals
/// that begin at instants at which a wait between this location and another one ended; the oldest ones are added up.
class ActivityTimes {
 public:
  static constexpr std::size_t kMostIntervals = 64;

  /// The end of a wait for a call: equal ones of two locations are the same instant.
  struct Instant {
    std::uint64_t causer = 0;  ///< row of the call
    std::int64_t time_ns = 0;
    bool operator==(const Instant&) const = default;
  };

  void add_activity(std::uint32_t activity, std::int64_t ns) { activities_.add(activity, ns); }
  void add_cause(std::uint32_t cause, std::int64_t ns) { causes_.add(cause, ns); }
  /// From here on, another interval.
  void begin_interval(const Instant& instant);

  /// The latest instant at which both have an interval beginning; nullopt: none but the beginning of the trace.
  static std::optional<Instant> last_common(const ActivityTimes& a, const ActivityTimes& b);
  /// Adds `sign` times the amounts since the beginning of an interval, or since the beginning of the trace.
  void sum_since(const std::optional<Instant>& instant, std::int64_t sign, Amounts& activities, Amounts& causes) const;

 private:
  struct Interval {
    Instant end;

    std::vector<Amount> activities, causes;
  };
  Amounts old_activities_, old_causes_;  // before the kept intervals
  std::deque<Interval> kept_;
  Amounts activities_, causes_;  // of the interval that has not ended
};

}  // namespace meridian
