// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "merger/model/communicators.hpp"
#include "merger/model/named_call.hpp"
#include "merger/model/user_definitions.hpp"
#include "trace/format/rank_file.hpp"

namespace meridian {

/// Gives each definition a number of a call, and each layer a communicator. Definitions beyond what numbers of calls
/// can tell apart are left out.
UserDefinitions unify_user_definitions(std::span<const RankMeta* const> metas, std::vector<NamedCall>& calls,
                                       Communicators& communicators);

/// "i64" of the field at `index` in "thief:i64 why:text"; empty when there is none.
std::string_view user_field_type(std::string_view fields, std::size_t index) noexcept;

}  // namespace meridian
