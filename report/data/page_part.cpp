// SPDX-License-Identifier: Apache-2.0
#include "report/data/page_part.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "analysis/walk/ready_times.hpp"
#include "analysis/walk/tiles.hpp"
#include "report/data/page_bins.hpp"
#include "report/data/page_events.hpp"
#include "report/data/timeline_scan.hpp"

namespace meridian {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kPartCells = std::size_t{1} << 18;
constexpr std::size_t kMostPartBins = 2048;
constexpr std::size_t kLeastPartBins = 256;
constexpr std::uint64_t kUnknownSequence = UINT64_MAX;

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Takes the text up to a separator off the front.
std::string_view take_word(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  return word;
}

std::optional<PageRow> find_row(std::string_view word, const TimelineRows& rows, const MergedDefinitions& definitions) {
  std::string_view rest = word;
  const std::string_view first = take_word(rest, '.');
  if (first.size() == word.size()) {
    const auto row = number_in<std::size_t>(word);
    if (!row || *row >= rows.rows.size()) return std::nullopt;
    return rows.rows[*row];
  }
  const auto rank = number_in<std::int32_t>(first);
  const auto thread = number_in<std::uint32_t>(rest);
  if (!rank || !thread) return std::nullopt;
  for (std::uint32_t i = 0; i < definitions.locations.size(); ++i)
    if (definitions.locations[i].rank == *rank && definitions.locations[i].thread == *thread) return PageRow{i, {i}, i};
  return std::nullopt;
}

/// The waits of a call, one after another from its beginning: where they end exactly is known of the whole trace only.
void find_spans(const MergedEvent& event, std::span<const EventWait> waits, std::vector<WaitSpan>& spans) {
  spans.clear();
  std::int64_t at_ns = event.enter_ns + event.outside_ns;
  for (const EventWait& wait : waits) {
    const std::int64_t end_ns = std::min(at_ns + wait.ns, event.leave_ns());
    if (end_ns <= at_ns) break;
    spans.push_back({at_ns, end_ns, event.location, event.location, wait.kind});
    at_ns = end_ns;
  }
}

class PartScan {
 public:
  PartScan(const MergedTrace& trace, const PartRequest& request)
      : trace_{trace},
        request_{request},
        levels_{request.rows.size(),
                std::clamp(kPartCells / std::max<std::size_t>(1, request.rows.size()), kLeastPartBins, kMostPartBins),
                request.from_ns, request.to_ns},
        rows_of_(trace.definitions().locations.size()),
        named_(rows_of_.size(), kNoRow),
        is_busy_(rows_of_.size()),
        waits_of_(rows_of_.size()),
        tiler_{trace.definitions(),
               std::vector<LocationLife>(rows_of_.size(), LocationLife{request.from_ns, request.to_ns, kNoLocation}),
               [this](const Tile& tile) { add(tile); }},
        first_sequence_(rows_of_.size(), kUnknownSequence) {
    for (std::uint32_t row = 0; row < request.rows.size(); ++row) {
      for (const std::uint32_t location : request.rows[row].locations) rows_of_[location].push_back(row);
      named_[request.rows[row].typical] = row;
    }
  }

  Status run() {
    EventSelection selection{.from_ns = request_.from_ns, .to_ns = request_.to_ns};
    selection.fields = kFieldSequence | kFieldCall | kFieldFlags | kFieldOutside | kFieldCalls;
    selection.links = kNoLinks;
    selection.has_waits = true;
    MERIDIAN_TRY(ready_, ReadyTimes::read(trace_));
    MERIDIAN_TRY(EventCursor cursor, trace_.select(std::move(selection)));
    MergedBatch batch;
    std::vector<WaitSpan> spans;
    for (;;) {
      MERIDIAN_TRY(const bool has_more, cursor.next(batch));
      if (!has_more) break;
      for (const MergedEvent& event : batch.events) {
        find_spans(event, batch.waits_of(event), spans);
        look_at(event, spans);
      }
    }
    tiler_.finish();
    return {};
  }

  Result<Json> json() const {
    Json json{{"begin_ns", request_.from_ns}};
    std::vector<std::size_t> threads;
    Json quiet = Json::array();
    for (std::size_t row = 0; row < request_.rows.size(); ++row) {
      const std::vector<std::uint32_t>& locations = request_.rows[row].locations;
      threads.push_back(locations.size());
      if (!std::ranges::all_of(locations, [&](std::uint32_t each) { return is_busy_[each]; })) quiet.push_back(row);
    }
    add_bins(levels_, request_.rows.size(), threads, json);
    json["quiet"] = std::move(quiet);
    if (events_ <= kMostPartEvents) {
      const TimeWindow window{request_.from_ns, request_.to_ns};
      json["windows"] = Json::array({{window.from_ns, window.to_ns}});
      MERIDIAN_TRY(json["events"], page_events(trace_, {&window, 1}, named_, request_.rows.size()));
    }
    return json;
  }

 private:
  void look_at(MergedEvent event, const std::vector<WaitSpan>& spans) {
    const std::uint32_t location = event.location;
    // The calls before the part are not missing.
    std::uint64_t& first = first_sequence_[location];
    if (first == kUnknownSequence) first = event.sequence;
    event.sequence -= first;
    tiler_.add(event, spans);  // tiles up to this event: of the one before
    waits_of_[location] = spans;
    is_busy_[location] = true;
    if (named_[location] != kNoRow) ++events_;
    if (tiler_.traits(event.call).is_user || event.enter_ns < request_.from_ns) return;
    for (const std::uint32_t row : rows_of_[location])
      levels_.add_call(row, event.enter_ns, event.duration_ns, event.calls);
  }

  void add(const Tile& tile) {
    if (rows_of_[tile.location].empty() || !is_busy_[tile.location]) return;
    StateClass state = class_of(tile.state);
    if (tile.state == LocationState::mpi_wait)
      for (const WaitSpan& wait : waits_of_[tile.location])
        if (wait.begin_ns <= tile.begin_ns && tile.begin_ns < wait.end_ns) state = class_of(wait.kind);
    const auto add_piece = [&](std::int64_t begin_ns, std::int64_t end_ns, bool is_ready) {
      for (const std::uint32_t row : rows_of_[tile.location])
        levels_.add_time(row, is_ready ? StateClass::ready : state, begin_ns, end_ns);
    };
    if (needs_processor(tile.state))
      ready_.cut(tile.location, tile.begin_ns, tile.end_ns, add_piece);
    else
      add_piece(tile.begin_ns, tile.end_ns, false);
  }

  const MergedTrace& trace_;
  const PartRequest& request_;
  RowLevels levels_;
  std::vector<std::vector<std::uint32_t>> rows_of_;  // [location]
  std::vector<std::uint32_t> named_;                 // [location]: the row that it is named after
  std::vector<bool> is_busy_;                        // [location]: it has an event in the part
  std::vector<std::vector<WaitSpan>> waits_of_;      // of the last event of each location
  ReadyTimes ready_;
  Tiler tiler_;
  std::vector<std::uint64_t> first_sequence_;  // [location]
  std::uint64_t events_ = 0;                   // that the answer would hold one by one
};

}  // namespace

Result<PartRequest> parse_part(std::string_view query, const TimelineRows& rows, const MergedDefinitions& definitions) {
  const auto malformed = [](std::string_view why) {
    return Error{Errc::invalid_argument, "the request is malformed: " + std::string{why}, "reload the page"};
  };
  PartRequest request;
  std::optional<std::int64_t> from, to;
  while (!query.empty()) {
    std::string_view value = take_word(query, '&');
    const std::string_view key = take_word(value, '=');
    if (key == "from") {
      from = number_in<std::int64_t>(value);
    } else if (key == "to") {
      to = number_in<std::int64_t>(value);
    } else if (key == "rows") {
      while (!value.empty()) {
        if (request.rows.size() == kMostPartRows) return malformed("too many rows");
        auto row = find_row(take_word(value, ','), rows, definitions);
        if (!row) return malformed("there is no such row");
        request.rows.push_back(*std::move(row));
      }
    } else {
      return malformed("unknown parameter");
    }
  }
  if (!from || !to || *from >= *to) return malformed("'from' and 'to' have to be times, one after the other");
  if (request.rows.empty()) return malformed("it names no rows");
  request.from_ns = std::clamp(*from, rows.begin_ns, rows.end_ns - 1);
  request.to_ns = std::clamp(*to, request.from_ns + 1, rows.end_ns);
  return request;
}

Result<Json> page_part(const MergedTrace& trace, const PartRequest& request) {
  PartScan scan{trace, request};
  MERIDIAN_TRY_DO(scan.run());
  return scan.json();
}

}  // namespace meridian
