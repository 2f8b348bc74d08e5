// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "merged/model/samples.hpp"
#include "merger/model/definitions/paths.hpp"
#include "merger/model/definitions/sites.hpp"
#include "merger/model/findings.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/format/tables/h5.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The code that ranks were in, each line of a function once. Samples have their own tables: their many addresses would take the
/// room of call sites.
class SampleNamesBuilder {
 public:
  /// Takes the stacks of the samples of file `index`.
  void add(std::size_t index, const RankMeta& meta, const std::vector<StackRow>& stacks);
  /// Finds source locations. After all stacks.
  void resolve(Findings& findings);
  /// The path of a stack. After resolve().
  std::uint32_t path(std::size_t index, std::uint32_t stack) const;
  Status write(hid_t file, const std::vector<SampleRank>& ranks, const std::vector<SampleThread>& threads) const;

 private:
  static constexpr std::size_t kMostSites = std::size_t{1} << 20;

  SiteTable sites_{kMostSites};
  PathTable paths_;
  std::map<std::size_t, std::vector<std::uint32_t>> path_of_stack_;  // [file][stack]: in paths_
  std::vector<std::uint32_t> path_of_path_;                          // [paths_]: in names_.paths
  SampleNames names_;
};

}  // namespace meridian
