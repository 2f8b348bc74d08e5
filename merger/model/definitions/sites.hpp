// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "merger/model/definitions/paths.hpp"
#include "trace/containers/index_map.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

inline constexpr std::uint32_t kNoSite = 0;
inline constexpr std::uint32_t kNoModule = 0;

/// A file with code that ranks loaded.
struct Module {
  std::string path;      ///< empty: unknown, or not from a file
  std::string identity;  ///< build id in hex; "stat:SIZE:TIME"; "-"
  bool is_mpi = false;   ///< the MPI library itself or its Fortran library
  bool is_tracer = false;
  bool is_script = false;  ///< what an interpreter runs: its sites have names (SiteTable::line())
};

/// A line of a script.
struct ScriptLine {
  std::string function, file;
  std::uint32_t line = 0;  ///< 0: unknown
};

/// A point in the program from which calls were made.
struct Site {
  std::uint32_t module = kNoModule;
  std::uint64_t offset =
      0;  ///< return address minus the module's load bias; for module 0: the address itself; of a script:
          ///< its line, and a hash of the function's name above
};

/// Modules and sites of all ranks, each once: sites with the same build id (or path and identity) and offset are equal.
class SiteTable {
 public:
  static constexpr std::size_t kMaxSites = 1 << 16;  ///< including entry 0: indexes have 16 bits

  explicit SiteTable(std::size_t most = kMaxSites) : most_{most}, modules_(1), sites_(1) {}

  std::uint32_t module(const Module& module);
  /// kNoSite if the table is full.
  std::uint32_t site(std::uint32_t module, std::uint64_t offset);
  std::uint32_t site(const ScriptLine& line);
  /// The site that another table has as `site`.
  std::uint32_t site(const SiteTable& other, std::uint32_t site);
  /// The names of a site of a script.
  const ScriptLine& line(std::uint32_t site) const { return lines_.at(site); }

  const std::vector<Module>& modules() const noexcept { return modules_; }
  /// Entry 0 means "no site".
  const std::vector<Site>& sites() const noexcept { return sites_; }
  bool is_full() const noexcept { return is_full_; }

 private:
  std::size_t most_;
  std::vector<Module> modules_;
  std::vector<Site> sites_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> module_of_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> site_of_;
  std::map<std::uint32_t, ScriptLine> lines_;  // by site
  bool is_full_ = false;
};

/// Resolves the return addresses and call stacks of one rank.
class RankSites {
 public:
  /// `table` and `paths` must outlive it.
  RankSites(const RankMeta& meta, SiteTable& table, PathTable& paths) : RankSites{meta, table, paths, meta.stacks} {}
  /// With other stacks of the same rank.
  RankSites(const RankMeta& meta, SiteTable& table, PathTable& paths, const std::vector<StackRow>& stacks);

  /// The call path, as an index in the table of paths, of a call made from `node` of the rank's stacks. Without a
  /// recorded stack (0), the path of the return address.
  std::uint32_t path(std::uint64_t address, std::uint32_t node) {
    if (node != 0 && node < nodes_.size()) return nodes_[node];
    const std::uint32_t known = known_.find({address});
    return known != IndexMap<HandleKey>::kNone ? known : add(address);
  }
  /// The site of the function that begins at `address`: the return address of a call in its first byte. kNoSite: no
  /// known file was loaded there.
  std::uint32_t function(std::uint64_t address);
  /// A line of a script, as the value of a text with kScriptKey has it.
  void add_line(std::uint64_t address, std::string_view text);

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
  std::map<std::uint64_t, ScriptLine> lines_;  // by address
  IndexMap<HandleKey> known_;                  // paths without callers, by address
  std::vector<std::uint32_t> nodes_;           // [stacks]: index in the table of paths
};

}  // namespace meridian
