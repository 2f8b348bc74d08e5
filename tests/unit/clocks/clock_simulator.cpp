// SPDX-License-Identifier: Apache-2.0
#include "clock_simulator.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numbers>
#include <numeric>

#include "random_numbers.hpp"
#include "tcp_round_trips.hpp"

namespace meridian::test {
namespace {

constexpr double kNs = 1e9;
constexpr double kStandsStill = 2e-3, kSuspended = 0.7;
constexpr double kFalseTripNs = 20'000, kFalseMessages = 0.02;
constexpr std::int64_t kFalseMessageNs = 30'000;

double hash_unit(std::uint64_t a, std::uint64_t b, std::uint64_t salt) {
  std::uint64_t h = a * 1000003 + b + salt;
  h ^= h >> 13;
  h *= 0x9E3779B97F4A7C15ULL;
  h ^= h >> 31;
  h *= 0xD1B54A32D192ED03ULL;
  h ^= h >> 29;
  return static_cast<double>(h % 10007) / 10007.0;
}

}  // namespace

SimulatedClock::SimulatedClock(const Scenario& scenario, int host, std::mt19937_64& random) {
  const auto range = [&](double low, double high) { return low + (high - low) * unit(random); };
  tick_ns_ = scenario.tick_ns;
  offset_ns_ = 1e12 + range(0, 1e12);
  skew_ = std::clamp(20e-6 * gauss(random), -80e-6, 80e-6) * (scenario.has_skew ? 1 : 0);
  const auto points = static_cast<std::size_t>((scenario.seconds + 20) / kGrid) + 5;
  phase_ns_.assign(points, 0);
  const double sine = range(.02, .2) * 1e-6, period = range(200, 900), shift = range(0, 6.28);
  const double warming = range(.1, .6) * 1e-6 * (unit(random) < .5 ? -1 : 1), warm_s = range(40, 150);
  const bool is_victim = host == scenario.victim();
  const double step_s = scenario.fault_s();
  if (is_victim) {
    const double still_s = scenario.fault == Fault::stands_still ? kStandsStill
                           : scenario.fault == Fault::suspended  ? kSuspended
                                                                 : 0;
    sets_.push_back({step_s, scenario.step_ns, still_s});
  }
  for (const ClockSet& one : scenario.sets)
    if (one.host == host) sets_.push_back({5 + one.at_s, one.size_ns, one.still_s});
  std::ranges::stable_sort(sets_, {}, &Set::at_s);
  double walk = 0, slew = 0;
  for (std::size_t i = 1; i < points; ++i) {
    const double t = static_cast<double>(i) * kGrid;
    double rate = 0;
    if (scenario.drift >= Drift::thermal) {
      walk += 1e-9 * std::sqrt(kGrid) * gauss(random);
      if (scenario.has_warmth)
        rate += sine * std::sin(2 * std::numbers::pi * t / period + shift) + warming * (1 - std::exp(-t / warm_s));
      if (scenario.has_walk) rate += walk;
    }
    if (scenario.drift == Drift::slewed) {
      if (std::fmod(t, 32.0) < kGrid) slew = range(-10, 10) * 1e-6;
      rate += slew;
    }
    for (const Slew& one : scenario.slews)
      if (one.host == host && t > 5 + one.at_s && t <= 5 + one.at_s + one.seconds + kGrid / 2) rate += one.ppm * 1e-6;
    if (is_victim && scenario.fault == Fault::rate_step && t >= step_s) rate += 30e-6;
    const bool is_wild = host == 0 ? scenario.fault == Fault::reference_wobbles : scenario.drift == Drift::wild;
    if (is_wild) rate += 60e-6 * std::sin(2 * std::numbers::pi * t / 1.7 + shift);
    phase_ns_[i] = phase_ns_[i - 1] + rate * kGrid * kNs;
  }
}

double SimulatedClock::raw(double true_s) const {
  double seconds = true_s, set_ns = 0, stood_s = 0;
  for (const Set& one : sets_) {
    if (true_s < one.at_s) break;
    seconds = std::max(one.at_s - stood_s, seconds - one.still_s);
    stood_s += one.still_s;
    set_ns += one.size_ns;
  }
  const double at = std::max(0.0, seconds / kGrid);
  const std::size_t i = std::min(static_cast<std::size_t>(at), phase_ns_.size() - 2);
  const double share = at - static_cast<double>(i);
  return offset_ns_ + seconds * kNs * (1 + skew_) + phase_ns_[i] * (1 - share) + phase_ns_[i + 1] * share + set_ns;
}

bool SimulatedClock::is_still_at(double seconds) const {
  return std::ranges::any_of(sets_,
                             [&](const Set& one) { return seconds >= one.at_s && seconds < one.at_s + one.still_s; });
}

std::int64_t SimulatedClock::set_by_ns(double seconds) const {
  double sum = 0;
  for (const Set& one : sets_)
    if (seconds >= one.at_s) sum += one.size_ns - std::min(one.still_s, seconds - one.at_s) * kNs;
  return std::llround(sum);
}

SimulatedRun::SimulatedRun(const Scenario& scenario_, bool with_calls)
    : scenario{scenario_}, with_calls_{with_calls}, random_{scenario_.seed} {
  for (int host = 0; host < scenario.hosts; ++host) clocks.emplace_back(scenario, host, random_);
  for (int rank = 0; rank < ranks(); ++rank) {
    RankMeta& meta = metas.emplace_back();
    meta.rank = rank;
    meta.size = ranks();
    meta.pid = 1000 + rank;
    meta.hostname = "node" + std::to_string(host_of(rank));
    meta.executable = "./simulated";
    const bool is_slewed = scenario.drift == Drift::slewed || !scenario.slews.empty();
    meta.clock = is_slewed ? ClockKind::monotonic : ClockKind::monotonic_raw;
    meta.domain = 1000 + static_cast<std::uint64_t>(host_of(rank));
    meta.is_finalized = scenario.has_finish;
    meta.texts.push_back({"run", "simulated-1", 0, 0});
    meta.texts.push_back({"tick_hz", "1000000000", 0, 0});
  }
  simulate();
  const auto per_host = static_cast<std::size_t>(scenario.ranks_per_host);
  if (scenario.fault == Fault::wrong_domain)
    for (std::size_t rank = 2 * per_host; rank < 3 * per_host; ++rank) metas[rank].domain = metas[per_host].domain;
  if (scenario.fault == Fault::swapped_ranks) {
    std::swap(metas[2 * per_host - 1].domain, metas[3 * per_host - 1].domain);
    std::swap(metas[2 * per_host - 1].hostname, metas[3 * per_host - 1].hostname);
  }
}

std::vector<const RankMeta*> SimulatedRun::meta_pointers() const {
  std::vector<const RankMeta*> pointers;
  for (const RankMeta& meta : metas) pointers.push_back(&meta);
  return pointers;
}

double SimulatedRun::uniform(double low, double high) { return low + (high - low) * unit(random_); }
double SimulatedRun::exponential(double mean) { return test::exponential(random_, mean); }
double SimulatedRun::normal() { return gauss(random_); }

double SimulatedRun::smallest_delay(int from, int to) const {
  const auto a = static_cast<std::uint64_t>(from), b = static_cast<std::uint64_t>(to);
  const double pair = hash_unit(std::min(a, b), std::max(a, b), 0);
  const double way = 2 * hash_unit(a, b, 17) - 1;
  return scenario.latency_ns * (1 + 0.3 * pair + scenario.asymmetry * way);
}

/// Beyond the smallest delay, in L.
double SimulatedRun::excess(int from, int to, double time_s) {
  switch (scenario.delays) {
    case DelayShape::gamma:
      return exponential(.2) + exponential(.2) + exponential(.2);
    case DelayShape::pareto:
      return std::min(1000.0, .3 * (std::pow(1 - uniform(), -1 / 1.5) - 1));
    case DelayShape::recorded: {
      const RecordedTrip& trip = recorded_trip(time_s, hash_unit(static_cast<std::uint64_t>(std::min(from, to)),
                                                                 static_cast<std::uint64_t>(std::max(from, to)), 29));
      return (from < to ? trip.out / kLeastRecordedOut : trip.back / kLeastRecordedBack) - 1 + uniform(0, .02);
    }
    case DelayShape::mixture:
      break;
  }
  const double p = uniform();
  if (p < .5) return exponential(.05);
  if (p < .9) return exponential(.5);
  if (p < .995) return exponential(3);
  return std::min(1000.0, 10 * std::pow(1 - uniform(), -1 / 1.5));
}

double SimulatedRun::delay(int from, int to, double time_s) {
  if (from == to) return 250 + exponential(100);
  const double l = scenario.latency_ns;
  double ns = smallest_delay(from, to) + l * excess(from, to, time_s);
  double factor = 1;
  for (const FloorChange& one : scenario.floors)
    if (time_s >= 5 + one.at_s) factor = one.factor;
  ns *= factor;
  for (const HostLoad& one : scenario.loads)
    if ((one.host == from || one.host == to) && time_s >= 5 + one.at_s && time_s < 5 + one.at_s + one.seconds)
      ns += exponential(one.late_ns);
  if (scenario.has_queues) {
    // A queue builds for some seconds, drains, and stays empty for as long.
    const double phase = hash_unit(static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to), 41);
    const double length_s = 2 + 6 * phase, at = std::fmod(time_s / length_s + phase, 2.0);
    ns += 4 * l * std::max(0.0, 1 - std::abs(2 * at - 1));
  }
  if (scenario.is_congested)
    for (const auto& [begin, end] :
         congestion_[static_cast<std::size_t>(from) * static_cast<std::size_t>(scenario.hosts) +
                     static_cast<std::size_t>(to)])
      if (time_s > begin && time_s < end) ns += 5 * l + exponential(10 * l);
  return ns;
}

double SimulatedRun::exchange(int from, int to, AnchorPhase phase, double time_s) {
  const auto asker = static_cast<std::size_t>(from), answerer = static_cast<std::size_t>(to);
  const double received = time_s + delay(from, to, time_s) / kNs;
  const double replied = received + 100e-9;
  const double false_s = has_fault(Fault::false_exchanges, to, time_s) ? kFalseTripNs / kNs : 0;
  const double returned = replied + delay(to, from, replied) / kNs;
  metas[asker * static_cast<std::size_t>(scenario.ranks_per_host)].exchanges.push_back(
      {to * scenario.ranks_per_host, phase, clocks[asker].ticks(time_s), clocks[answerer].ticks(received + false_s),
       clocks[answerer].ticks(replied + false_s), clocks[asker].ticks(returned)});
  return returned + 100e-9;
}

double SimulatedRun::exchange_round(AnchorPhase phase, double time_s, int trips) {
  std::vector<std::pair<int, int>> pairs;
  const int hosts = scenario.hosts;
  if (scenario.exchange_pattern == ExchangePattern::star || phase == AnchorPhase::epoch) {
    const int last = phase == AnchorPhase::start ? hosts - scenario.hosts_without_start : hosts;
    for (int h = 1; h < last; ++h) pairs.emplace_back(0, h);
  } else {
    for (int d = 1; d < hosts; d *= 2)
      for (int h = 0; h < hosts; ++h)
        if (const int other = h ^ d; other > h && other < hosts) pairs.emplace_back(h, other);
    std::mt19937_64 fixed{77};
    for (int matching = 0; matching < 3; ++matching) {
      std::vector<int> order(static_cast<std::size_t>(hosts));
      std::iota(order.begin(), order.end(), 0);
      for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[fixed() % i]);
      for (std::size_t i = 0; i + 1 < order.size(); i += 2) pairs.emplace_back(order[i], order[i + 1]);
    }
  }
  double end = time_s;
  for (const auto& [a, b] : pairs) {
    double t = time_s;
    for (int i = 0; i < trips; ++i) t = exchange(a, b, phase, t);
    end = std::max(end, t);
  }
  return end + 1e-5;
}

void SimulatedRun::anchor(AnchorPhase phase, double time_s) {
  for (int rank = 0; rank < ranks(); ++rank) {
    const SimulatedClock& clock = clocks[static_cast<std::size_t>(host_of(rank))];
    const double error_ns = 1e6 * (hash_unit(static_cast<std::uint64_t>(host_of(rank)), scenario.seed, 5) - 0.5);
    metas[static_cast<std::size_t>(rank)].anchors.push_back(
        {phase, clock.ticks(time_s), clock.ticks(time_s) + 40, static_cast<std::int64_t>(clock.ticks(time_s)),
         1'700'000'000'000'000'000 + std::llround(time_s * kNs + error_ns)});
  }
}

void SimulatedRun::simulate() {
  const int count = ranks(), hosts = scenario.hosts;
  const auto size = static_cast<std::size_t>(count);
  if (scenario.is_congested) {
    congestion_.resize(static_cast<std::size_t>(hosts) * static_cast<std::size_t>(hosts));
    for (auto& windows : congestion_)
      if (uniform() < .5)
        for (double t = 0; t <= scenario.seconds; t += 60) {
          const double begin = uniform(0, scenario.seconds);
          windows.emplace_back(begin, begin + uniform(5, 20));
        }
  }
  double t = 5;
  begin_s = t;
  anchor(AnchorPhase::start, t - 0.01);
  if (scenario.has_start) t = exchange_round(AnchorPhase::start, t, 100);
  t += 5e-5;
  calls.resize(with_calls_ ? size : 0);
  std::vector<double> now(size), speed(size);
  for (std::size_t r = 0; r < size; ++r) {
    now[r] = t + uniform(0, 1e-3);
    speed[r] = 1 + .03 * normal();
  }
  struct Arriving {
    double time_s = 0;
    int from = 0;
    std::uint64_t sent_ticks = 0;
  };
  std::vector<std::vector<Arriving>> inbox(size);
  const double end = 5 + scenario.seconds;
  double next_epoch = t + scenario.epoch_s;
  const auto ticks = [&](int rank, double time_s) {
    return clocks[static_cast<std::size_t>(host_of(rank))].ticks(time_s);
  };
  for (int iteration = 0; *std::max_element(now.begin(), now.end()) < end; ++iteration) {
    for (std::size_t r = 0; r < size; ++r) {
      now[r] += std::max(1e-5, scenario.iteration_ms * 1e-3 * speed[r] * (1 + .05 * normal()));
      const double over = scenario.fault_s() + kSuspended;
      if (has_fault(Fault::suspended, host_of(static_cast<int>(r)), now[r]) && now[r] < over) now[r] = over;
      inbox[r].clear();
    }
    const bool crosses = iteration % scenario.only_every == 0;
    const auto send = [&](int from, int to) {
      if (to < 0 || to >= count || to == from) return;
      const int a = host_of(from), b = host_of(to);
      if (a != b && !crosses) return;
      if (const double sent = now[static_cast<std::size_t>(from)]; is_away(a, sent) || is_away(b, sent)) return;
      if (a == b && !with_calls_ && scenario.fault == Fault::none) return;
      double& clock = now[static_cast<std::size_t>(from)];
      const double sent = clock;
      clock += 2e-7;
      inbox[static_cast<std::size_t>(to)].push_back({sent + delay(a, b, sent) / kNs, from, ticks(from, sent)});
      if (with_calls_)
        calls[static_cast<std::size_t>(from)].push_back(
            {SimulatedCall::send, to, ticks(from, sent), ticks(from, sent + 1e-7), sent, sent + 1e-7});
    };
    switch (scenario.pattern) {
      case Pattern::ring:
        for (int r = 0; r < count; ++r) {
          send(r, (r + 1) % count);
          send(r, (r + count - 1) % count);
        }
        break;
      case Pattern::random: {
        std::vector<int> order(static_cast<std::size_t>(count));
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t i = size; i > 1; --i) std::swap(order[i - 1], order[random_() % i]);
        for (std::size_t i = 0; i < size; ++i) {
          send(order[i], order[(i + 1) % size]);
          send(order[(i + 1) % size], order[i]);
        }
        break;
      }
      case Pattern::one_way:
        for (int r = 0; r < count; ++r) send(r, r + 1);
        break;
      case Pattern::torus: {
        int x = static_cast<int>(std::sqrt(count));
        while (count % x != 0) --x;
        const int y = count / x;
        for (int r = 0; r < count; ++r) {
          const int i = r % x, j = r / x;
          send(r, j * x + (i + 1) % x);
          send(r, j * x + (i + x - 1) % x);
          send(r, ((j + 1) % y) * x + i);
          send(r, ((j + y - 1) % y) * x + i);
        }
        break;
      }
      case Pattern::none:
        break;
    }
    for (int r = 0; r < count; ++r)
      for (const Arriving& message : inbox[static_cast<std::size_t>(r)]) {
        double& clock = now[static_cast<std::size_t>(r)];
        const double posted = clock;
        if (is_away(host_of(r), std::max(clock, message.time_s))) continue;
        clock = std::max(clock, message.time_s) + 1.5e-7;
        MatchedMessage row;
        row.send.rank = message.from;
        row.post.rank = row.completion.rank = r;
        row.send_enter_ns = static_cast<std::int64_t>(message.sent_ticks);
        row.receive_leave_ns = static_cast<std::int64_t>(ticks(r, clock));
        if (has_fault(Fault::false_messages, host_of(r), clock) && uniform() < kFalseMessages)
          row.send_enter_ns += kFalseMessageNs;
        messages.push_back(row);
        if (with_calls_)
          calls[static_cast<std::size_t>(r)].push_back(
              {SimulatedCall::receive, message.from, ticks(r, posted), ticks(r, clock), posted, clock});
      }
    const double latest = *std::max_element(now.begin(), now.end());
    const bool is_anybody_away = std::ranges::any_of(scenario.sets, [&](const ClockSet& one) {
      return is_away(one.host,
                     now[static_cast<std::size_t>(one.host) * static_cast<std::size_t>(scenario.ranks_per_host)]) ||
             is_away(one.host, latest) || is_away(one.host, latest + 1e-3);
    });
    if (!is_anybody_away && scenario.collective_every != 0 &&
        iteration % scenario.collective_every == scenario.collective_every - 1) {
      const double last = *std::max_element(now.begin(), now.end());
      std::vector<CollectivePart> parts;
      const double steps = std::ceil(std::log2(std::max(2, count)));
      for (int r = 0; r < count; ++r) {
        double& clock = now[static_cast<std::size_t>(r)];
        CollectivePart part;
        part.instance = collectives.size();
        part.shape = CollectiveShape::all_to_all;
        part.start.rank = part.completion.rank = r;
        part.comm_rank = r;
        part.parts = count;
        const double entered = clock;
        part.enter_ns = static_cast<std::int64_t>(ticks(r, clock));
        clock = last + (scenario.latency_ns * steps * .8 + exponential(scenario.latency_ns)) / kNs;
        part.leave_ns = static_cast<std::int64_t>(ticks(r, clock));
        parts.push_back(part);
        if (with_calls_)
          calls[static_cast<std::size_t>(r)].push_back({SimulatedCall::allreduce, -1,
                                                        static_cast<std::uint64_t>(part.enter_ns),
                                                        static_cast<std::uint64_t>(part.leave_ns), entered, clock});
      }
      collectives.push_back(std::move(parts));
      const double left = *std::max_element(now.begin(), now.end());
      if (scenario.epoch_s > 0 && left > next_epoch) {
        const double over = exchange_round(AnchorPhase::epoch, left + 1e-5, 10);
        for (double& clock : now) clock = over + 2e-6;
        next_epoch = over + scenario.epoch_s;
      }
    }
  }
  t = *std::max_element(now.begin(), now.end()) + 1e-3;
  end_s = t;
  if (scenario.has_finish) end_s = exchange_round(AnchorPhase::finish, t, 100);
  anchor(AnchorPhase::finish, end_s);
}

}  // namespace meridian::test
