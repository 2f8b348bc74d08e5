// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/bounds/clock_certificate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "merger/clocks/bounds/clock_evidence.hpp"
#include "merger/clocks/bounds/clock_gaps.hpp"
#include "merger/clocks/bounds/clock_paths.hpp"
#include "merger/clocks/bounds/clock_slope.hpp"
#include "merger/clocks/samples/clock_constraints.hpp"
#include "merger/clocks/samples/clock_latency.hpp"
#include "merger/clocks/samples/clock_meetings.hpp"
#include "merger/clocks/samples/median.hpp"
#include "merger/model/clock_tuning.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

class Certifier {
 public:
  Certifier(const ClockSamples& samples, const ClockCorrection& correction, std::size_t reference,
            const ClockAssumptions& assumptions)
      : samples_{samples},
        correction_{correction},
        reference_{reference},
        assumptions_{assumptions},
        tight_{find_tight(
            samples, correction,
            std::max<std::size_t>(1, static_cast<std::size_t>(std::round(correction.spacing_ns /
                                                                         static_cast<double>(samples.window_ns())))))},
        meetings_{find_meetings(tight_)},
        unobservable_{unobservable_ns(meetings_, correction.domains)},
        smallest_{smallest_latencies(samples, tight_)},
        has_exchange_{two_way()},
        is_busy_{busy_knots(meetings_, correction)},
        unfollowed_{unfollowed_rates(meetings_, correction, reference)},
        is_steady_{is_network_steady(meetings_, assumptions.latency_share) &&
                   !is_t2_contradicted(meetings_, assumptions)},
        doubts_{slope_doubts(samples, correction, reference)} {}

  ClockCertificate run() {
    set_rates();
    find_broken();
    quicken_slewed();
    measure();
    if (break_below_round_trips()) measure();  // other clocks' bounds may lead across the knots that have none now
    widen();
    return std::move(result_);
  }

 private:
  void measure() {
    add_edges();
    const std::size_t nodes = correction_.domains * correction_.knots;
    const std::size_t root = reference_ * correction_.knots;
    for (const bool is_turned : {false, true}) {
      const ClockPaths paths{edges_, nodes, is_turned};
      for (int level = 0; level < ClockCertificate::kLevels; ++level)
        (is_turned ? result_.early : result_.late)[level] = paths.distances(root, correction_.knots, level);
    }
  }

  /// Half of a round trip cannot be observed. A far narrower bound is a contradiction between messages of different
  /// times: the clock was slewed in between. Returns whether there are any.
  bool break_below_round_trips() {
    bool has_any = false;
    for (std::size_t h = 0; h < correction_.domains; ++h) {
      if (h == reference_) continue;
      for (std::size_t k = 0; k < correction_.knots; ++k) {
        const std::size_t i = node(h, k);
        const double half = (static_cast<double>(result_.early[0][i]) + static_cast<double>(result_.late[0][i])) / 2;
        if (result_.is_broken[i] || half >= ClockTuning::kTooNarrow * unobservable_[h]) continue;
        break_around(h, k, 1);
        has_any = true;
      }
    }
    return has_any;
  }

  /// No T1 is below half of the smallest round trip. Every time may be later than its stamp by a tick; so may the stamp of the
  /// reference that is the zero of all times, beside which they are then early.
  void widen() {
    const bool is_t1_alone = !has_t2();
    for (std::size_t h = 0; h < correction_.domains; ++h)
      for (std::size_t k = 0; k < correction_.knots; ++k) {
        const std::size_t i = node(h, k);
        float &early = result_.early[0][i], &late = result_.late[0][i];
        const auto missing =
            static_cast<float>(unobservable_[h] - (static_cast<double>(early) + static_cast<double>(late)) / 2);
        if (h != reference_ && missing > 0) early += missing, late += missing;
        if (is_t1_alone) result_.early[1][i] = early, result_.late[1][i] = late;
        for (std::vector<float>& side : result_.late) side[i] += static_cast<float>(tick_ns(h));
        for (std::vector<float>& side : result_.early) side[i] += static_cast<float>(tick_ns(reference_));
      }
  }

  /// Without a steady network, T2 assumes too much. Where clocks are slewed, the fit may be off by more than the latencies
  /// say.
  bool has_t2() const { return is_steady_ && std::ranges::count(is_slewed_, true) == 0; }

  /// The part of a clock's tick that kRoundingNs does not cover.
  double tick_ns(std::size_t domain) const {
    return domain < assumptions_.tick_ns.size() && assumptions_.tick_ns[domain] > 1 ? assumptions_.tick_ns[domain] : 0;
  }

  std::size_t nearest(double time_ns) const {
    const auto place = correction_.place(time_ns);
    return place.index + (place.share > 0.5 ? 1 : 0);
  }
  std::size_t node(std::size_t domain, std::size_t k) const { return domain * correction_.knots + k; }

  /// Knots at which a domain has a two-way exchange that is quick for its pair; slow ones bound little.
  std::vector<bool> two_way() const {
    std::vector<bool> has(correction_.domains * correction_.knots);
    for (std::size_t i = 0; i + 1 < tight_.size(); ++i) {
      const ClockConstraint& one = tight_[i];
      const ClockConstraint& other = tight_[i + 1];
      if (one.latency != other.latency || one.window != other.window || one.from != other.to) continue;
      if (one.slack_ns + other.slack_ns > 2 * ClockTuning::kQuick * smallest_[one.latency]) continue;
      for (const ClockConstraint* end : {&one, &other}) {
        has[node(end->from, correction_.place(end->sent_ns).index)] = true;
        has[node(end->to, correction_.place(end->received_ns).index)] = true;
      }
    }
    return has;
  }

  /// Sets the rate by which bounds grow: the allowed rate, the doubt about the fit's mean slope, and how much the fit
  /// bends nearby, which is the range of its slopes between two exchanges and next to them, and what it does not follow. In a run
  /// of few knots, before the first exchange and after the last one, and where a slewed clock may have been slewed unseen,
  /// the range over the whole run counts. The reference does not bend
  /// by definition.
  void set_rates() {
    const std::size_t n = correction_.knots;
    result_.rate.assign(correction_.domains * n, 0);
    is_slewed_.assign(correction_.domains, false);
    bend_.assign(correction_.domains * n, 0);
    std::vector<double> slopes(n - 1);
    for (std::size_t h = 0; h < correction_.domains; ++h) {
      if (h == reference_) continue;
      for (std::size_t k = 0; k + 1 < n; ++k)
        slopes[k] = (correction_.knot(h, k + 1) - correction_.knot(h, k)) / correction_.spacing_ns;
      std::vector<std::size_t> exchanges;
      for (std::size_t k = 0; k < n; ++k)
        if (has_exchange_[node(h, k)]) exchanges.push_back(k);
      const ClockGaps gaps = gaps_between(exchanges, n, correction_.spacing_ns * kSecondsPerNs);
      is_slewed_[h] = std::ranges::adjacent_find(slopes, [](double one, double next) {
                        return std::abs(next - one) > ClockTuning::kSuddenRate;
                      }) != slopes.end();
      const double unfollowed = *std::max_element(unfollowed_.begin() + static_cast<std::ptrdiff_t>(node(h, 0)),
                                                  unfollowed_.begin() + static_cast<std::ptrdiff_t>(node(h, 0) + n));
      std::size_t first_known = 0, last_known = n - 1;
      const auto is_known = [&](std::size_t k) { return has_exchange_[node(h, k)] || is_busy_[node(h, k)]; };
      while (first_known < last_known && !is_known(first_known)) ++first_known;
      while (last_known > first_known && !is_known(last_known)) --last_known;
      std::size_t looked_first = n, looked_last = n, next = 0;
      std::pair<double, double> looked;  // all knots of a gap share one range, which is computed once
      for (std::size_t k = 0; k < n; ++k) {
        while (next < exchanges.size() && exchanges[next] < k) ++next;
        const std::size_t after = next < exchanges.size() ? exchanges[next] : n - 1;
        const std::size_t before = after == k ? k : next > 0 ? exchanges[next - 1] : 0;
        const bool is_end = k <= first_known || k >= last_known;
        const bool is_anywhere = n <= ClockTuning::kFewKnots || (is_slewed_[h] && gaps.is_long[k]) || is_end;
        const std::size_t first =
            is_anywhere || before < ClockTuning::kBendReach ? 0 : before - ClockTuning::kBendReach;
        const std::size_t last = is_anywhere ? n - 2 : std::min(n - 2, after + ClockTuning::kBendReach);
        if (first != looked_first || last != looked_last) {
          const auto ends = std::minmax_element(slopes.begin() + static_cast<std::ptrdiff_t>(first),
                                                slopes.begin() + static_cast<std::ptrdiff_t>(last) + 1);
          looked = {*ends.first, *ends.second};
          looked_first = first, looked_last = last;
        }
        const auto [least, most] = looked;
        const double rho =
            assumptions_.rho_ppm + correction_.rate_doubt(h) * kPpm + assumptions_.rho_ppm_per_s * gaps.seconds[k];
        const double beyond = is_end ? ClockTuning::kEndsQuicker : 1;
        const double bends = most - least + (is_end ? beyond * unfollowed : unfollowed_[node(h, k)]);
        bend_[node(h, k)] = static_cast<float>(bends);
        result_.rate[node(h, k)] =
            static_cast<float>(rho * kOnePpm + bends + std::min(beyond * doubts_[h], ClockTuning::kMostDoubt));
      }
    }
  }

  void break_around(std::size_t domain, std::size_t k, std::size_t reach) {
    if (domain == reference_) return;
    for (std::size_t q = k >= reach ? k - reach : 0; q <= std::min(k + reach, correction_.knots - 1); ++q)
      result_.is_broken[node(domain, q)] = true;
  }

  /// Breaks all knots where stamps may be from either side of a step. An error in the size of a step of the reference
  /// affects all other domains.
  void break_around_step(std::size_t domain, const ClockStep& step) {
    auto [first, last] =
        std::minmax({correction_.shifted(domain, step.at_ns), correction_.shifted(domain, step.last_before_ns),
                     correction_.shifted(domain, step.first_after_ns)});
    if (step.first_after_ns <= step.last_before_ns) {
      first -= std::abs(step.size_ns);
      last += std::abs(step.size_ns);
    }
    if (domain != reference_) {
      for (std::size_t k = nearest(first); k <= nearest(last); ++k) break_around(domain, k, ClockTuning::kAroundStep);
      return;
    }
    const double reach = correction_.spacing_ns;
    for (std::size_t h = 0; h < correction_.domains; ++h)
      for (std::size_t k = 0; k < correction_.knots; ++k)
        if (const double at = correction_.knot_ns(k) + correction_.knot(h, k);
            at >= first - reach && at <= last + reach)
          result_.is_broken[node(h, k)] = true;
  }

  void find_broken() {
    result_.is_broken.assign(correction_.domains * correction_.knots, false);
    result_.has_slews.assign(correction_.domains, false);
    // Samples too close together to determine a rate bound nothing outside their span.
    for (std::size_t h = 0; h < correction_.domains; ++h)
      if (doubts_[h] > ClockTuning::kMostDoubt)
        for (std::size_t k = 0; k < correction_.knots; ++k) break_around(h, k, 0);
    for (const ClockConstraint& one : tight_) {
      if (one.slack_ns >= -tick_ns(one.to)) continue;
      break_around(one.from, nearest(one.sent_ns), 1);
      break_around(one.to, nearest(one.received_ns), 1);
    }
    for (const ClockMeeting& one : contradictions_among(meetings_, usual_latency(samples_, smallest_, 0))) {
      break_around(one.low, nearest(one.low_ns), 1);
      break_around(one.high, nearest(one.high_ns), 1);
    }
    break_reference();
    for (std::size_t h = 0; h < correction_.domains; ++h) break_altogether(h);
    break_excursions();
    for (std::size_t h = 0; !assumptions_.may_slew && h < correction_.domains; ++h)
      if (is_bent(h) || correction_.rate_doubt(h) > ClockTuning::kMostStraightRate) break_all(h);
    for (std::size_t h = 0; h < correction_.domains; ++h)
      for (const ClockStep& step : correction_.steps[h]) break_around_step(h, step);
  }

  /// If several domains contradict the reference at once, the reference is at fault, and no domain has bounds there.
  void break_reference() {
    constexpr std::uint32_t kNobody = 0xffffffff;
    std::vector<std::uint32_t> partner(correction_.knots, kNobody);
    std::vector<bool> has_several(correction_.knots);
    for (const ClockConstraint& one : tight_) {
      if (one.slack_ns >= -tick_ns(one.to) || (one.from != reference_ && one.to != reference_)) continue;
      const std::uint32_t other = one.from == reference_ ? one.to : one.from;
      const std::size_t k = nearest(one.from == reference_ ? one.sent_ns : one.received_ns);
      for (std::size_t q = k >= ClockTuning::kTogether ? k - ClockTuning::kTogether : 0;
           q <= std::min(k + ClockTuning::kTogether, correction_.knots - 1); ++q) {
        if (partner[q] == kNobody) partner[q] = other;
        has_several[q] = has_several[q] || partner[q] != other;
      }
    }
    for (std::size_t k = 0; k < correction_.knots; ++k)
      for (std::size_t h = 0; has_several[k] && h < correction_.domains; ++h) break_around(h, k, 1);
  }

  /// A clock whose rate differs for a few knots and then returns has stepped between messages that are too rare to
  /// contradict the fit. If many domains do so at once, it was the reference.
  void break_excursions() {
    std::vector<double> floors = smallest_;
    std::erase_if(floors, [](double floor) { return floor <= 0; });
    if (floors.empty()) return;
    const double usual = median(std::move(floors), 0);
    std::vector<std::size_t> strayed(correction_.knots, 0);  // [knot]: number of domains
    for (std::size_t h = 0; h < correction_.domains; ++h)
      for (std::size_t k = 0; k < correction_.knots; ++k) {
        const std::size_t reach = excursion_at(correction_, h, k, usual);
        if (reach == 0) continue;
        if (static_cast<double>(reach) * correction_.spacing_ns <= ClockTuning::kQuickExcursionNs)
          result_.has_slews[h] = true;
        if (is_followed(h, k - reach, k + reach)) continue;
        break_around(h, k, reach + 1);
        ++strayed[k];
      }
    const std::size_t several = std::max<std::size_t>(2, correction_.domains / ClockTuning::kExcursionShare);
    for (std::size_t k = 0; k < correction_.knots; ++k)
      for (std::size_t h = 0; strayed[k] >= several && h < correction_.domains; ++h)
        break_around(h, k, ClockTuning::kExcursionReaches[1] + 1);
  }

  /// A clock that nobody slews, and that seems to bend all the same, has been set unseen, or few messages say what it did.
  bool is_bent(std::size_t domain) const {
    bool is_found = false;
    for (std::size_t k = 1; correction_.steps[domain].empty() && k + 1 < correction_.knots; ++k)
      is_found |= correction_.bend_ns(domain, k) > ClockTuning::kSlewed * correction_.spacing_ns &&
                  !is_followed(domain, k - 1, k + 1);
    return is_found;
  }

  /// A clock that was slewed as quickly as systems do it may have been slewed so at any time, unseen until the next messages.
  void quicken_slewed() {
    for (std::size_t h = 0; h < correction_.domains; ++h)
      for (std::size_t k = 0; result_.has_slews[h] && k < correction_.knots; ++k)
        result_.rate[node(h, k)] = std::max(result_.rate[node(h, k)], static_cast<float>(ClockTuning::kSlewRate));
  }

  /// Whether the clock had many messages both ways all the time, which would have contradicted a wrong fit.
  bool is_followed(std::size_t domain, std::size_t first, std::size_t last) const {
    for (std::size_t k = first; k <= last; ++k)
      if (!is_busy_[node(domain, k)]) return false;
    return true;
  }

  /// A clock that is contradicted this often does not keep the assumptions in between either.
  void break_altogether(std::size_t domain) {
    const auto begin = result_.is_broken.begin() + static_cast<std::ptrdiff_t>(node(domain, 0));
    const auto broken =
        static_cast<double>(std::count(begin, begin + static_cast<std::ptrdiff_t>(correction_.knots), true));
    if (broken > ClockTuning::kMostBroken * static_cast<double>(correction_.knots)) break_all(domain);
  }

  void break_all(std::size_t domain) {
    for (std::size_t k = 0; domain != reference_ && k < correction_.knots; ++k)
      result_.is_broken[node(domain, k)] = true;
  }

  /// How far a clock can drift from one knot to the next; the allowed rate changes linearly between them.
  float way_between(std::size_t a, std::size_t b) const {
    const auto own = [&](std::size_t i) { return static_cast<double>(result_.rate[i] - bend_[i]); };
    const auto bend = static_cast<double>(std::max(bend_[a], bend_[b]));
    return static_cast<float>((bend + (own(a) + own(b)) / 2) * correction_.spacing_ns);
  }

  /// [latencies]: the least delay of any message, for T2. The quickest of few messages need not be quick; such a pair
  /// gets the least latency of all.
  std::vector<double> latency_floors() const {
    std::vector<double> floors = smallest_;
    const double least = least_known(floors);
    for (std::size_t e = 0; e < samples_.pairs().size(); ++e)
      for (const ClockCells& side : samples_.pairs()[e].sides) {
        std::uint64_t messages = 0;
        for (const ClockCell& cell : side.cells()) messages += cell.messages;
        if (messages < ClockTuning::kFewMessages) floors[e] = std::min(floors[e], least);
      }
    return floors;
  }

  void add_edges() {
    std::vector<double> floors = latency_floors();
    if (!has_t2()) std::ranges::fill(floors, 0.0);
    edges_.clear();
    for (const ClockConstraint& one : tight_) {
      const std::size_t sent = nearest(one.sent_ns), received = nearest(one.received_ns);
      const std::size_t from = node(one.to, received), to = node(one.from, sent);
      if (one.slack_ns < -tick_ns(one.to) || result_.is_broken[from] || result_.is_broken[to]) continue;
      const double way =
          static_cast<double>(result_.rate[to]) * std::abs(one.sent_ns - correction_.knot_ns(sent)) +
          static_cast<double>(result_.rate[from]) * std::abs(one.received_ns - correction_.knot_ns(received)) +
          ClockTuning::kRoundingNs;
      const double slack = one.slack_ns + tick_ns(one.to);
      const double t2_slack = std::max(0.0, slack - assumptions_.latency_share * floors[one.latency]);
      edges_.push_back({static_cast<std::uint32_t>(from),
                        static_cast<std::uint32_t>(to),
                        {static_cast<float>(slack + way), static_cast<float>(t2_slack + way)}});
    }
    for (std::size_t h = 0; h < correction_.domains; ++h) {
      if (h == reference_) continue;
      for (std::size_t k = 0; k + 1 < correction_.knots; ++k) {
        const std::size_t a = node(h, k), b = node(h, k + 1);
        if (result_.is_broken[a] || result_.is_broken[b]) continue;
        const float length = way_between(a, b);
        edges_.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), {length, length}});
        edges_.push_back({static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(a), {length, length}});
      }
    }
  }

  const ClockSamples& samples_;
  const ClockCorrection& correction_;
  std::size_t reference_;
  const ClockAssumptions& assumptions_;
  std::vector<ClockConstraint> tight_;
  std::vector<ClockMeeting> meetings_;
  std::vector<double> unobservable_;  // [domain]: unobservable_ns()
  std::vector<double> smallest_;      // [latencies]: smallest_latencies()
  std::vector<bool> has_exchange_;    // [domain][knot]: two_way()
  std::vector<bool> is_busy_;         // [domain][knot]: busy_knots()
  std::vector<double> unfollowed_;    // [domain][knot]: unfollowed_rates()
  bool is_steady_;
  std::vector<double> doubts_;
  std::vector<ClockEdge> edges_;
  std::vector<bool> is_slewed_;  // [domain]: its rate changes as that of no oscillator
  std::vector<float> bend_;      // [domain][knot]: the part of the rate that comes from bends of the fit
  ClockCertificate result_;
};

}  // namespace

ClockCertificate certify(const ClockSamples& samples, const ClockCorrection& correction, std::size_t reference,
                         const ClockAssumptions& assumptions) {
  return Certifier{samples, correction, reference, assumptions}.run();
}

}  // namespace meridian
