#pragma once

// What messages, round trips and collectives say about the clocks of domains, kept small.

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace meridian {

/// A message between two clock domains, or half of a round trip. Times are those of each domain's first line (global
/// ns), so that a received time may lie before the sent one.
struct DomainMessage {
  std::int64_t sent_ns = 0;
  std::int64_t received_ns = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// What one domain did in a collective in which every exit follows every enter.
struct CollectiveSide {
  std::uint32_t domain = 0;
  std::int64_t last_enter_ns = 0;
  std::int64_t first_exit_ns = 0;
};

struct ClockPoint {
  std::int64_t sent_ns = 0;
  std::int64_t delay_ns = 0;  ///< received minus sent
};

/// The messages of one direction of a pair of domains that were sent in one window of time: those that bound the
/// clocks, the lower convex hull of delay over time. Whatever two straight lines correct the clocks by in that window,
/// the smallest corrected delay is one of these.
class ClockCell {
 public:
  void add(const ClockPoint& point);
  void join(ClockCell& later);
  void seal();
  std::span<const ClockPoint> points() const noexcept { return points_; }
  std::uint64_t messages() const noexcept { return messages_; }

 private:
  bool is_above_hull(const ClockPoint& point) const noexcept;

  std::vector<ClockPoint> points_;  // the first hull_ are a hull, by time; the others are as they came
  std::uint32_t hull_ = 0;
  std::uint32_t messages_ = 0;
};

/// Both directions between two domains: [0] from the lower number to the higher.
struct PairSamples {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  std::vector<ClockCell> cells[2];  ///< by window; directions may have different numbers of them

  std::uint32_t from(int direction) const noexcept { return direction == 0 ? low : high; }
  std::uint32_t to(int direction) const noexcept { return direction == 0 ? high : low; }
};

/// Streams: memory grows with the pairs of domains that talk times the windows of the run, of which there are at most
/// `most_windows` (their length doubles when the run is longer), not with the number of messages.
class ClockSamples {
 public:
  static constexpr std::int64_t kWindowNs = 250'000'000;

  explicit ClockSamples(std::size_t domains, std::int64_t window_ns = kWindowNs, std::size_t most_windows = 0);

  void add(const DomainMessage& message);
  /// sides  one for every domain that took part, two at least.
  void add_collective(std::span<const CollectiveSide> sides);
  /// After the last one.
  void seal();

  std::size_t domains() const noexcept { return domains_; }
  std::int64_t window_ns() const noexcept { return window_ns_; }
  std::int64_t origin_ns() const noexcept { return origin_ns_; }  ///< where window 0 begins
  std::int64_t begin_ns() const noexcept { return begin_ns_; }    ///< earliest time seen; 0 when there is none
  std::int64_t end_ns() const noexcept { return end_ns_; }
  std::uint64_t messages() const noexcept { return messages_; }
  std::span<const PairSamples> pairs() const noexcept { return pairs_; }  ///< in the order in which they were met
  /// Of each window, the collectives that bound the clocks most tightly.
  const std::vector<std::vector<CollectiveSide>>& collectives() const noexcept { return kept_; }

 private:
  struct Collective {
    std::int64_t wait_ns = 0;  // first exit anywhere minus last enter anywhere: small ones say more
    std::vector<CollectiveSide> sides;
  };
  std::size_t window_of(std::int64_t time_ns);
  void double_windows();
  PairSamples& pair(std::uint32_t a, std::uint32_t b);
  void see(std::int64_t time_ns) noexcept;

  std::size_t domains_;
  std::size_t most_windows_;
  std::int64_t window_ns_;
  std::int64_t origin_ns_ = 0;  // of window 0
  std::int64_t begin_ns_ = 0;
  std::int64_t end_ns_ = 0;
  std::uint64_t messages_ = 0;
  bool has_origin_ = false;
  std::vector<PairSamples> pairs_;
  std::unordered_map<std::uint64_t, std::uint32_t> pair_of_;
  std::uint64_t last_key_ = ~std::uint64_t{0};
  std::uint32_t last_pair_ = 0;
  std::vector<std::vector<Collective>> collectives_;  // by window
  std::vector<std::vector<CollectiveSide>> kept_;
};

}  // namespace meridian
