// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "merger/containers/index_map.hpp"
#include "merger/model/paths.hpp"
#include "trace/format/rank_file.hpp"

namespace meridian {

inline constexpr std::uint32_t kNoSite = 0;
inline constexpr std::uint32_t kNoModule = 0;

/// A file that was loaded in ranks.
struct Module {
  std::string path;      ///< empty: no file, or an unknown one
  std::string identity;  ///< build id in hex; "stat:SIZE:TIME"; "-"
  bool is_mpi = false;   ///< the MPI library itself, or its Fortran side
  bool is_tracer = false;
};

/// A place in the program that calls were made from.
struct Site {
  std::uint32_t module = kNoModule;
  std::uint64_t offset = 0;  ///< return address less the module's load bias; of module 0: the address itself
};

/// Modules and sites of all ranks, each once: equal is what has the same build id (or path and identity) and offset.
class SiteTable {
 public:
  static constexpr std::size_t kMaxSites = 1 << 16;  ///< with the one that is none: numbers have 16 bits

  SiteTable() : modules_(1), sites_(1) {}

  std::uint32_t module(const Module& module);
  /// kNoSite when there are too many.
  std::uint32_t site(std::uint32_t module, std::uint64_t offset);

  const std::vector<Module>& modules() const noexcept { return modules_; }
  /// Entry 0 is no site.
  const std::vector<Site>& sites() const noexcept { return sites_; }
  bool is_full() const noexcept { return is_full_; }

 private:
  std::vector<Module> modules_;
  std::vector<Site> sites_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> module_of_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> site_of_;
  bool is_full_ = false;
};

/// What the return addresses and the call stacks of one rank mean.
class RankSites {
 public:
  /// `table` and `paths` must outlive it.
  RankSites(const RankMeta& meta, SiteTable& table, PathTable& paths);

  /// The call path, by its number in the table of paths, of a call that was made from `node` of the rank's stacks;
  /// 0: its stack was not recorded, it returns to `address`.
  std::uint32_t path(std::uint64_t address, std::uint32_t node) {
    if (node != 0 && node < nodes_.size()) return nodes_[node];
    const std::uint32_t known = known_.find({address});
    return known != IndexMap<HandleKey>::kNone ? known : add(address);
  }
  /// The site that stands for the function that begins at `address`: where a call would return to that was its first
  /// byte. kNoSite: no file is known to have been there.
  std::uint32_t function(std::uint64_t address);

 private:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t bias = 0;
    std::uint32_t module = kNoModule;
  };
  [[gnu::noinline]] std::uint32_t add(std::uint64_t address);
  const Range* find(std::uint64_t address) const;
  std::uint32_t site(std::uint64_t address);
  void add_stacks(const std::vector<StackRow>& rows);

  SiteTable* table_;
  PathTable* paths_;
  std::vector<Range> ranges_;
  IndexMap<HandleKey> known_;         // paths without callers, by address
  std::vector<std::uint32_t> nodes_;  // [RankMeta::stacks]: paths
};

}  // namespace meridian
