// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysed.hpp"
#include "synthetic_trace.hpp"

namespace meridian::test {

/// "late sender: 1 MPI_Recv waits 30 for 0 MPI_Send", longest first; with the number of waits where there are several.
inline std::vector<std::string> texts(const Summary& summary) {
  std::vector<std::string> all;
  for (const WaitSummary& row : summary.waits)
    all.push_back(row.pattern + ": " + std::to_string(row.rank) + " " + row.function + " waits " +
                  (row.count == 1 ? "" : std::to_string(row.count) + " times ") + std::to_string(ns(row.total_s)) +
                  " for " + std::to_string(row.causer) + " " + row.causer_function);
  return all;
}

/// Without late returns from collectives, which are no waits for a call.
inline std::vector<std::string> waits_of(SyntheticRun& run) {
  Summary summary = analysed(run);
  std::erase_if(summary.waits, [](const WaitSummary& row) { return row.pattern.ends_with("completion"); });
  return texts(summary);
}

}  // namespace meridian::test
