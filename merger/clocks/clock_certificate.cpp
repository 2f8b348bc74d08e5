#include "merger/clocks/clock_certificate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "merger/clocks/clock_corridor.hpp"
#include "merger/clocks/clock_paths.hpp"
#include "merger/clocks/clock_slope.hpp"

namespace meridian {
namespace {

constexpr double kPpm = 1e-6;
constexpr double kSecondsPerNs = 1e-9;
constexpr double kRoundingNs = 2;  // integer times: one for either end
constexpr std::size_t kAroundJump = 2;
constexpr std::size_t kTogether = 2;              // knots: what happens so close is one event
constexpr double kMostBroken = 0.25;              // share of a clock's knots
constexpr double kLongestExcursionNs = 16e9;      // on either side; oscillators wander in longer ones
constexpr std::size_t kExcursions[] = {2, 4, 8};  // knots, on either side
constexpr double kOtherClass = 1.5;
constexpr std::uint64_t kFewMessages = 100;
constexpr double kQuick = 2;  // of the smallest round trip
constexpr std::size_t kFewKnots = 16;
constexpr double kMostDoubt = 0.01;
constexpr double kShortGap = 3;  // seconds: within, rates change by less than what is allowed anyway

class Certifier {
 public:
  Certifier(const ClockSamples& samples, const ClockResidual& residual, std::size_t reference,
            const ClockAssumptions& assumptions)
      : samples_{samples},
        residual_{residual},
        reference_{reference},
        assumptions_{assumptions},
        tight_{find_tight(samples, residual,
                          std::max<std::size_t>(1, static_cast<std::size_t>(std::round(
                                                       residual.step_ns / static_cast<double>(samples.window_ns())))))},
        smallest_{smallest_latencies()},
        doubts_{slope_doubts(samples, residual, reference)} {}

  ClockCertificate run() {
    set_rates();
    find_broken();
    add_edges();
    const std::size_t nodes = residual_.domains * residual_.knots;
    const std::size_t root = reference_ * residual_.knots;
    for (const bool is_turned : {false, true}) {
      const ClockPaths paths{edges_, nodes, is_turned};
      for (int level = 0; level < ClockCertificate::kLevels; ++level)
        (is_turned ? result_.early : result_.late)[level] = paths.distances(root, residual_.knots, level);
    }
    return std::move(result_);
  }

 private:
  std::size_t nearest(double time_ns) const {
    const auto place = residual_.place(time_ns);
    return place.index + (place.share > 0.5 ? 1 : 0);
  }
  std::size_t node(std::size_t domain, std::size_t k) const { return domain * residual_.knots + k; }

  /// Knots at which their domain has a two-way exchange that is quick for its pair: a slow one tells little.
  std::vector<bool> two_way() const {
    std::vector<bool> has(residual_.domains * residual_.knots);
    for (std::size_t i = 0; i + 1 < tight_.size(); ++i) {
      const ClockTight& one = tight_[i];
      const ClockTight& other = tight_[i + 1];
      if (one.latency != other.latency || one.window != other.window || one.from != other.to) continue;
      if (one.slack_ns + other.slack_ns > 2 * kQuick * smallest_[one.latency]) continue;
      for (const ClockTight* end : {&one, &other}) {
        has[node(end->from, residual_.place(end->sent_ns).index)] = true;
        has[node(end->to, residual_.place(end->received_ns).index)] = true;
      }
    }
    return has;
  }

  /// What is allowed for beyond a knot's exchanges.
  struct Gaps {
    std::vector<double> seconds;  // [knot]: by which what is allowed per second is multiplied
    std::vector<bool> is_long;    // [knot]: whether the clock may have changed its rate unseen
  };

  /// Between two exchanges it is known where a clock was at both, and at neither how fast it went. Of a rate that
  /// changes as much as is allowed, the clock is furthest off in the middle, and its rate at the ends. Before the first
  /// exchange and behind the last the rate goes on changing.
  Gaps gaps_between(std::vector<std::size_t> exchanges) const {
    const std::size_t n = residual_.knots;
    const double step_s = residual_.step_ns * kSecondsPerNs;
    Gaps gaps{std::vector<double>(n, 0), std::vector<bool>(n, false)};
    if (exchanges.empty()) exchanges = {0, n - 1};
    for (std::size_t i = 0; i + 1 < exchanges.size(); ++i) {
      const std::size_t first = exchanges[i], last = exchanges[i + 1];
      const double half = (static_cast<double>(last - first) * step_s - kShortGap) / 2;
      for (std::size_t k = first; k <= last && half > 0; ++k) {
        const double near = static_cast<double>(std::min(k - first, last - k)) * step_s;
        gaps.seconds[k] = std::max(gaps.seconds[k], half - near);
        gaps.is_long[k] = true;
      }
    }
    const std::size_t first = exchanges.front(), last = exchanges.back();
    const auto seconds_between = [&](std::size_t from, std::size_t to) {
      return static_cast<double>(to - from) * step_s;
    };
    // A single exchange says nothing of the rate.
    if (first == last) gaps.seconds[first] = std::max(seconds_between(0, first), seconds_between(last, n - 1)) / 2;
    for (std::size_t k = 0; k < first; ++k) gaps.seconds[k] = gaps.seconds[first] + seconds_between(k, first);
    for (std::size_t k = last + 1; k < n; ++k) gaps.seconds[k] = gaps.seconds[last] + seconds_between(last, k);
    for (std::size_t k = 0; k < n; ++k) gaps.is_long[k] = gaps.is_long[k] || gaps.seconds[k] > kShortGap;
    return gaps;
  }

  /// The rate that is allowed for, how far the fit's mean slope may be off, and what the fit itself bends nearby: how
  /// much its slopes differ between two exchanges, and next to them; in a run of few knots, anywhere, and so where a
  /// clock that was slewed may have been slewed unseen. The reference does not bend by definition.
  void set_rates() {
    const std::size_t n = residual_.knots;
    const std::vector<bool> has_exchange = two_way();
    result_.rate.assign(residual_.domains * n, 0);
    bend_.assign(residual_.domains * n, 0);
    std::vector<double> slopes(n - 1);
    for (std::size_t h = 0; h < residual_.domains; ++h) {
      if (h == reference_) continue;
      for (std::size_t k = 0; k + 1 < n; ++k)
        slopes[k] = (residual_.knot(h, k + 1) - residual_.knot(h, k)) / residual_.step_ns;
      std::vector<std::size_t> exchanges;
      for (std::size_t k = 0; k < n; ++k)
        if (has_exchange[node(h, k)]) exchanges.push_back(k);
      const Gaps gaps = gaps_between(exchanges);
      const bool is_slewed = std::ranges::adjacent_find(slopes, [](double one, double next) {
                               return std::abs(next - one) > kSuddenRate;
                             }) != slopes.end();
      std::size_t looked_first = n, looked_last = n, next = 0;
      std::pair<double, double> looked;  // the knots of a gap have one window: looked through once, however long it is
      for (std::size_t k = 0; k < n; ++k) {
        while (next < exchanges.size() && exchanges[next] < k) ++next;
        const std::size_t after = next < exchanges.size() ? exchanges[next] : n - 1;
        const std::size_t before = after == k ? k : next > 0 ? exchanges[next - 1] : 0;
        const bool is_anywhere = n <= kFewKnots || (is_slewed && gaps.is_long[k]);
        const std::size_t first = is_anywhere || before < 2 ? 0 : before - 2;
        const std::size_t last = is_anywhere ? n - 2 : std::min(n - 2, after + 2);
        if (first != looked_first || last != looked_last) {
          const auto ends = std::minmax_element(slopes.begin() + static_cast<std::ptrdiff_t>(first),
                                                slopes.begin() + static_cast<std::ptrdiff_t>(last) + 1);
          looked = {*ends.first, *ends.second};
          looked_first = first, looked_last = last;
        }
        const auto [least, most] = looked;
        const double rho = assumptions_.rho_ppm + assumptions_.rho_ppm_per_s * gaps.seconds[k];
        bend_[node(h, k)] = static_cast<float>(most - least);
        result_.rate[node(h, k)] = static_cast<float>(rho * kPpm + (most - least) + std::min(doubts_[h], kMostDoubt));
      }
    }
  }

  void break_around(std::size_t domain, std::size_t k, std::size_t reach) {
    if (domain == reference_) return;
    for (std::size_t q = k >= reach ? k - reach : 0; q <= std::min(k + reach, residual_.knots - 1); ++q)
      result_.is_broken[node(domain, q)] = true;
  }

  /// Wherever stamps may lie that are of either side of the jump. All others are bent by what is wrong with the size of
  /// one of the reference.
  void break_around_jump(std::size_t domain, const ClockJump& jump) {
    auto [first, last] =
        std::minmax({residual_.shifted(domain, jump.at_ns), residual_.shifted(domain, jump.last_before_ns),
                     residual_.shifted(domain, jump.first_after_ns)});
    if (jump.first_after_ns <= jump.last_before_ns) {
      first -= std::abs(jump.size_ns);
      last += std::abs(jump.size_ns);
    }
    if (domain != reference_) {
      for (std::size_t k = nearest(first); k <= nearest(last); ++k) break_around(domain, k, kAroundJump);
      return;
    }
    const double reach = residual_.step_ns;
    for (std::size_t h = 0; h < residual_.domains; ++h)
      for (std::size_t k = 0; k < residual_.knots; ++k)
        if (const double at = residual_.knot_ns(k) + residual_.knot(h, k); at >= first - reach && at <= last + reach)
          result_.is_broken[node(h, k)] = true;
  }

  void find_broken() {
    result_.is_broken.assign(residual_.domains * residual_.knots, false);
    // What lies too close together to tell a rate tells nothing of the time before and after.
    for (std::size_t h = 0; h < residual_.domains; ++h)
      if (doubts_[h] > kMostDoubt)
        for (std::size_t k = 0; k < residual_.knots; ++k) break_around(h, k, 0);
    for (const ClockTight& one : tight_) {
      if (one.slack_ns >= 0) continue;
      break_around(one.from, nearest(one.sent_ns), 1);
      break_around(one.to, nearest(one.received_ns), 1);
    }
    break_reference();
    for (std::size_t h = 0; h < residual_.domains; ++h) break_altogether(h);
    break_excursions();
    for (std::size_t h = 0; h < residual_.domains; ++h)
      for (const ClockJump& jump : residual_.jumps[h]) break_around_jump(h, jump);
  }

  /// What several others contradict at a time is the reference itself: nobody can be compared with it there.
  void break_reference() {
    constexpr std::uint32_t kNobody = 0xffffffff;
    std::vector<std::uint32_t> partner(residual_.knots, kNobody);
    std::vector<bool> has_several(residual_.knots);
    for (const ClockTight& one : tight_) {
      if (one.slack_ns >= 0 || (one.from != reference_ && one.to != reference_)) continue;
      const std::uint32_t other = one.from == reference_ ? one.to : one.from;
      const std::size_t k = nearest(one.from == reference_ ? one.sent_ns : one.received_ns);
      for (std::size_t q = k >= kTogether ? k - kTogether : 0; q <= std::min(k + kTogether, residual_.knots - 1); ++q) {
        if (partner[q] == kNobody) partner[q] = other;
        has_several[q] = has_several[q] || partner[q] != other;
      }
    }
    for (std::size_t k = 0; k < residual_.knots; ++k)
      for (std::size_t h = 0; has_several[k] && h < residual_.domains; ++h) break_around(h, k, 1);
  }

  /// A clock that goes at quite another rate for a few knots, and then as before, was set between messages that are too
  /// rare to contradict it; or all others do so, where it was the reference.
  void break_excursions() {
    std::vector<double> floors = smallest_;
    std::erase_if(floors, [](double floor) { return floor <= 0; });
    if (floors.empty()) return;
    const auto middle = floors.begin() + static_cast<std::ptrdiff_t>(floors.size() / 2);
    std::nth_element(floors.begin(), middle, floors.end());
    std::vector<std::size_t> strayed(residual_.knots, 0);  // domains
    for (std::size_t h = 0; h < residual_.domains; ++h)
      for (std::size_t k = 0; k < residual_.knots; ++k) {
        const std::size_t reach = excursion(h, k, *middle);
        if (reach == 0) continue;
        break_around(h, k, reach + 1);
        ++strayed[k];
      }
    const std::size_t several = std::max<std::size_t>(2, residual_.domains / 4);
    for (std::size_t k = 0; k < residual_.knots; ++k)
      for (std::size_t h = 0; strayed[k] >= several && h < residual_.domains; ++h)
        break_around(h, k, kExcursions[1] + 1);
  }

  /// How far a clock's excursion reaches from its middle; 0: it is none.
  std::size_t excursion(std::size_t domain, std::size_t k, double least_ns) const {
    for (const std::size_t reach : kExcursions) {
      if (k < 2 * reach || k + 2 * reach >= residual_.knots) return 0;
      if (static_cast<double>(reach) * residual_.step_ns > kLongestExcursionNs) return 0;
      const auto at = [&](std::size_t q) { return residual_.knot(domain, q); };
      const std::size_t first = k - reach, last = k + reach;
      const auto way = static_cast<double>(last - first);
      const double before = (at(first) - at(first - reach)) * 2 / way, after = (at(last + reach) - at(last)) * 2 / way;
      const double beyond = std::abs(at(last) - at(first) - way * (before + after) / 2);
      if (beyond > least_ns * static_cast<double>(reach) / 2 && way * std::abs(after - before) < beyond / 2)
        return reach;
    }
    return 0;
  }

  /// A clock that is contradicted so often does not keep what is assumed of it in between either.
  void break_altogether(std::size_t domain) {
    if (domain == reference_) return;
    const auto begin = result_.is_broken.begin() + static_cast<std::ptrdiff_t>(node(domain, 0));
    const auto end = begin + static_cast<std::ptrdiff_t>(residual_.knots);
    if (static_cast<double>(std::count(begin, end, true)) > kMostBroken * static_cast<double>(residual_.knots))
      std::fill(begin, end, true);
  }

  /// How far a clock can wander from one knot to the next: what is assumed of oscillators changes evenly on the way.
  float way_between(std::size_t a, std::size_t b) const {
    const auto own = [&](std::size_t i) { return static_cast<double>(result_.rate[i] - bend_[i]); };
    const auto bend = static_cast<double>(std::max(bend_[a], bend_[b]));
    return static_cast<float>((bend + (own(a) + own(b)) / 2) * residual_.step_ns);
  }

  /// [latencies]: what no message is quicker than, for T2. The quickest of few messages need not be quick: then the
  /// quickest pair of all speaks for theirs.
  std::vector<double> latency_floors() const {
    std::vector<double> floors = smallest_;
    const double least = least_known(floors);
    for (std::size_t e = 0; e < samples_.pairs().size(); ++e)
      for (const ClockCells& side : samples_.pairs()[e].sides) {
        std::uint64_t messages = 0;
        for (const ClockCell& cell : side.cells()) messages += cell.messages;
        if (messages < kFewMessages) floors[e] = std::min(floors[e], least);
      }
    return floors;
  }

  void add_edges() {
    const std::vector<double> floors = latency_floors();
    for (const ClockTight& one : tight_) {
      const std::size_t sent = nearest(one.sent_ns), received = nearest(one.received_ns);
      const std::size_t from = node(one.to, received), to = node(one.from, sent);
      if (one.slack_ns < 0 || result_.is_broken[from] || result_.is_broken[to]) continue;
      const double way =
          static_cast<double>(result_.rate[to]) * std::abs(one.sent_ns - residual_.knot_ns(sent)) +
          static_cast<double>(result_.rate[from]) * std::abs(one.received_ns - residual_.knot_ns(received)) +
          kRoundingNs;
      const double spare = std::max(0.0, one.slack_ns - assumptions_.latency_share * floors[one.latency]);
      edges_.push_back({static_cast<std::uint32_t>(from),
                        static_cast<std::uint32_t>(to),
                        {static_cast<float>(one.slack_ns + way), static_cast<float>(spare + way)}});
    }
    for (std::size_t h = 0; h < residual_.domains; ++h) {
      if (h == reference_) continue;
      for (std::size_t k = 0; k + 1 < residual_.knots; ++k) {
        const std::size_t a = node(h, k), b = node(h, k + 1);
        if (result_.is_broken[a] || result_.is_broken[b]) continue;
        const float length = way_between(a, b);
        edges_.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), {length, length}});
        edges_.push_back({static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(a), {length, length}});
      }
    }
  }

  /// [latencies]: half of each pair's smallest round trip; 0 where there is none, and for collectives. A pair that is
  /// much slower than usual may have had a slow way in one direction all the time: the quickest pair speaks for it.
  std::vector<double> smallest_latencies() const {
    const std::size_t pairs = samples_.pairs().size();
    std::vector<double> forth(pairs + 1, HUGE_VAL), back(pairs + 1, HUGE_VAL);
    for (const ClockTight& one : tight_) {
      double& least = one.from < one.to ? forth[one.latency] : back[one.latency];
      least = std::min(least, one.slack_ns);
    }
    std::vector<double> floors(pairs + 1, 0);
    for (std::size_t e = 0; e < pairs; ++e)
      if (const double sum = forth[e] + back[e]; std::isfinite(sum)) floors[e] = std::max(0.0, sum / 2);
    const double usual = usual_latency(samples_, floors, 0);
    const double least = least_known(floors);
    for (double& floor : floors)
      if (floor > kOtherClass * usual) floor = least;
    return floors;
  }

  /// Of latencies the least that is known; infinite when none is.
  static double least_known(const std::vector<double>& floors) {
    double least = HUGE_VAL;
    for (const double floor : floors)
      if (floor > 0) least = std::min(least, floor);
    return least;
  }

  const ClockSamples& samples_;
  const ClockResidual& residual_;
  std::size_t reference_;
  const ClockAssumptions& assumptions_;
  std::vector<ClockTight> tight_;
  std::vector<double> smallest_;  // [latencies]: smallest_latencies()
  std::vector<double> doubts_;
  std::vector<ClockEdge> edges_;
  std::vector<float> bend_;  // [domain][knot]: what the fit itself bends there, of its rate
  ClockCertificate result_;
};

}  // namespace

ClockCertificate certify(const ClockSamples& samples, const ClockResidual& residual, std::size_t reference,
                         const ClockAssumptions& assumptions) {
  return Certifier{samples, residual, reference, assumptions}.run();
}

}  // namespace meridian
