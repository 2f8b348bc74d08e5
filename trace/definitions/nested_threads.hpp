// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// Calls that a thread makes inside its MPI calls, from callbacks, are recorded under a ThreadId of their own, one for each
/// depth. Returns, for each such ThreadId, that of the thread itself.
std::map<std::uint32_t, std::uint32_t> nested_threads(const RankMeta& meta);

}  // namespace meridian
