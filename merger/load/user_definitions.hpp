#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "merger/load/communicators.hpp"
#include "merger/statistics/compute_statistics.hpp"
#include "trace/format/rank_file.hpp"

namespace meridian {

struct Communicators;

/// An event of the program's own, the same in all ranks that say the same of it.
struct UserDefinition {
  UserKind kind{};
  std::string level;
  std::string name;
  std::string fields;
  std::uint16_t call = 0;         ///< number in Trace::calls
  std::uint32_t layer = kNoComm;  ///< of messages: place in UserDefinitions::layers
};

/// What the ranks of a trace call their own events. Messages of one name are a layer: in each world a
/// communicator of all its ranks.
struct UserDefinitions {
  static constexpr std::uint32_t kUnknown = 0xffffffff;
  std::vector<UserDefinition> list;               ///< by level, name, kind, fields
  std::vector<std::vector<std::uint32_t>> by_id;  ///< [files][UserUse::definition]: place in `list`
  std::vector<std::vector<LocalComm>> layers;     ///< [files][layer]
  std::size_t first_call = 0;                     ///< calls from here on, as many as in `list`, are these

  const UserDefinition* find(std::size_t file, std::uint32_t id) const noexcept {
    if (file >= by_id.size() || id >= by_id[file].size() || by_id[file][id] == kUnknown) return nullptr;
    return &list[by_id[file][id]];
  }
};

/// Gives each definition a number of a call, and each layer a communicator. Definitions beyond what numbers of calls
/// can tell apart are left out.
UserDefinitions unify_user_definitions(std::span<const RankMeta* const> metas, std::vector<NamedCall>& calls,
                                       Communicators& communicators);

/// "i64" of the field at `index` in "thief:i64 why:text"; empty when there is none.
std::string_view user_field_type(std::string_view fields, std::size_t index) noexcept;

}  // namespace meridian
