// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "merger/model/named_call.hpp"
#include "merger/model/user_definitions.hpp"
#include "trace/definitions/communicators.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// Name of its call in the merged file: "layer send", "level.event"; otherwise its own.
std::string user_call_name(const UserDefinition& definition);

/// Assigns a call number to each definition and a communicator to each layer. Definitions for which no call number is
/// left are omitted.
UserDefinitions unify_user_definitions(std::span<const RankMeta* const> metas, std::vector<NamedCall>& calls,
                                       Communicators& communicators);

}  // namespace meridian
