// SPDX-License-Identifier: Apache-2.0
// Sections COMMUNICATORS, WINDOWS and FILES: the program's objects by their names.

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

template <class Row>
std::span<const Row> top(const std::vector<Row>& rows) {
  return std::span{rows}.first(std::min(kTopRows, rows.size()));
}

std::string section(const Paint& paint, const char* title, std::size_t rows, const Table& table) {
  return paint.heading(fmt::format("{} ({})", title, how_many(std::min(kTopRows, rows), rows))) + "\n" +
         table.text([&](const std::string& line) { return paint.title(line); });
}

std::string time_or_nothing(std::uint64_t count, double seconds) {
  return count == 0 ? std::string{} : human_duration(seconds);
}
std::string bytes_or_nothing(std::uint64_t count, std::uint64_t bytes) {
  return count == 0 ? std::string{} : human_bytes(bytes);
}

}  // namespace

std::string communicators_section(const Summary& summary, const Paint& paint) {
  const bool is_more_than_world =
      std::ranges::any_of(summary.communicators, [](const CommSummary& comm) { return comm.kind != "world"; });
  if (!is_more_than_world) return {};
  Table table{{{"communicator", Align::left}, {"of them"}, {"ranks"}, {"p2p"}, {"time"}, {"coll"}, {"time"}, {"sent"}}};
  for (const CommSummary& comm : top(summary.communicators))
    table.add({comm.name.empty() ? fmt::format("({}, no name)", comm.kind) : printable(comm.name),
               human_count(comm.communicators), human_count(comm.ranks), human_count(comm.p2p_calls),
               time_or_nothing(comm.p2p_calls, comm.p2p_s), human_count(comm.collective_calls),
               time_or_nothing(comm.collective_calls, comm.collective_s), human_bytes(comm.bytes_sent)});
  return section(paint, "COMMUNICATORS", summary.communicators.size(), table);
}

std::string windows_section(const Summary& summary, const Paint& paint) {
  if (summary.windows.empty()) return {};
  Table table{{{"window", Align::left}, {"ranks"}, {"puts"}, {"bytes"}, {"gets"}, {"bytes"}, {"access"}, {"sync"}}};
  for (const WindowSummary& window : top(summary.windows)) {
    const std::string name = window.name.empty() ? "(no name, on " + window.comm + ")" : window.name;
    const std::uint64_t puts = window.puts + window.exchanges;
    const std::uint64_t accesses = puts + window.gets;
    table.add({printable(name), human_count(window.ranks), human_count(puts),
               bytes_or_nothing(puts, window.put_bytes + window.exchange_bytes), human_count(window.gets),
               bytes_or_nothing(window.gets, window.get_bytes), time_or_nothing(accesses, window.access_s),
               time_or_nothing(window.syncs, window.sync_s)});
  }
  return section(paint, "WINDOWS", summary.windows.size(), table);
}

std::string files_section(const Summary& summary, const Paint& paint) {
  if (summary.files.empty()) return {};
  Table table{{{"file", Align::left, Shortening::path},
               {"ranks"},
               {"reads"},
               {"bytes"},
               {"time"},
               {"writes"},
               {"bytes"},
               {"time"},
               {"other"}}};
  for (const FileSummary& file : top(summary.files))
    table.add({printable(file.name), human_count(file.ranks), human_count(file.reads),
               bytes_or_nothing(file.reads, file.read_bytes), time_or_nothing(file.reads, file.read_s),
               human_count(file.writes), bytes_or_nothing(file.writes, file.write_bytes),
               time_or_nothing(file.writes, file.write_s), time_or_nothing(file.others, file.other_s)});
  return section(paint, "FILES", summary.files.size(), table);
}

}  // namespace meridian
