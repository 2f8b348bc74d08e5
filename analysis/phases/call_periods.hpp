// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace meridian {

/// A function, called from one place; or from any: kAnyPlace as site.
struct CallKey {
  static constexpr std::uint32_t kAnyPlace = 0xffffffff;
  std::uint32_t call = 0;
  std::uint32_t site = 0;
  std::uint32_t path = 0;
  auto operator<=>(const CallKey&) const = default;
  bool includes(const CallKey& other) const noexcept { return site == kAnyPlace ? call == other.call : *this == other; }
};

/// What kind of call may begin iterations, the best one last.
enum class MarkerKind : std::uint8_t { other, collective, region };

/// A stretch of a run in which one call comes again and again, equally often on each rank that makes it: it begins iterations.
struct CallPeriod {
  CallKey key;
  MarkerKind kind{};
  std::vector<std::size_t> ranks{};  ///< that make it, ascending: all, or at least half of them and two
  bool of_runs = false;              ///< only the first one of consecutive calls from this place begins an iteration
  std::uint64_t count = 0;           ///< calls of each rank that begin iterations
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;  ///< begin of the last call

  bool operator==(const CallPeriod&) const = default;
};

/// Finds the outermost loops of a program from the calls of its ranks. Memory is bounded by places of calls x ranks.
class CallPeriods {
 public:
  static constexpr std::uint64_t kLeastCount = 5;  ///< calls that begin iterations
  static constexpr std::size_t kMostPeriods = 8;
  static constexpr std::size_t kMostRegions = 16;

  explicit CallPeriods(std::size_t ranks) : ranks_(ranks) {}

  /// A rank's next call, in order of time.
  void add(std::size_t rank, const CallKey& key, MarkerKind kind, std::int64_t ns);
  /// In order of time, with little overlap. run_ns: the length of the run, of which a period covers a twentieth at least.
  std::vector<CallPeriod> find(std::int64_t run_ns) const;
  /// The user regions that each rank that enters them enters equally often, whatever lies between; the ones that cover most of
  /// the run first.
  std::vector<CallPeriod> regions() const;

 private:
  /// The calls of one place on one rank; or their runs, which are consecutive calls.
  struct Series {
    std::uint64_t count = 0;
    std::int64_t first_ns = 0, last_ns = 0;
    std::uint64_t last_number = 0;  // of all calls of the rank
    double gaps = 0, squares = 0;   // calls of the rank from one to the next
    void add(std::uint64_t number, std::int64_t ns) noexcept;
    bool is_regular() const noexcept;
  };
  struct Hash {
    std::size_t operator()(const CallKey& key) const noexcept {
      return ((key.call * std::size_t{0x9e3779b1}) ^ key.site) * std::size_t{0x85ebca6b} ^ key.path;
    }
  };
  struct Place {
    CallKey key;
    Series calls{}, runs{};
    std::uint32_t next = 0;  // the place of the call that came after the last one
  };
  struct Rank {
    std::uint64_t calls = 0;
    std::uint32_t last = 0;  // place
    std::vector<Place> places{};
    std::unordered_map<CallKey, std::uint32_t, Hash> numbers{};  // of places
    const Place* find(const CallKey& key) const;
    std::uint32_t number_of(const CallKey& key);
    std::uint32_t number_after_last(const CallKey& key);
  };
  bool describe(CallPeriod& period, bool must_be_regular = true) const;
  bool has_own_places(std::uint32_t call) const;

  std::vector<Rank> ranks_;
  std::map<CallKey, MarkerKind> kinds_;  // of all calls
};

}  // namespace meridian
