// SPDX-License-Identifier: Apache-2.0
#include "merger/match/messages/race_search.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

namespace meridian {
namespace {

constexpr std::size_t kStepsForEach = 64;  // of the search, for each message
constexpr std::size_t kFewestSteps = 4096;

/// Which rules an order has to keep.
struct Rules {
  bool order_of_threads = true;  ///< a call that ended before another began comes first, also in another thread
  bool times = true;
};

/// The calls of one side, by thread. The calls of a thread are taken in their order.
class Chains {
 public:
  template <class Item, class Order>
  Chains(std::span<const Item> items, Order&& order) {
    std::vector<std::uint32_t> threads;
    for (std::uint32_t i = 0; i < items.size(); ++i) {
      const auto known = std::ranges::find(threads, items[i].span.thread);
      const auto chain = static_cast<std::size_t>(known - threads.begin());
      if (known == threads.end()) {
        threads.push_back(items[i].span.thread);
        calls_.emplace_back();
      }
      calls_[chain].push_back(i);
      spans_.push_back(items[i].span);
      order_.push_back(order(items[i]));
    }
    taken_.resize(calls_.size());
  }

  std::size_t size() const noexcept { return calls_.size(); }
  bool is_empty(std::size_t chain) const noexcept { return taken_[chain] == calls_[chain].size(); }
  std::uint32_t head(std::size_t chain) const noexcept { return calls_[chain][taken_[chain]]; }
  void take(std::size_t chain) noexcept { ++taken_[chain]; }
  void give_back(std::size_t chain) noexcept { --taken_[chain]; }
  std::span<const std::uint32_t> taken() const noexcept { return taken_; }

  /// The chains whose next call may come next, the most likely one first.
  void candidates(bool has_order_of_threads, std::vector<std::uint32_t>& chains) const {
    chains.clear();
    std::uint64_t first_leave = std::numeric_limits<std::uint64_t>::max();
    std::size_t first = calls_.size();
    for (std::size_t c = 0; c < calls_.size(); ++c)
      if (!is_empty(c) && spans_[head(c)].leave_ticks < first_leave) {
        first_leave = spans_[head(c)].leave_ticks;
        first = c;
      }
    for (std::uint32_t c = 0; c < calls_.size(); ++c)
      if (!is_empty(c) && (c == first || !has_order_of_threads || spans_[head(c)].enter_ticks < first_leave))
        chains.push_back(c);
    std::ranges::stable_sort(chains, {}, [this](std::uint32_t c) { return order_[head(c)]; });
  }

 private:
  std::vector<std::vector<std::uint32_t>> calls_;
  std::vector<std::uint32_t> taken_;
  std::vector<CallSpan> spans_;
  std::vector<std::uint64_t> order_;
};

class Search {
 public:
  Search(std::span<const RacingSend> sends, std::span<const RacingReceive> receives)
      : sends_{sends},
        receives_{receives},
        from_{sends, [](const RacingSend& send) { return send.span.leave_ticks; }},
        to_{receives, [](const RacingReceive& receive) {
              return receive.is_open ? std::numeric_limits<std::uint64_t>::max() : receive.span.leave_ticks;
            }} {}

  using Path = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // chains of the send and of the receive

  /// The longest order of at most `count` messages that is found from here on.
  Path longest(std::size_t count, Rules rules) {
    rules_ = rules;
    dead_.clear();
    std::size_t depth = 0;
    Path path, best;
    open(depth);
    for (std::size_t steps = kFewestSteps + kStepsForEach * count; steps != 0; --steps) {
      Frame& frame = frames_[depth];
      if (frame.next == frame.pairs.size()) {  // a dead end
        if (depth == 0) break;
        dead_.insert(state());
        undo(path);
        --depth;
        continue;
      }
      const auto [send, receive] = frame.pairs[frame.next++];
      take(path, send, receive);
      if (path.size() > best.size()) best = path;
      if (path.size() == count) break;
      if (is_hopeless() || dead_.contains(state())) {
        undo(path);
        continue;
      }
      open(++depth);
    }
    while (!path.empty()) undo(path);
    return best;
  }

  void keep(const Path& path, RaceOrder& order) {
    for (const auto& [send, receive] : path) {
      order.sends.push_back(from_.head(send));
      order.receives.push_back(to_.head(receive));
      from_.take(send);
      to_.take(receive);
    }
  }
  /// Pairs the next calls although they do not fit.
  Path forced() {
    from_.candidates(true, send_chains_);
    to_.candidates(true, receive_chains_);
    for (const std::uint32_t receive : receive_chains_)
      for (const std::uint32_t send : send_chains_)
        if (is_in_time(sends_[from_.head(send)], receives_[to_.head(receive)])) return {{send, receive}};
    return {{send_chains_.front(), receive_chains_.front()}};
  }

 private:
  struct Frame {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  // that may come next
    std::size_t next = 0;
  };

  static bool is_in_time(const RacingSend& send, const RacingReceive& receive) noexcept {
    return send.enter_ns < receive.leave_ns;
  }
  bool fits(const RacingSend& send, const RacingReceive& receive) const noexcept {
    if (rules_.times && !is_in_time(send, receive)) return false;
    if (receive.bytes < 0 || send.bytes == kUnknownBytes) return true;
    const auto bytes = static_cast<std::uint64_t>(receive.bytes);
    return send.bytes == bytes || (receive.has_failed && send.bytes > bytes);
  }

  void open(std::size_t depth) {
    if (frames_.size() == depth) frames_.emplace_back();
    Frame& frame = frames_[depth];
    frame.pairs.clear();
    frame.next = 0;
    from_.candidates(rules_.order_of_threads, send_chains_);
    to_.candidates(rules_.order_of_threads, receive_chains_);
    for (const std::uint32_t send : send_chains_)
      for (const std::uint32_t receive : receive_chains_)
        if (fits(sends_[from_.head(send)], receives_[to_.head(receive)])) frame.pairs.emplace_back(send, receive);
  }

  /// Whether all remaining messages were sent too late for one of the receives.
  bool is_hopeless() const noexcept {
    if (!rules_.times) return false;
    std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
    for (std::size_t c = 0; c < from_.size(); ++c)
      if (!from_.is_empty(c)) first_ns = std::min(first_ns, sends_[from_.head(c)].enter_ns);
    for (std::size_t c = 0; c < to_.size(); ++c)
      if (!to_.is_empty(c) && receives_[to_.head(c)].leave_ns <= first_ns) return true;
    return false;
  }

  void take(Path& path, std::uint32_t send, std::uint32_t receive) {
    path.emplace_back(send, receive);
    from_.take(send);
    to_.take(receive);
  }
  void undo(Path& path) {
    from_.give_back(path.back().first);
    to_.give_back(path.back().second);
    path.pop_back();
  }

  std::uint64_t state() const noexcept {
    std::uint64_t hash = 0;
    for (const Chains* side : {&from_, &to_})
      for (const std::uint32_t taken : side->taken()) hash = mix((hash ^ taken) * 0x9e3779b97f4a7c15ULL + 1);
    return hash;
  }

  std::span<const RacingSend> sends_;
  std::span<const RacingReceive> receives_;
  Chains from_, to_;
  Rules rules_;
  std::vector<Frame> frames_;
  std::unordered_set<std::uint64_t> dead_;  // states from which no order is possible
  std::vector<std::uint32_t> send_chains_, receive_chains_;
};

}  // namespace

RaceOrder find_race_order(std::span<const RacingSend> sends, std::span<const RacingReceive> receives, std::size_t count,
                          bool has_one_clock) {
  RaceOrder order;
  Search search{sends, receives};
  while (order.sends.size() < count) {
    const std::size_t missing = count - order.sends.size();
    Search::Path best = search.longest(missing, {});
    const auto try_with = [&](Rules rules) {
      if (best.size() == missing) return;
      Search::Path path = search.longest(missing, rules);
      if (path.size() > best.size()) best = std::move(path);
    };
    if (!has_one_clock) try_with({true, false});
    try_with({false, true});
    search.keep(best, order);
    if (order.sends.size() == count) break;
    search.keep(search.forced(), order);
    order.is_possible = false;
  }
  return order;
}

}  // namespace meridian
