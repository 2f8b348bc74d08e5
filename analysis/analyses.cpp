// SPDX-License-Identifier: Apache-2.0
#include "analysis/analyses.hpp"

#include <string>
#include <utility>

namespace meridian {

// To add an analysis: its file, its declaration and row here, and its table in summary/.
Status count_communication_sizes(const MergedTrace& trace, Summary& summary);
Status find_waits(const MergedTrace& trace, Summary& summary);

namespace {

constexpr Analysis kAnalyses[] = {
    {"sizes of messages and collectives", count_communication_sizes},
    {"wait states", find_waits},
};

}  // namespace

std::span<const Analysis> analyses() { return kAnalyses; }

Status run_analyses(const MergedTrace& trace, Summary& summary) {
  for (const Analysis& analysis : analyses())
    if (Status status = analysis.run(trace, summary); !status) {
      Error error = std::move(status).error();
      error.what = std::string{analysis.name} + ": " + error.what;
      return error;
    }
  return {};
}

}  // namespace meridian
