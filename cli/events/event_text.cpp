// SPDX-License-Identifier: Apache-2.0
#include "cli/events/event_text.hpp"

#include <fmt/format.h>

#include "cli/summary/printable.hpp"
#include "query/event_walk.hpp"
#include "summary/units.hpp"
#include "trace/model/event.hpp"

namespace meridian {
namespace {

constexpr std::size_t kRoomForPlaces = 100;  ///< columns of the text

bool shows_places() { return text_width() >= kRoomForPlaces; }

std::string place_text(const MergedEvent& event, const MergedDefinitions& names) {
  if (event.site == 0 || event.site >= names.sites.size()) return {};
  const MergedSite& site = names.sites[event.site];
  if (!site.file.empty()) return printable(fmt::format("{}:{}", site.file, site.line));
  return site.module < names.modules.size()
             ? printable(fmt::format("{}+{:#x}", names.modules[site.module].path, site.offset))
             : std::string{};
}

}  // namespace

std::string moment_text(std::int64_t ns) { return fmt::format("{:.9f}", static_cast<double>(ns) / 1e9); }

std::string function_text(const MergedEvent& event, const MergedDefinitions& names) {
  std::string text = printable(names.call_name(event.call));
  if (function_group(names, event.call) == "user") {
    if ((event.flags & kFlagBegins) != 0) text += " begins";
    if ((event.flags & kFlagEnds) != 0) text += " ends";
  } else if ((event.flags & kFlagUnfinished) != 0) {
    text += " (unfinished)";
  } else if ((event.flags & kFlagFailed) != 0) {
    text += " (failed)";
  }
  if (event.calls > 1) text += fmt::format(" ({} calls)", event.calls);
  return text;
}

std::vector<Table::Column> event_text_columns() {
  std::vector<Table::Column> columns{{"call", Align::left},
                                     {"start (s)"},
                                     {"duration"},
                                     {"function", Align::left, Shortening::function},
                                     {"peer"},
                                     {"tag"},
                                     {"bytes"}};
  if (shows_places()) columns.push_back({"place", Align::left, Shortening::path});
  return columns;
}

std::vector<std::string> event_text_cells(const MergedEvent& event, const MergedDefinitions& names,
                                          std::string_view fields) {
  const std::uint64_t bytes = event.bytes_sent + event.bytes_received;
  std::vector<std::string> cells{call_label(event),
                                 moment_text(event.enter_ns),
                                 human_duration(static_cast<double>(event.duration_ns) * 1e-9),
                                 function_text(event, names) + (fields.empty() ? "" : " " + printable(fields)),
                                 event.peer < 0 ? std::string{} : std::to_string(event.peer),
                                 event.tag < 0 ? std::string{} : std::to_string(event.tag),
                                 bytes == 0 ? std::string{} : human_bytes(bytes)};
  if (shows_places()) cells.push_back(place_text(event, names));
  return cells;
}

}  // namespace meridian
