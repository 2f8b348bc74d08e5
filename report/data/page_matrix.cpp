// SPDX-License-Identifier: Apache-2.0
#include "report/data/page_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "report/data/encoding.hpp"

namespace meridian {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kShareParts = 10'000;

struct Cell {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};
/// By source and destination, as numbers of groups.
using Cells = std::map<std::pair<std::size_t, std::size_t>, Cell>;

std::size_t group_size(std::size_t count) {
  return std::max<std::size_t>(1, (count + kMostMatrixSide - 1) / kMostMatrixSide);
}

Json packed(const Cells& cells, std::size_t count) {
  PackedNumbers from, to, messages, bytes;
  for (const auto& [ends, cell] : cells) {
    from.add(ends.first);
    to.add(ends.second);
    messages.add(cell.messages);
    bytes.add(cell.bytes);
  }
  return {{"count", count},
          {"group", group_size(count)},
          {"from", packed_text(from.bytes())},
          {"to", packed_text(to.bytes())},
          {"messages", packed_text(messages.bytes())},
          {"bytes", packed_text(bytes.bytes())}};
}

}  // namespace

Json page_matrix(const Summary& summary, const MergedDefinitions& definitions) {
  std::int32_t last_rank = -1;
  std::unordered_map<std::string, std::size_t> number_of_host;
  std::unordered_map<std::int32_t, std::size_t> host_of;
  Json names = Json::array();
  for (const MergedRank& rank : definitions.ranks) {
    last_rank = std::max(last_rank, rank.rank);
    const auto [host, is_new] = number_of_host.emplace(rank.host, number_of_host.size());
    host_of[rank.rank] = host->second;
    if (is_new) names.push_back(rank.host);
  }
  for (const PairSummary& pair : summary.pairs) last_rank = std::max({last_rank, pair.source, pair.dest});
  const std::size_t ranks = static_cast<std::size_t>(last_rank) + 1, hosts = names.size();
  Cells by_rank, by_host;
  const auto add = [](Cell& cell, const PairSummary& pair) {
    cell.messages += pair.messages;
    cell.bytes += pair.bytes;
  };
  for (const PairSummary& pair : summary.pairs) {
    if (pair.source < 0 || pair.dest < 0) continue;
    const std::size_t group = group_size(ranks);
    add(by_rank[{static_cast<std::size_t>(pair.source) / group, static_cast<std::size_t>(pair.dest) / group}], pair);
    const auto source = host_of.find(pair.source), dest = host_of.find(pair.dest);
    if (source != host_of.end() && dest != host_of.end())
      add(by_host[{source->second / group_size(hosts), dest->second / group_size(hosts)}], pair);
  }
  Json json{{"ranks", packed(by_rank, ranks)}, {"hosts", packed(by_host, hosts)}};
  json["hosts"]["names"] = std::move(names);
  return json;
}

Json page_shares(const Summary& summary) {
  PackedNumbers ranks, shares;
  std::int32_t last = 0;
  for (const RankSummary& rank : summary.ranks) {
    ranks.add_signed(rank.rank - std::exchange(last, rank.rank));
    shares.add(static_cast<std::uint64_t>(std::llround(std::clamp(rank_mpi_share(rank), 0.0, 1.0) * kShareParts)));
  }
  return {{"parts", kShareParts}, {"rank", packed_text(ranks.bytes())}, {"share", packed_text(shares.bytes())}};
}

}  // namespace meridian
