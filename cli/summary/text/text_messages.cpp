// SPDX-License-Identifier: Apache-2.0
// Sections MESSAGES (totals) and WHO SENDS TO WHOM (matrix of ranks, of hosts, or of blocks of ranks).

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr std::size_t kRanksInMatrix = 12;
constexpr std::size_t kBlocks = 8;  ///< number of hosts or blocks when there are more ranks
constexpr std::size_t kTopPairs = 5;

/// Formats in at most five characters: "12.3K".
std::string cell_bytes(double bytes) {
  if (bytes == 0) return ".";
  std::string text = human_bytes(bytes);
  text = text.substr(text.find_first_not_of("> "));
  const std::size_t blank = text.find(' ');
  return text[blank + 1] == 'B' ? text.substr(0, blank) : text.substr(0, blank) + text[blank + 1];
}

/// Formats in at most five characters: "12345", "123k".
std::string cell_count(double count) {
  if (count == 0) return ".";
  if (count < 99999.5) return fmt::format("{:.0f}", count);
  for (const char unit : {'k', 'M', 'G', 'T', 'P', 'E'}) {
    count /= 1000;
    if (count < 999.5)
      return count < 99.95 ? fmt::format("{:.1f}{}", count, unit) : fmt::format("{:.0f}{}", count, unit);
  }
  return "> 1E";
}

/// Rows and columns of the matrix, and the mapping of ranks to them.
struct Grouping {
  std::string what;                 ///< "rank", "host", "block of ranks"
  std::vector<std::string> labels;  ///< of the rows
  std::vector<std::string> titles;  ///< of the columns
  std::map<std::int32_t, std::size_t> group_of;
};

std::string letter(std::size_t index) { return std::string(1, static_cast<char>('A' + index)); }

Grouping group_by_rank(const std::vector<std::int32_t>& ranks) {
  Grouping grouping{"rank", {}, {}, {}};
  for (const std::int32_t rank : ranks) {
    grouping.group_of[rank] = grouping.labels.size();
    grouping.labels.push_back(fmt::format("{}", rank));
  }
  grouping.titles = grouping.labels;
  return grouping;
}

Grouping group_by_host(const Summary& summary) {
  Grouping grouping{"host", {}, {}, {}};
  std::map<std::string, std::size_t> hosts;
  for (const RankSummary& rank : summary.ranks) {
    const auto [host, is_new] = hosts.emplace(rank.host, hosts.size());
    grouping.group_of[rank.rank] = host->second;
    if (!is_new) continue;
    grouping.titles.push_back(letter(host->second));
    grouping.labels.push_back(letter(host->second) + " " + printable(rank.host));
  }
  return grouping;
}

Grouping group_by_block(const std::vector<std::int32_t>& ranks) {
  Grouping grouping{"block of ranks", {}, {}, {}};
  for (std::size_t block = 0; block < kBlocks; ++block) {
    const std::size_t first = block * ranks.size() / kBlocks;
    const std::size_t end = (block + 1) * ranks.size() / kBlocks;
    for (std::size_t i = first; i < end; ++i) grouping.group_of[ranks[i]] = block;
    grouping.titles.push_back(letter(block));
    grouping.labels.push_back(fmt::format("{} {}-{}", letter(block), ranks[first], ranks[end - 1]));
  }
  return grouping;
}

Grouping choose_grouping(const Summary& summary) {
  // A rank without a rank file may still send or receive messages.
  std::set<std::int32_t> ranks;
  std::set<std::string> hosts;
  for (const RankSummary& rank : summary.ranks) {
    ranks.insert(rank.rank);
    hosts.insert(rank.host);
  }
  const bool every_rank_has_a_host =
      std::all_of(summary.pairs.begin(), summary.pairs.end(),
                  [&](const PairSummary& pair) { return ranks.contains(pair.source) && ranks.contains(pair.dest); });
  for (const PairSummary& pair : summary.pairs) ranks.insert({pair.source, pair.dest});
  const std::vector<std::int32_t> order(ranks.begin(), ranks.end());
  if (order.size() <= kRanksInMatrix) return group_by_rank(order);
  if (every_rank_has_a_host && hosts.size() > 1 && hosts.size() <= kBlocks) return group_by_host(summary);
  return group_by_block(order);
}

template <class Value, class Cell>
std::string matrix(const Summary& summary, const Grouping& grouping, const char* corner, const Paint& paint,
                   Value value, Cell cell) {
  const std::size_t size = grouping.labels.size();
  std::vector<double> sums(size * size);
  for (const PairSummary& pair : summary.pairs)
    sums[grouping.group_of.at(pair.source) * size + grouping.group_of.at(pair.dest)] +=
        static_cast<double>(value(pair));
  std::vector<Table::Column> columns{{corner, Align::left}};
  for (const std::string& title : grouping.titles) columns.push_back({title});
  Table table{std::move(columns)};
  for (std::size_t row = 0; row < size; ++row) {
    std::vector<std::string> cells{grouping.labels[row]};
    for (std::size_t column = 0; column < size; ++column) cells.push_back(cell(sums[row * size + column]));
    table.add(std::move(cells));
  }
  return table.text([&](const std::string& line) { return paint.title(line); });
}

std::string top_pairs(const Summary& summary, const Paint& paint) {
  std::vector<const PairSummary*> order;
  for (const PairSummary& pair : summary.pairs) order.push_back(&pair);
  const std::size_t shown = std::min(kTopPairs, order.size());
  const auto is_before = [](const PairSummary* a, const PairSummary* b) {
    if (a->bytes != b->bytes) return a->bytes > b->bytes;
    return a->source != b->source ? a->source < b->source : a->dest < b->dest;
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(), is_before);
  Table table{{{"most bytes", Align::left}, {"from"}, {"to"}, {"messages"}, {"bytes"}}};
  for (std::size_t i = 0; i < shown; ++i)
    table.add({fmt::format("{}.", i + 1), fmt::format("{}", order[i]->source), fmt::format("{}", order[i]->dest),
               human_count(order[i]->messages), human_bytes(order[i]->bytes)});
  return table.text([&](const std::string& line) { return paint.title(line); });
}

std::string labelled(const char* label, const std::string& value) {
  constexpr std::size_t kBegin = 18;
  return wrapped(value, kBegin, prose_width()).replace(0, kBegin, fmt::format("  {:<{}}", label, kBegin - 2));
}

}  // namespace

std::string messages_section(const Summary& summary, const Paint& paint) {
  const MessageSummary& messages = summary.messages;
  std::string result;
  if (messages.matched > 0)
    result +=
        labelled("point to point",
                 fmt::format("{} messages, {}, mean {}", human_count(messages.matched), human_bytes(messages.bytes),
                             human_bytes(static_cast<double>(messages.bytes) / static_cast<double>(messages.matched))));
  if (messages.unmatched_sends > 0 || messages.unmatched_receives > 0)
    result += labelled("without partner", fmt::format("{} sends, {} receives", human_count(messages.unmatched_sends),
                                                      human_count(messages.unmatched_receives)));
  if (messages.collectives > 0)
    result += labelled("collectives",
                       fmt::format("{} in {} calls, {} sent, {} received", human_count(messages.collectives),
                                   human_count(messages.collective_calls), human_bytes(messages.collective_bytes_sent),
                                   human_bytes(messages.collective_bytes_received)));
  return result.empty() ? result : paint.heading("MESSAGES") + "\n" + result;
}

std::string pairs_section(const Summary& summary, const Paint& paint) {
  if (summary.pairs.empty()) return {};
  const Grouping grouping = choose_grouping(summary);
  std::string result =
      paint.heading(fmt::format("WHO SENDS TO WHOM (row: sending {}; K = 1024)", grouping.what)) + "\n";
  result += matrix(
      summary, grouping, "messages", paint, [](const PairSummary& pair) { return pair.messages; }, cell_count);
  result += matrix(
      summary, grouping, "bytes", paint, [](const PairSummary& pair) { return pair.bytes; }, cell_bytes);
  if (grouping.what != "rank") result += top_pairs(summary, paint);
  return result;
}

}  // namespace meridian
