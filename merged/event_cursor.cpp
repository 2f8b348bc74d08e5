// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "merged/merged_impl.hpp"

namespace meridian {
namespace {

constexpr std::uint8_t kMessageLinks =
    link_bit(LinkKind::sent) | link_bit(LinkKind::posted) | link_bit(LinkKind::received);
constexpr std::uint8_t kPartLinks = link_bit(LinkKind::entered) | link_bit(LinkKind::left);

}  // namespace

struct EventCursor::Impl {
  const MergedTrace::Impl* trace;
  EventSelection selection;
  EventBlocks events;
  std::optional<LinkTable> messages, parts;  // where links are wanted
  std::optional<WaitReader> waits;
  std::vector<bool> wanted;  // [location]; empty: all
  std::vector<std::uint64_t> wanted_locations;
  std::uint64_t pieces = 0;                       // of all events
  std::uint64_t first_block = 0, last_block = 0;  // remaining blocks
  std::optional<std::uint64_t> known_reading;
  bool is_reading_wanted = true;
  std::vector<std::pair<std::uint64_t, EventLink>> links;
  std::vector<std::uint32_t>
      places;  // [row, less the first of the batch]: number of links, then where the next one goes

  bool has_all_events() const {
    return wanted.empty() && selection.windows.empty() && selection.from_ns == INT64_MIN &&
           selection.to_ns == INT64_MAX;
  }
  /// Whether a window has a part of this time, both ends included.
  bool is_in_a_window(std::int64_t begin_ns, std::int64_t end_ns) const {
    if (selection.windows.empty()) return true;
    const auto window = std::ranges::upper_bound(selection.windows, begin_ns, {}, &TimeWindow::to_ns);
    return window != selection.windows.end() && window->from_ns <= end_ns;
  }
  bool is_selected(const MergedEvent& event) const {
    return event.leave_ns() >= selection.from_ns && event.enter_ns < selection.to_ns &&
           (wanted.empty() || wanted[event.location]) && is_in_a_window(event.enter_ns, event.leave_ns());
  }

  /// Whether a selected thread makes a call between the entry before the block and the next one.
  Result<bool> may_have_wanted(std::uint64_t block) {
    if (wanted.empty()) return true;
    const std::uint64_t number = block * kIndexRows / trace->index.sequence_rows;
    if (known_reading != number) {
      known_reading = number;
      is_reading_wanted = number + 1 >= events.readings();
      if (!is_reading_wanted) {
        MERIDIAN_TRY(const auto before, events.reading(number));
        MERIDIAN_TRY(const auto after, events.reading(number + 1));
        is_reading_wanted =
            std::ranges::any_of(wanted_locations, [&](std::uint64_t at) { return before[at] != after[at]; });
      }
    }
    return is_reading_wanted;
  }

  Result<bool> may_have_events(std::uint64_t block) {
    const auto at = static_cast<std::size_t>(block);
    const EventIndex& index = trace->index;
    if (index.latest_leave_ns[at] < selection.from_ns || !is_in_a_window(index.enter_ns[at], index.latest_leave_ns[at]))
      return false;
    return may_have_wanted(block);
  }

  Status gather(std::optional<LinkTable>& links_of, std::size_t end, LinkKind kind, std::uint64_t first,
                std::uint64_t last) {
    if ((selection.links & link_bit(kind)) == 0) return {};
    LinkTable& table = *links_of;
    MERIDIAN_TRY(std::uint64_t place, table.lower_bound(end, first));
    for (; place < table.size(); ++place) {
      MERIDIAN_TRY(const std::uint64_t number, table.number_at(end, place));
      MERIDIAN_TRY(const LinkTable::Ends ends, table.ends(number));
      if (ends[end] < first) return damaged_merged("messages or collectives are out of order");
      if (ends[end] >= last) break;
      if (links.size() >= kMostLinks) return damaged_merged("messages or collectives have too many ends");
      links.push_back({ends[end], {kind, number}});
    }
    return {};
  }

  /// Adds their links to the events of a batch.
  Status link(MergedBatch& batch) {
    links.clear();
    const std::uint64_t first = batch.events.front().row, last = batch.events.back().row + 1;
    MERIDIAN_TRY_DO(gather(messages, 0, LinkKind::sent, first, last));
    MERIDIAN_TRY_DO(gather(messages, 2, LinkKind::posted, first, last));
    MERIDIAN_TRY_DO(gather(messages, 1, LinkKind::received, first, last));
    MERIDIAN_TRY_DO(gather(parts, 0, LinkKind::entered, first, last));
    MERIDIAN_TRY_DO(gather(parts, 1, LinkKind::left, first, last));
    constexpr std::uint32_t kUnselected = UINT32_MAX;
    places.assign(static_cast<std::size_t>(last - first), 0);
    for (const auto& [row, link] : links) ++places[static_cast<std::size_t>(row - first)];
    std::uint64_t next_row = first;
    std::uint32_t total = 0;
    for (MergedEvent& event : batch.events) {
      for (; next_row < event.row; ++next_row) places[static_cast<std::size_t>(next_row - first)] = kUnselected;
      std::uint32_t& place = places[static_cast<std::size_t>(next_row++ - first)];
      event.first_link = total;
      event.links = place;
      total += std::exchange(place, event.first_link);
    }
    batch.links.resize(total);
    for (const auto& [row, link] : links) {
      std::uint32_t& place = places[static_cast<std::size_t>(row - first)];
      if (place != kUnselected) batch.links[place++] = link;
    }
    return {};
  }

  Result<bool> next(MergedBatch& batch) {
    batch.links.clear();
    batch.waits.clear();
    while (first_block < last_block) {
      const std::uint64_t block = selection.is_backwards ? --last_block : first_block++;
      MERIDIAN_TRY(const bool is_worth_it, may_have_events(block));
      if (!is_worth_it) continue;
      batch.events.reserve(kIndexRows);
      std::size_t count = 0;
      const std::uint64_t end = std::min(pieces, (block + 1) * kPiecesPerBlock);
      for (std::uint64_t piece = block * kPiecesPerBlock; piece < end; ++piece) {
        MERIDIAN_TRY(count, events.read(piece, batch.events, count));
      }
      batch.events.resize(count);
      if (!has_all_events()) std::erase_if(batch.events, [&](const MergedEvent& event) { return !is_selected(event); });
      if (batch.events.empty()) continue;
      if (selection.links != kNoLinks) MERIDIAN_TRY_DO(link(batch));
      if (waits) MERIDIAN_TRY_DO(waits->read(batch.events.front().row, batch.events.back().row + 1, batch.waits));
      if (selection.is_backwards) std::ranges::reverse(batch.events);
      return true;
    }
    batch.events.clear();
    return false;
  }

  // A wait completes any number of messages, but more than this in one block of events means damage.
  static constexpr std::size_t kMostLinks = std::size_t{1} << 24;
};

EventCursor::EventCursor(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
EventCursor::EventCursor(EventCursor&&) noexcept = default;
EventCursor& EventCursor::operator=(EventCursor&&) noexcept = default;
EventCursor::~EventCursor() = default;

Result<bool> EventCursor::next(MergedBatch& batch) {
  auto found = impl_->next(batch);
  if (!found) return impl_->trace->in_file(std::move(found).error());
  return found;
}

Result<EventCursor> MergedTrace::select(EventSelection selection) const {
  const auto open = [&]() -> Result<EventCursor> {
    const hid_t file = impl_->file.get();
    const EventIndex& index = impl_->index;
    MERIDIAN_TRY(EventBlocks events, EventBlocks::open(file, index, impl_->definitions.locations, selection.fields));
    std::optional<LinkTable> messages, parts;
    if ((selection.links & kMessageLinks) != 0) {
      MERIDIAN_TRY(messages, LinkTable::open_messages(file, index.events));
    }
    if ((selection.links & kPartLinks) != 0) {
      MERIDIAN_TRY(parts, LinkTable::open_parts(file, index.events));
    }
    std::optional<WaitReader> waits;
    if (selection.has_waits) {
      MERIDIAN_TRY(waits, WaitReader::open(file, index.events));
    }
    const std::uint64_t pieces = (index.events + kPieceRows - 1) / kPieceRows;
    auto cursor = std::unique_ptr<EventCursor::Impl>{new EventCursor::Impl{impl_.get(),
                                                                           std::move(selection),
                                                                           std::move(events),
                                                                           std::move(messages),
                                                                           std::move(parts),
                                                                           std::move(waits),
                                                                           {},
                                                                           {},
                                                                           pieces,
                                                                           0,
                                                                           0,
                                                                           {},
                                                                           true,
                                                                           {},
                                                                           {}}};
    const auto behind = std::ranges::lower_bound(index.enter_ns, cursor->selection.to_ns);
    cursor->last_block = static_cast<std::uint64_t>(behind - index.enter_ns.begin());
    if (!cursor->selection.ranks.empty()) {
      const auto& locations = impl_->definitions.locations;
      cursor->wanted.resize(locations.size());
      for (std::size_t i = 0; i < locations.size(); ++i) {
        cursor->wanted[i] =
            std::ranges::find(cursor->selection.ranks, locations[i].rank) != cursor->selection.ranks.end();
        if (cursor->wanted[i]) cursor->wanted_locations.push_back(i);
      }
    }
    return EventCursor{std::move(cursor)};
  };
  auto cursor = open();
  if (!cursor) return impl_->in_file(std::move(cursor).error());
  return cursor;
}

}  // namespace meridian
