// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "choice/selection.hpp"
#include "merged/model/definitions.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Options that select events, as given; empty: all.
struct SelectionArguments {
  std::string ranks, from, to, functions, regions;

  bool selects() const {
    return !ranks.empty() || !from.empty() || !to.empty() || !functions.empty() || !regions.empty();
  }
};

/// errors  invalid_argument: not valid, or nothing of a trace with these names can be selected
Result<TraceSelection> parse_selection(const SelectionArguments& arguments, const MergedDefinitions& names);

}  // namespace meridian
