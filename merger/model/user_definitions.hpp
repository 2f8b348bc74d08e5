// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trace/definitions/communicators.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// A user event; its definition is the same in all ranks that have equal level, name and fields.
struct UserDefinition {
  UserKind kind{};
  std::string level;
  std::string name;
  std::string fields;
  std::uint16_t call = 0;         ///< index in Trace::calls
  std::uint32_t layer = kNoComm;  ///< messages only: index in UserDefinitions::layers
};

/// The definitions of the user events of a trace. Messages with equal names form a layer: in each world a communicator
/// of all its ranks.
struct UserDefinitions {
  static constexpr std::uint32_t kUnknown = 0xffffffff;
  std::vector<UserDefinition> list;               ///< by level, name, kind, fields
  std::vector<std::vector<std::uint32_t>> by_id;  ///< [files][UserUse::definition]: index in `list`
  std::vector<std::vector<LocalComm>> layers;     ///< [files][layer]
  std::size_t first_call = 0;                     ///< the calls from this number on correspond to `list`

  const UserDefinition* find(std::size_t file, std::uint32_t id) const noexcept {
    if (file >= by_id.size() || id >= by_id[file].size() || by_id[file][id] == kUnknown) return nullptr;
    return &list[by_id[file][id]];
  }
};

}  // namespace meridian
