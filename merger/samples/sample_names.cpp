// SPDX-License-Identifier: Apache-2.0
#include "merger/samples/sample_names.hpp"

#include <tuple>
#include <utility>

#include "merger/sites/resolve_sites.hpp"
#include "trace/format/tables/column_table.hpp"

namespace meridian {

void SampleNamesBuilder::add(std::size_t index, const RankMeta& meta, const std::vector<StackRow>& stacks) {
  RankSites rank{meta, sites_, paths_, stacks};
  std::vector<std::uint32_t>& paths = path_of_stack_[index];
  paths.assign(stacks.size(), kNoPath);
  for (std::uint32_t stack = 1; stack < stacks.size(); ++stack) paths[stack] = rank.path(0, stack);
}

void SampleNamesBuilder::resolve(Findings& findings) {
  Findings own;  // call sites have the same files, and report what is wrong with these
  const std::vector<SourcePlace> found = resolve_sites(sites_, own);
  if (const std::uint64_t count = own.count(FindingId::site_unreadable); count != 0)
    findings.add(FindingId::samples_unreadable, count);
  for (const Module& module : sites_.modules()) names_.modules.push_back({module.path});
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::string, std::string, std::string, std::uint32_t>,
           std::uint32_t>
      known;
  std::vector<std::uint32_t> place_of_site(sites_.sites().size());
  names_.places.emplace_back();
  for (std::size_t i = 1; i < place_of_site.size(); ++i) {
    const Site& site = sites_.sites()[i];
    const SourcePlace& place = found[i];
    const std::uint64_t offset = place.function.empty() ? site.offset : 0;
    const auto [at, is_new] =
        known.try_emplace({site.module, offset, place.function, place.outer, place.file, place.line},
                          static_cast<std::uint32_t>(names_.places.size()));
    if (is_new) names_.places.push_back({site.module, offset, place.function, place.outer, place.file, place.line});
    place_of_site[i] = at->second;
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known_paths;
  for (std::size_t i = 0; i < paths_.paths().size(); ++i) {
    const CallPath& path = paths_.paths()[i];
    const bool has_place = i >= kPathsWithoutPlace;
    const SamplePath row{has_place ? path_of_path_[path.parent] : 0, has_place ? place_of_site[path.site] : 0};
    const auto number = static_cast<std::uint32_t>(names_.paths.size());
    const auto [at, is_new] =
        has_place ? known_paths.try_emplace({row.parent, row.place}, number) : std::pair{known_paths.end(), true};
    if (is_new) names_.paths.push_back(row);
    path_of_path_.push_back(is_new ? number : at->second);
  }
}

std::uint32_t SampleNamesBuilder::path(std::size_t index, std::uint32_t stack) const {
  const std::vector<std::uint32_t>& paths = path_of_stack_.at(index);
  return stack < paths.size() ? path_of_path_[paths[stack]] : kNoPath;
}

Status SampleNamesBuilder::write(hid_t file, const std::vector<SampleRank>& ranks,
                                 const std::vector<SampleThread>& threads) const {
  MERIDIAN_TRY_DO(write_column_table(file, kSampleRanks, kSampleRankColumns, ranks));
  MERIDIAN_TRY_DO(write_column_table(file, kSampleThreads, kSampleThreadColumns, threads));
  MERIDIAN_TRY_DO(write_column_table(file, kSampleModules, kSampleModuleColumns, names_.modules));
  MERIDIAN_TRY_DO(write_column_table(file, kSamplePlaces, kSamplePlaceColumns, names_.places));
  return write_column_table(file, kSamplePaths, kSamplePathColumns, names_.paths);
}

}  // namespace meridian
