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

struct PageMessage {
  std::uint64_t number = 0;
  std::uint32_t event = 0;  // its place among the events
};

class PageEvents {
 public:
  PageEvents(const MergedTrace& trace, std::span<const std::uint32_t> row_of, std::size_t rows)
      : trace_{trace}, places_{trace.definitions()}, row_of_{row_of}, rows_(rows) {}

  Status read(const ExactWindow& window) {
    EventSelection selection{.from_ns = window.from_ns, .to_ns = window.to_ns};
    selection.links = link_bit(LinkKind::sent) | link_bit(LinkKind::received) | link_bit(LinkKind::entered);
    selection.has_waits = true;
    MERIDIAN_TRY(EventCursor cursor, trace_.select(std::move(selection)));
    MergedBatch batch;
    for (;;) {
      MERIDIAN_TRY(const bool has_more, cursor.next(batch));
      if (!has_more) return {};
      for (const MergedEvent& event : batch.events)
        // One that a window before has, too, is there already.
        if (event.location < row_of_.size() && row_of_[event.location] < rows_.size() && is_new(event))
          MERIDIAN_TRY_DO(add(event, batch));
    }
  }

  Result<nlohmann::ordered_json> json() {
    PackedNumbers counts, enters, durations, outsides, calls, places, peers, tags, comms, sent, received, flags, polls,
        collectives;
    PackedNumbers wait_rows, waits, kinds, causer_ranks, causer_enters, causer_calls, causer_places;
    std::unordered_map<std::uint64_t, std::uint32_t> number_of;
    std::uint32_t number = 0;
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
          MERIDIAN_TRY(const MergedEvent causer, trace_.event(each.wait.causer));
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
  bool is_new(const MergedEvent& event) const {
    const std::vector<PageEvent>& row = rows_[row_of_[event.location]];
    return row.empty() || row.back().event.row < event.row;
  }

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

Result<nlohmann::ordered_json> page_events(const MergedTrace& trace, std::span<const ExactWindow> windows,
                                           std::span<const std::uint32_t> row_of, std::size_t rows) {
  PageEvents events{trace, row_of, rows};
  for (const ExactWindow& window : windows) MERIDIAN_TRY_DO(events.read(window));
  return events.json();
}

}  // namespace meridian
