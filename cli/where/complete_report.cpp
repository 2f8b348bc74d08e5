// SPDX-License-Identifier: Apache-2.0
#include "cli/where/complete_report.hpp"

#include <vector>

#include "cli/where/call_places.hpp"
#include "cli/where/thread_functions.hpp"
#include "merger/load/unify_definitions.hpp"

namespace meridian {

Result<WhereReport> complete_report(const std::filesystem::path& directory) {
  MERIDIAN_TRY(WhereReport report, look_at_trace(directory));
  std::vector<const RankMeta*> metas;
  for (const RankNow& rank : report.ranks) metas.push_back(&rank.meta);
  Findings unused;
  report.communicators = unify_definitions(metas, report.worlds, unused);
  find_deadlock(report);
  find_call_places(report.ranks);
  find_thread_functions(report.ranks);
  return report;
}

}  // namespace meridian
