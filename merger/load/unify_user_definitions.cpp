// SPDX-License-Identifier: Apache-2.0
#include "merger/load/unify_user_definitions.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "merger/sites/source_names.hpp"
#include "trace/model/function_keys.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostCalls = std::numeric_limits<std::uint16_t>::max();
constexpr std::uint32_t kLargestId = 1u << 20;  // a larger number means damage

using Key = std::tuple<std::string, std::string, UserKind, std::string>;

/// Instrumented functions are named by their symbols.
Key key_of(const UserDefinitionRow& row) {
  return {row.level, row.level == kFunctionLevel ? source_name(row.name) : row.name, row.kind, row.fields};
}

bool is_message(UserKind kind) noexcept { return kind == UserKind::send || kind == UserKind::receive; }

bool makes_sense(const UserDefinitionRow& row) noexcept {
  return row.id <= kLargestId && row.kind != UserKind::none && static_cast<std::size_t>(row.kind) < kUserKindCount;
}

}  // namespace

std::string user_call_name(const UserDefinition& definition) {
  switch (definition.kind) {
    case UserKind::event:
      return definition.level + "." + definition.name;
    case UserKind::send:
      return definition.name + " send";
    case UserKind::receive:
      return definition.name + " receive";
    default:
      return definition.name;
  }
}

UserDefinitions unify_user_definitions(std::span<const RankMeta* const> metas, std::vector<NamedCall>& calls,
                                       Communicators& communicators) {
  UserDefinitions result;
  result.first_call = calls.size();
  std::map<Key, std::uint32_t> places;
  for (const RankMeta* meta : metas)
    for (const UserDefinitionRow& row : meta->user_definitions)
      if (makes_sense(row)) places.try_emplace(key_of(row));
  std::map<std::string, std::uint32_t> layers;
  for (auto& [key, place] : places) {
    place = static_cast<std::uint32_t>(result.list.size());
    if (calls.size() == kMostCalls) {
      place = UserDefinitions::kUnknown;
      continue;
    }
    const auto& [level, name, kind, fields] = key;
    UserDefinition definition{kind, level, name, fields, static_cast<std::uint16_t>(calls.size()), kNoComm};
    if (is_message(kind))
      definition.layer = layers.try_emplace(name, static_cast<std::uint32_t>(layers.size())).first->second;
    calls.push_back({user_call_name(definition), "user"});
    result.list.push_back(std::move(definition));
  }
  const auto first_comm = static_cast<std::uint32_t>(communicators.list.size());
  const auto worlds = static_cast<std::uint32_t>(communicators.world_comms.size());
  communicators.list.resize(first_comm + layers.size() * worlds);
  const auto world_group = [&](std::uint32_t world) {
    return communicators.list[communicators.world_comms[world]].group;
  };
  for (const auto& [name, layer] : layers)
    for (std::uint32_t world = 0; world < worlds; ++world)
      communicators.list[first_comm + layer * worlds + world] = {CommKind::user, kNoComm, name, world_group(world),
                                                                 kNoGroup};
  for (const RankMeta* meta : metas) {
    auto& ids = result.by_id.emplace_back();
    for (const UserDefinitionRow& row : meta->user_definitions) {
      if (!makes_sense(row)) continue;
      if (ids.size() <= row.id) ids.resize(row.id + 1, UserDefinitions::kUnknown);
      ids[row.id] = places.at(key_of(row));
    }
    const Group* const everybody = &communicators.groups[world_group(meta->world)];
    auto& own = result.layers.emplace_back();
    for (std::uint32_t layer = 0; layer < layers.size(); ++layer)
      own.push_back({.comm = first_comm + layer * worlds + meta->world,
                     .rank = meta->rank - meta->first_rank,
                     .number = layer,
                     .side = 0,
                     .is_inter = false,
                     .own = everybody,
                     .peers = everybody});
  }
  return result;
}

}  // namespace meridian
