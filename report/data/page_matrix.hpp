// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "merged/model/definitions.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// Messages and bytes from rank to rank and from host to host; many ranks or hosts are taken together, neighbours first,
/// so that a side has at most kMostMatrixSide cells. docs/REPORT.md has the format.
nlohmann::ordered_json page_matrix(const Summary& summary, const MergedDefinitions& definitions);
inline constexpr std::size_t kMostMatrixSide = 128;

/// The share of MPI in the time of each rank, in 10 000ths.
nlohmann::ordered_json page_shares(const Summary& summary);

}  // namespace meridian
