// SPDX-License-Identifier: Apache-2.0
// Messages by pair of ranks, of hosts and by communicator: what the network takes, and which sizes of MPI_Send wait for the
// receiver.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/walk/number_table.hpp"
#include "analysis/walk/trace_visitor.hpp"
#include "merged/model/wait_sink.hpp"
#include "trace/model/call_id.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kSmallBytes = 1 << 10, kLargeBytes = 1 << 16;
constexpr std::size_t kMostLinks = 100'000;  // further pairs are not listed
constexpr std::size_t kNoLink = SIZE_MAX;

struct LinkTimes {
  std::uint64_t messages = 0, bytes = 0, small = 0, large = 0;
  std::int64_t shortest_ns = INT64_MAX;
  double fastest = 0;

  void add(const LinkTimes& other) {
    messages += other.messages;
    bytes += other.bytes;
    small += other.small;
    large += other.large;
    shortest_ns = std::min(shortest_ns, other.shortest_ns);
    fastest = std::max(fastest, other.fastest);
  }
};

/// The messages from one rank to another one.
struct Link {
  std::int32_t source = 0, dest = 0;
  LinkTimes times;
};

/// Those on one communicator.
struct LinkTraffic {
  std::int32_t comm = 0, source = 0, dest = 0;
  std::uint64_t messages = 0, bytes = 0;
};

/// In order, which is not that in which they were found.
template <class Row, class Key>
std::vector<Row> sorted(std::vector<Row> rows, Key key) {
  std::ranges::sort(rows, {}, key);
  return rows;
}

class LinkFinder final : public BackwardVisitor {
 public:
  explicit LinkFinder(const EventWindow& window) : window_{window}, trace_{window.trace()} {
    const MergedDefinitions& definitions = trace_.definitions();
    for (const MergedCall& call : definitions.calls) {
      const CallId id = call_by_name(call.name);
      is_standard_send_.push_back(id == CallId::Send || id == CallId::Send_c);
    }
    for (const MergedLocation& location : definitions.locations) ranks_.push_back(location.rank);
  }

  Status look_at(const MergedBatch& batch) override {
    for (const MergedEvent& event : batch.events)
      for (const EventLink& link : batch.links_of(event)) {
        if (link.kind != LinkKind::sent) continue;
        MERIDIAN_TRY(const MergedMessage message, trace_.message(link.number, event));
        if (is_of_user(message.comm)) continue;
        MERIDIAN_TRY(const WindowEvent post, window_.event(message.post));
        MERIDIAN_TRY(const WindowEvent completion, window_.event(message.completion));
        add(event, message, post, completion);
      }
    return {};
  }

  Status finish(Summary& summary) override {
    store(summary);
    return {};
  }

 private:
  bool is_of_user(std::int32_t comm) const {
    const auto& list = trace_.definitions().communicators;
    return comm >= 0 && static_cast<std::size_t>(comm) < list.size() &&
           list[static_cast<std::size_t>(comm)].kind == "user";
  }

  void add(const MergedEvent& send, const MergedMessage& message, const WindowEvent& post,
           const WindowEvent& completion) {
    LinkTimes one{.messages = 1, .bytes = message.bytes};
    const bool is_awaited = completion.enter_ns <= send.enter_ns;
    const bool makes_wait =
        post.row == completion.row && send.enter_ns < post.enter_ns && post.enter_ns < send.leave_ns();
    const std::int64_t ns = completion.leave_ns - std::max(send.enter_ns, post.enter_ns);
    if (ns > 0 && is_awaited && message.bytes < kSmallBytes) {
      one.small = 1;
      one.shortest_ns = ns;
    }
    if (ns > 0 && (is_awaited || makes_wait) && message.bytes >= kLargeBytes) {
      one.large = 1;
      one.fastest = static_cast<double>(message.bytes) / seconds(ns);
    }
    if (const std::size_t link = link_of(ranks_[send.location], ranks_[completion.location]); link != kNoLink) {
      links_[link].times.add(one);
      if (message.comm >= 0) count(link, message);
    }
    if (send.call < is_standard_send_.size() && is_standard_send_[send.call] && send.enter_ns < post.enter_ns)
      ++protocols_[static_cast<std::size_t>(std::bit_width(message.bytes))][send.leave_ns() > post.enter_ns ? 1 : 0];
  }

  std::size_t link_of(std::int32_t source, std::int32_t dest) {
    const std::uint64_t key = pair_of(source, dest);
    if (const std::uint32_t* const known = link_numbers_.find(key); known != nullptr) return *known;
    if (links_.size() >= kMostLinks) return kNoLink;
    link_numbers_[key] = static_cast<std::uint32_t>(links_.size());
    links_.push_back({source, dest, {}});
    return links_.size() - 1;
  }
  void count(std::size_t link, const MergedMessage& message) {
    const std::uint64_t key = pair_of(message.comm, static_cast<std::int32_t>(link));
    const std::uint32_t* known = traffic_numbers_.find(key);
    if (known == nullptr) {
      if (traffic_.size() >= kMostLinks) return;
      known = &(traffic_numbers_[key] = static_cast<std::uint32_t>(traffic_.size()));
      traffic_.push_back({message.comm, links_[link].source, links_[link].dest, 0, 0});
    }
    ++traffic_[*known].messages;
    traffic_[*known].bytes += message.bytes;
  }
  static std::uint64_t pair_of(std::int32_t a, std::int32_t b) noexcept {
    return std::uint64_t{static_cast<std::uint32_t>(a)} << 32 | static_cast<std::uint32_t>(b);
  }

  static LinkSummary row_of(std::string scope, std::string source, std::string dest, const LinkTimes& times) {
    return {std::move(scope),
            std::move(source),
            std::move(dest),
            times.messages,
            times.bytes,
            times.small,
            times.small == 0 ? 0 : seconds(times.shortest_ns),
            times.large,
            times.fastest};
  }

  void store(Summary& summary) const {
    const MergedDefinitions& definitions = trace_.definitions();
    const auto host_of = [&](std::int32_t rank) {
      const MergedRank* const found = definitions.find_rank(rank);
      return found == nullptr ? std::string{} : found->host;
    };
    std::map<std::pair<std::string, std::string>, LinkTimes> hosts;
    summary.links.clear();
    for (const Link& link : sorted(links_, [](const Link& row) { return std::pair{row.source, row.dest}; })) {
      summary.links.push_back(row_of("ranks", std::to_string(link.source), std::to_string(link.dest), link.times));
      hosts[{host_of(link.source), host_of(link.dest)}].add(link.times);
    }
    for (const auto& [pair, times] : hosts) summary.links.push_back(row_of("hosts", pair.first, pair.second, times));
    summary.comm_pairs.clear();
    const auto place = [](const LinkTraffic& row) { return std::tuple{row.comm, row.source, row.dest}; };
    for (const LinkTraffic& row : sorted(traffic_, place)) {
      const auto number = static_cast<std::size_t>(row.comm);
      const auto& list = definitions.communicators;
      summary.comm_pairs.push_back({static_cast<std::uint32_t>(row.comm), number < list.size() ? list[number].name : "",
                                    row.source, row.dest, row.messages, row.bytes});
    }
    summary.send_protocols.clear();
    for (std::size_t k = 0; k < protocols_.size(); ++k)
      if (const auto& [returned, waited] = protocols_[k]; returned + waited != 0)
        summary.send_protocols.push_back({k == 0 ? 0 : std::uint64_t{1} << (k - 1), returned, waited});
  }

  const EventWindow& window_;
  const MergedTrace& trace_;
  std::vector<bool> is_standard_send_;  // [call]
  std::vector<std::int32_t> ranks_;     // [location]
  std::vector<Link> links_;
  std::vector<LinkTraffic> traffic_;
  NumberTable<std::uint32_t> link_numbers_, traffic_numbers_;  // [source, dest], [comm, number of the link]
  std::array<std::array<std::uint64_t, 2>, 65> protocols_{};   // [bits of the size]
};

}  // namespace

Result<std::unique_ptr<BackwardVisitor>> find_link_speeds(const EventWindow& window, const Summary&, WaitSink*) {
  return std::unique_ptr<BackwardVisitor>{std::make_unique<LinkFinder>(window)};
}

}  // namespace meridian
