// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "merger/model/findings.hpp"
#include "merger/model/trace.hpp"
#include "merger/readers/rank_place.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Writes the energy of all hosts over time to a merged file (hid_t) on the common time. Without readings it writes nothing. Where the writers of
/// several ranks have read the counters of a host, the longest series of readings is taken. Energy that is missing is a finding.
///
/// places   where the tables of the trace's files are
/// errors   io: the merged file cannot be written. Readings that cannot be read are left out, with a finding.
Status merge_energy(const Trace& trace, std::span<const RankPlace> places, std::int64_t file, Findings& findings);

}  // namespace meridian
