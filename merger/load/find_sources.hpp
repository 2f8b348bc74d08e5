// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "trace/definitions/communicators.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// Reads the topologies of communicators. `metas`: in the order of the resolvers of `communicators`.
Sources find_sources(std::span<const RankMeta* const> metas, Communicators& communicators);

}  // namespace meridian
