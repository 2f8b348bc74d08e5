// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "merger/model/definitions/objects.hpp"
#include "trace/definitions/communicators.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// metas         [ranks], those of the files present; the resolvers of `communicators` have the same order.
Objects unify_objects(std::span<const RankMeta* const> metas, Communicators& communicators);

}  // namespace meridian
