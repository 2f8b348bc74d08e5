// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "merger/model/clocks.hpp"
#include "merger/model/definitions/objects.hpp"
#include "merger/model/definitions/sites.hpp"
#include "merger/model/named_call.hpp"
#include "merger/model/recording_gaps.hpp"
#include "merger/model/user_definitions.hpp"
#include "trace/definitions/communicators.hpp"
#include "trace/definitions/worlds.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// Used as an index: the rank has no file.
inline constexpr std::uint32_t kMissingRank = 0xffffffff;

/// The ranks of a trace with the results of the passes.
/// A lock whose address lies in a loaded file.
struct LockSite {
  std::uint64_t object = 0;
  std::uint32_t site = kNoSite;
};

struct Trace {
  std::vector<RankFile*> files;             ///< ordered by rank
  std::vector<World> worlds;                ///< at least one
  std::vector<std::uint32_t> rank_index;    ///< [ranks of all worlds]: index in `files`, or kMissingRank
  std::vector<NamedCall> calls;             ///< rows of /calls in the merged file
  std::vector<std::uint16_t> unknown_call;  ///< [files]: number of the calls that this build does not know
  Communicators communicators;
  UserDefinitions user;
  Objects objects;
  TraceGaps gaps;
  Clocks clocks;
  std::unique_ptr<SiteTable> sites;                  ///< filled while calls are read
  std::unique_ptr<PathTable> paths;                  ///< likewise
  std::vector<RankSites> rank_sites;                 ///< [files]
  std::vector<std::vector<std::uint32_t>> routines;  ///< [files][threads]: site of the start routine
  std::vector<std::vector<LockSite>> lock_sites;     ///< [files]: the locks in the memory of programs and libraries
  std::uint64_t events = 0;
  bool has_sites = false;   ///< some calls have a site
  bool has_stacks = false;  ///< some calls have a stack
};

}  // namespace meridian
