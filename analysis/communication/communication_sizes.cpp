// SPDX-License-Identifier: Apache-2.0
// Histogram of the sizes of messages and of the bytes that participants send in collectives, by group of the function.

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <string>

#include "merged/merged_trace.hpp"
#include "summary/summary.hpp"

namespace meridian {
namespace {

/// Bin 0 is for no bytes, bin k for 2^(k-1) bytes up to 2^k - 1.
struct Histogram {
  struct Bin {
    std::uint64_t count = 0, bytes = 0;
  };
  std::array<Bin, 65> bins{};

  void add(std::uint64_t bytes) {
    Bin& bin = bins[static_cast<std::size_t>(std::bit_width(bytes))];
    ++bin.count;
    bin.bytes += bytes;
  }
};

}  // namespace

Status count_communication_sizes(const MergedTrace& trace, Summary& summary) {
  const auto& calls = trace.definitions().calls;
  std::map<std::string, Histogram> groups;
  const auto group_of = [&](const MergedEvent& event) {
    return event.call < calls.size() ? calls[event.call].group : std::string{};
  };
  // Consecutive calls are often of the same group: the last one found is cached.
  std::uint32_t last_call = UINT32_MAX;
  Histogram* last = nullptr;
  const auto add = [&](const MergedEvent& event, std::uint64_t bytes) {
    if (event.call != last_call || last == nullptr) last = &groups[group_of(event)];
    last_call = event.call;
    last->add(bytes);
  };
  MERIDIAN_TRY(EventCursor cursor, trace.select({.fields = kFieldCall | kFieldComm | kFieldTag | kFieldBytesSent,
                                                 .links = link_bit(LinkKind::sent) | link_bit(LinkKind::entered)}));
  MergedBatch batch;
  for (;;) {
    MERIDIAN_TRY(const bool has_events, cursor.next(batch));
    if (!has_events) break;
    for (const MergedEvent& event : batch.events)
      for (const EventLink& link : batch.links_of(event)) {
        std::uint64_t bytes = event.bytes_sent;
        if (link.kind == LinkKind::sent) {
          MERIDIAN_TRY(const MergedMessage message, trace.message(link.number, event));
          bytes = message.bytes;
        }
        add(event, bytes);
      }
  }
  summary.communication_sizes.clear();
  for (const auto& [group, histogram] : groups)
    for (std::size_t k = 0; k < histogram.bins.size(); ++k)
      if (const Histogram::Bin& bin = histogram.bins[k]; bin.count != 0)
        summary.communication_sizes.push_back({group, k == 0 ? 0 : std::uint64_t{1} << (k - 1), bin.count, bin.bytes});
  return {};
}

}  // namespace meridian
