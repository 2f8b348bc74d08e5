// SPDX-License-Identifier: Apache-2.0
#pragma once

// A fixture for traces of messages.

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "merged_reader.hpp"
#include "synthetic_trace.hpp"

namespace meridian::test {

/// Merges and gives back who got whose message; the summary stays.
class Messages : public ::testing::Test {
 protected:
  Summary summary;

  std::vector<Pairing> matched(SyntheticRun& run) {
    auto outcome = run.merge();
    if (!outcome) throw std::runtime_error(outcome.error().what);
    summary = outcome->summary;
    return pairings(MergedReader{run.merged()}.messages());
  }
};

}  // namespace meridian::test
