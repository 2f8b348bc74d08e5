// SPDX-License-Identifier: Apache-2.0
#include "merger/statistics/lock_findings.hpp"

#include <cstdio>
#include <string>

#include "merger/model/definitions/paths.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {
namespace {

/// " (a.c:12)", or nothing if that is not known.
std::string at_place(const Trace& trace, std::span<const SourcePlace> places, std::uint32_t path) {
  if (path >= trace.paths->paths().size()) return {};
  const std::uint32_t site = trace.paths->paths()[path].site;
  if (site >= places.size() || places[site].line == 0) return {};
  const std::string& file = places[site].file;
  return " (" + file.substr(file.rfind('/') + 1) + ":" + std::to_string(places[site].line) + ")";
}

std::string address(std::uint64_t object) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(object));
  return text;
}

}  // namespace

void report_lock_orders(const Trace& trace, std::span<const LockOrder> orders, std::span<const SourcePlace> places,
                        Findings& findings) {
  for (std::size_t i = 0; i < orders.size(); ++i)
    for (const LockCycle& cycle : orders[i].cycles())
      findings.add(FindingId::lock_order, 1, [&] {
        std::string text = "rank " + std::to_string(trace.files[i]->meta().rank) + ":";
        for (std::size_t step = 0; step < cycle.size(); ++step) {
          const LockStep &held = cycle[step], &taken = cycle[(step + 1) % cycle.size()];
          text += std::string{step == 0 ? " " : ", "} + "thread " + std::to_string(held.thread) + " takes " +
                  address(taken.object) + at_place(trace, places, held.taken_path) + " while it has " +
                  address(held.object) + at_place(trace, places, held.held_path);
        }
        return text;
      });
}

}  // namespace meridian
