// SPDX-License-Identifier: Apache-2.0
#include "report/data/page_events.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analysis/walk/call_places.hpp"
#include "report/data/encoding.hpp"
#include "trace/model/event.hpp"

namespace meridian {
namespace {

/// What the page says of an event.
struct PageEvent {
  MergedEvent event;
  EventWait wait;  // the longest one; ns 0: none
  std::uint64_t collective = 0;
  bool has_collective = false;
};

struct Causer {
  decltype(MergedEvent::rank) rank = 0;
  std::int64_t enter_ns = 0;
  decltype(MergedEvent::call) call = 0;
  decltype(MergedEvent::site) site = 0;
};

class PageEvents {
 public:
  PageEvents(const MergedTrace& trace, std::span<const std::uint32_t> row_of, std::size_t rows)
      : trace_{trace}, places_{trace.definitions()}, row_of_{row_of}, rows_(rows) {}

  Status read(std::span<const TimeWindow> windows) {
    if (windows.empty()) return {};
    EventSelection selection{.from_ns = windows.front().from_ns, .to_ns = windows.back().to_ns};
    selection.windows.assign(windows.begin(), windows.end());
    selection.links = link_bit(LinkKind::sent) | link_bit(LinkKind::received) | link_bit(LinkKind::entered);
    selection.has_waits = true;
    MERIDIAN_TRY(EventCursor cursor, trace_.select(std::move(selection)));
    MergedBatch batch;
    for (;;) {
      MERIDIAN_TRY(const bool has_more, cursor.next(batch));
      if (!has_more) return {};
      for (const MergedEvent& event : batch.events)
        if (event.location < row_of_.size() && row_of_[event.location] < rows_.size())
          MERIDIAN_TRY_DO(add(event, batch));
    }
  }

  Result<nlohmann::ordered_json> json() {
    PackedNumbers counts, enters, durations, outsides, calls, places, peers, tags, comms, sent, received, flags, polls,
        collectives;
    PackedNumbers wait_rows, waits, kinds, causer_ranks, causer_enters, causer_calls, causer_places;
    std::unordered_map<std::uint64_t, std::uint32_t> number_of;
    std::uint32_t number = 0;
    MERIDIAN_TRY(const auto causer_at, causers());
    for (const std::vector<PageEvent>& row : rows_) {
      counts.add(row.size());
      std::int64_t at_ns = 0;
      for (const PageEvent& each : row) {
        const MergedEvent& event = each.event;
        number_of.emplace(event.row, number);
        enters.add_signed(event.enter_ns - std::exchange(at_ns, event.enter_ns));
        durations.add_signed(event.duration_ns);
        outsides.add_signed(event.outside_ns);
        calls.add(event.call);
        places.add(places_.of_site(event.site));
        peers.add_signed(event.peer);
        tags.add_signed(event.tag);
        comms.add_signed(event.comm);
        sent.add(event.bytes_sent);
        received.add(event.bytes_received);
        flags.add(event.flags);
        polls.add(event.calls);
        collectives.add(each.has_collective ? each.collective + 1 : 0);
        if (each.wait.ns > 0) {
          const Causer& causer = causer_at.at(each.wait.causer);
          wait_rows.add(number - std::exchange(last_wait_, number));
          waits.add_signed(each.wait.ns);
          kinds.add(static_cast<std::uint64_t>(each.wait.kind));
          causer_ranks.add_signed(causer.rank);
          causer_enters.add_signed(causer.enter_ns - event.enter_ns);
          causer_calls.add(causer.call);
          causer_places.add(places_.of_site(causer.site));
        }
        ++number;
      }
    }
    nlohmann::ordered_json json{{"count", number}};
    const std::pair<const char*, const PackedNumbers*> columns[] = {{"counts", &counts},
                                                                    {"enter", &enters},
                                                                    {"duration", &durations},
                                                                    {"outside", &outsides},
                                                                    {"call", &calls},
                                                                    {"place", &places},
                                                                    {"peer", &peers},
                                                                    {"tag", &tags},
                                                                    {"comm", &comms},
                                                                    {"bytes_sent", &sent},
                                                                    {"bytes_received", &received},
                                                                    {"flags", &flags},
                                                                    {"calls", &polls},
                                                                    {"collective", &collectives},
                                                                    {"wait_event", &wait_rows},
                                                                    {"wait_ns", &waits},
                                                                    {"wait_kind", &kinds},
                                                                    {"causer_rank", &causer_ranks},
                                                                    {"causer_enter", &causer_enters},
                                                                    {"causer_call", &causer_calls},
                                                                    {"causer_place", &causer_places}};
    for (const auto& [name, numbers] : columns) json[name] = packed_text(numbers->bytes());
    add_messages(number_of, json);
    return json;
  }

  const CallPlaces& places() const noexcept { return places_; }

 private:
  Status add(const MergedEvent& event, const MergedBatch& batch) {
    PageEvent& added = rows_[row_of_[event.location]].emplace_back();
    added.event = event;
    for (const EventWait& wait : batch.waits_of(event))
      if (wait.ns > added.wait.ns) added.wait = wait;
    for (const EventLink& link : batch.links_of(event)) {
      if (link.kind == LinkKind::entered) {
        MERIDIAN_TRY(const MergedPart part, trace_.part(link.number));
        added.collective = part.instance;
        added.has_collective = true;
      } else {
        auto& ends = link.kind == LinkKind::sent ? sends_ : receives_;
        ends.emplace_back(link.number, event.row);
      }
    }
    return {};
  }

  /// What the events wait for, by its row. Read in order of rows: one after the other they would each need a block of their own.
  Result<std::unordered_map<std::uint64_t, Causer>> causers() const {
    std::vector<std::uint64_t> rows;
    for (const std::vector<PageEvent>& row : rows_)
      for (const PageEvent& each : row)
        if (each.wait.ns > 0) rows.push_back(each.wait.causer);
    std::ranges::sort(rows);
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());  // clang 14 cannot compile that of std::ranges
    std::unordered_map<std::uint64_t, Causer> causers;
    causers.reserve(rows.size());
    for (const std::uint64_t row : rows) {
      MERIDIAN_TRY(const MergedEvent event, trace_.event(row));
      causers.emplace(row, Causer{event.rank, event.enter_ns, event.call, event.site});
    }
    return causers;
  }

  /// Messages with both ends among the events, by their send.
  void add_messages(const std::unordered_map<std::uint64_t, std::uint32_t>& number_of, nlohmann::ordered_json& json) {
    std::unordered_map<std::uint64_t, std::uint64_t> send_of{sends_.begin(), sends_.end()};
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const auto& [message, receive] : receives_) {
      const auto send = send_of.find(message);
      if (send == send_of.end()) continue;
      const auto from = number_of.find(send->second), to = number_of.find(receive);
      if (from != number_of.end() && to != number_of.end()) pairs.emplace_back(from->second, to->second);
    }
    std::ranges::sort(pairs);
    PackedNumbers from, to;
    std::uint32_t last = 0;
    for (const auto& [send, receive] : pairs) {
      from.add(send - std::exchange(last, send));
      to.add_signed(static_cast<std::int64_t>(receive) - send);
    }
    json["messages"] = pairs.size();
    json["message_from"] = packed_text(from.bytes());
    json["message_to"] = packed_text(to.bytes());
  }

  const MergedTrace& trace_;
  CallPlaces places_;
  std::span<const std::uint32_t> row_of_;
  std::vector<std::vector<PageEvent>> rows_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sends_, receives_;  // number of the message, row of the event
  std::uint32_t last_wait_ = 0;
};

}  // namespace

Result<nlohmann::ordered_json> page_events(const MergedTrace& trace, std::span<const TimeWindow> windows,
                                           std::span<const std::uint32_t> row_of, std::size_t rows) {
  PageEvents events{trace, row_of, rows};
  MERIDIAN_TRY_DO(events.read(windows));
  return events.json();
}

}  // namespace meridian
