// SPDX-License-Identifier: Apache-2.0
#include "merger/load/load_ranks.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "merger/load/rank_places.hpp"
#include "merger/model/unwrapped_calls.hpp"
#include "merger/sites/source_names.hpp"
#include "trace/format/rank/rank_container.hpp"
#include "trace/format/rank/rank_end.hpp"
#include "trace/format/rank/rank_identity.hpp"
#include "trace/model/function_keys.hpp"
#include "trace/model/import_keys.hpp"
#include "trace/model/options.hpp"
#include "trace/model/rank_list.hpp"
#include "trace/model/sample_keys.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

/// Properties that the files of one run share.
struct RunKey {
  std::string run;
  std::int32_t world_size = 0;
  friend auto operator<=>(const RunKey&, const RunKey&) = default;
};
using Runs = std::map<RunKey, std::vector<FoundRank>>;

/// A rank that died early may not have recorded the name of its run: it belongs to the other run if there is only one.
void place_nameless(Runs& runs) {
  if (runs.size() != 2 || !runs.begin()->first.run.empty()) return;
  auto& [key, files] = *std::next(runs.begin());
  if (runs.begin()->first.world_size != key.world_size) return;
  std::ranges::move(runs.begin()->second, std::back_inserter(files));
  runs.erase(runs.begin());
}

Error several_runs(const fs::path& directory, const Runs& runs) {
  std::string what =
      "directory '" + directory.string() + "' holds rank files of " + std::to_string(runs.size()) + " runs: ";
  bool is_first = true;
  for (const auto& [key, files] : runs) {
    what += (is_first ? "" : "; ") + files.front().name;
    if (files.size() > 1) what += " and " + std::to_string(files.size() - 1) + " more";
    what += " of a run of " + files.front().file.meta().executable + " on " + std::to_string(key.world_size) + " ranks";
    is_first = false;
  }
  return {Errc::invalid_argument, what,
          "keep each run in a directory of its own, or merge the largest of them with --force"};
}

/// Chooses the run to load: the only one, or the one with the most ranks.
Result<std::vector<FoundRank>> choose(const fs::path& directory, Runs runs, bool force, Findings& findings) {
  if (runs.size() > 1 && !force) return several_runs(directory, runs);
  const auto chosen = std::ranges::max_element(runs, {}, [](const auto& run) {
    return std::pair{run.second.size(), -run.second.front().file.meta().rank};
  });
  for (auto run = runs.begin(); run != runs.end(); ++run)
    if (run != chosen)
      for (const FoundRank& opened : run->second) findings.add(FindingId::rank_foreign, 1, opened.name);
  return std::move(chosen->second);
}

FindingId finding_of(std::size_t loss) {
  switch (static_cast<Loss>(loss)) {
    case Loss::ring_full:
      return FindingId::loss_ring_full;
    case Loss::no_slot:
      return FindingId::loss_no_slot;
    case Loss::no_memory:
      return FindingId::loss_no_memory;
    case Loss::too_long:
      return FindingId::loss_too_long;
    case Loss::writer_gone:
      return FindingId::loss_writer_gone;
    case Loss::user_nested:
      return FindingId::loss_user_nested;
    case Loss::user_refused:
      return FindingId::loss_user_refused;
    case Loss::no_card:
      return FindingId::loss_no_card;
    case Loss::stack_full:
      return FindingId::loss_stack_full;
    case Loss::nested_deep:
      return FindingId::loss_nested_deep;
    default:
      return FindingId::loss_other;
  }
}

void report_flaws(const RankMeta& meta, std::span<const World> worlds, Findings& findings) {
  const std::string rank = rank_name(worlds, meta.rank);
  for (std::size_t i = 0; i < meta.losses.size(); ++i)
    if (meta.losses[i] != 0) findings.add(finding_of(i), meta.losses[i], rank + ": " + std::to_string(meta.losses[i]));
  for (const TextRow& text : meta.texts) {
    if (text.key == kThrottledKey) findings.add(FindingId::filter_throttled, 1, rank + ": " + text.value);
    if (text.key == kUnseenKey) findings.add(FindingId::call_unseen, 1, rank + ": " + text.value);
    if (text.key == kImportLeftOutKey || text.key == kImportOneSidedKey) {
      std::uint64_t count = 0;
      std::from_chars(text.value.data(), text.value.data() + text.value.size(), count);
      findings.add(text.key == kImportLeftOutKey ? FindingId::import_left_out : FindingId::import_one_sided, count,
                   rank + ": " + text.value);
    }
    if (text.key == kScriptUnreadKey) findings.add(FindingId::site_python_unread, 1, rank + ": " + text.value);
    if (text.key == kHostLostKey) findings.add(FindingId::rank_host_lost, 1, rank + ": " + text.value);
    if (text.key == kPythonRefusedKey) findings.add(FindingId::samples_python_refused, 1, rank + ": " + text.value);
    if (text.key == kSamplesRefusedKey) findings.add(FindingId::samples_refused, 1, rank + ": " + text.value);
    if (text.key == kSamplesBlockedKey)
      findings.add(FindingId::samples_blocked, 1, rank + ": thread " + std::to_string(text.handle));
    if (text.key == kProcessorRefusedKey) findings.add(FindingId::processor_refused, 1, rank + ": " + text.value);
    if (text.key == kSamplesLostKey) {
      std::uint64_t count = 0;
      std::from_chars(text.value.data(), text.value.data() + text.value.size(), count);
      findings.add(FindingId::samples_lost, count, rank + ": " + text.value);
    }
    if (text.key == kFunctionThrottledKey)
      findings.add(FindingId::user_function_throttled, 1, rank + ": " + source_name(text.value));
    if (text.key == kFunctionsLeftOutKey) findings.add(FindingId::user_function_left_out, 1, rank + ": " + text.value);
    if (text.key == kProfileKey) findings.add(FindingId::recording_profile, 1, rank + ": " + text.value + " calls");
    if (text.key == kRecorderKey)
      findings.add(FindingId::recording_recorder, 1, rank + ": " + text.value + " calls before");
    if (text.key == kRecorderTagsKey) findings.add(FindingId::recording_recorder_tags, 1, rank);
    if (text.key == kShortCallsKey) findings.add(FindingId::recording_short_calls, 1, rank + ": " + text.value);
    if (text.key == kFullKey) findings.add(FindingId::filter_full, 1, rank + ": " + text.value);
  }
  for (const UnrecordedCalls& calls : unwrapped_calls(meta))
    findings.add(FindingId::call_unwrapped, 1, [&] {
      std::string example = rank + ": " + calls.path + ":";
      for (const std::string& name : calls.names) example += " " + name;
      return example;
    });
  if (!meta.is_finalized) {
    const std::string end = describe_end(rank_end_of(meta).how);
    findings.add(FindingId::rank_unfinished, 1, end.empty() ? rank : rank + ": " + end);
  }
  for (const Unreadable& table : meta.unreadable)
    findings.add(FindingId::rank_damaged_tables, table.count, rank + ": " + table.what);
  for (std::size_t i = 0; i < meta.calls.size() && i < meta.call_names.size(); ++i)
    if (meta.calls[i] == CallId::none && !meta.call_names[i].empty())
      findings.add(FindingId::call_unknown, 1, meta.call_names[i]);
}

struct LoadedWorld {
  World world;
  std::vector<FoundRank> files;    // ordered by rank
  std::set<std::int32_t> present;  // ranks in the world
  std::set<std::int32_t> unreadable;
};

/// The lists of ranks that the files of a world name as traced.
std::set<std::string> traced_lists(const LoadedWorld& world) {
  const std::string wanted = "option." + std::string{info(OptionId::ranks).variable};
  std::set<std::string> lists;
  for (const FoundRank& opened : world.files)
    for (const TextRow& text : opened.file.meta().texts)
      if (text.key == kTracedRanksKey || text.key == wanted) lists.insert(text.value);
  return lists;
}

/// Notes of recordings that were not finished, with the reason.
using Leftovers = std::vector<std::pair<fs::path, Error>>;

/// Lets the other processes try: the rings of a rank are on its node.
Status finish_elsewhere(const fs::path& directory, const DirectoryContents& contents, RankReaders& readers,
                        Leftovers& leftovers) {
  std::vector<fs::path> notes;
  for (const auto& [note, reason] : leftovers) notes.push_back(note);
  notes.insert(notes.end(), contents.finished.begin(), contents.finished.end());
  if (notes.empty()) return {};
  MERIDIAN_TRY(const std::vector<Status> results, readers.finish(directory, notes));
  Leftovers left;
  for (std::size_t i = 0; i < leftovers.size(); ++i)
    if (!results[i]) {
      const bool is_of_node = results[i].error().code != Errc::invalid_argument;
      left.emplace_back(leftovers[i].first, is_of_node ? results[i].error() : leftovers[i].second);
    }
  leftovers = std::move(left);
  return {};
}

/// Finishes unfinished recordings if possible.  leftovers: those that remain.
Result<DirectoryContents> finish_leftovers(const fs::path& directory, const RecoverRank& recover, RankReaders* readers,
                                           Leftovers& leftovers) {
  MERIDIAN_TRY(DirectoryContents contents, list_contents(directory));
  for (const fs::path& note : contents.finished)
    if (recover) static_cast<void>(bool{recover(note, directory)});  // files that cannot be removed do no harm
  for (const fs::path& note : contents.notes) {
    const Status status = recover ? recover(note, directory) : Status{Error{Errc::unsupported, "not tried", ""}};
    if (!status) leftovers.emplace_back(note, status.error());
  }
  if (recover && readers != nullptr) MERIDIAN_TRY_DO(finish_elsewhere(directory, contents, *readers, leftovers));
  if (contents.notes.empty()) return contents;
  return list_contents(directory);
}

/// Loads the files of one directory. A directory without files is permitted if `may_be_empty`.
Result<std::optional<LoadedWorld>> load_world(const fs::path& directory, const RecoverRank& recover, bool force,
                                              bool may_be_empty, RankReaders* readers, Findings& findings) {
  Leftovers leftovers;
  MERIDIAN_TRY(const DirectoryContents contents, finish_leftovers(directory, recover, readers, leftovers));
  for (const auto& [note, reason] : leftovers)
    findings.add(FindingId::rank_leftover, 1, note.filename().string() + ": " + reason.what);
  if (contents.rank_files.empty() && contents.containers.empty()) {
    if (may_be_empty) return std::optional<LoadedWorld>{};
    if (leftovers.empty()) return nothing_here(directory, contents);
    return Error{Errc::not_found,
                 "directory '" + directory.string() + "' holds no rank files yet: " +
                     leftovers.front().first.filename().string() + ": " + leftovers.front().second.what,
                 leftovers.front().second.code == Errc::io
                     ? "make room there, or copy the directory to where there is room and merge the copy"
                 : leftovers.front().second.hint.empty() ? "merge on the node where the program ran, when it has ended"
                                                         : leftovers.front().second.hint};
  }

  LoadedWorld loaded;
  Runs runs;
  MERIDIAN_TRY(FoundRanks found, open_ranks(contents, readers));
  for (const UnreadableRank& rank : found.unreadable) {
    findings.add(FindingId::rank_unreadable, 1, rank.name + ": " + rank.error.what);
    loaded.unreadable.insert(rank.rank);
  }
  for (FoundRank& rank : found.ranks) {
    RunKey key{run_of(rank.file.meta()), rank.file.meta().size};
    runs[std::move(key)].push_back(std::move(rank));
  }
  if (runs.empty()) {
    if (may_be_empty) return std::optional<LoadedWorld>{};
    Error first = std::move(found.unreadable.front().error);
    if (found.unreadable.size() > 1)
      first.what = "none of the " + std::to_string(found.unreadable.size()) + " rank files in '" + directory.string() +
                   "' can be read; the first: " + first.what;
    return first;
  }

  place_nameless(runs);
  MERIDIAN_TRY(std::vector<FoundRank> chosen, choose(directory, std::move(runs), force, findings));
  std::ranges::stable_sort(chosen, {}, [](const FoundRank& opened) {
    const std::int32_t rank = opened.file.meta().rank;
    return std::pair{rank, rank_in_name(opened.name) != rank};
  });
  loaded.world.directory = directory.string();
  for (FoundRank& opened : chosen) {
    const RankMeta& meta = opened.file.meta();
    if (!loaded.present.insert(meta.rank).second) {
      if (!force)
        return Error{Errc::invalid_argument,
                     "directory '" + directory.string() + "' holds two files of rank " + std::to_string(meta.rank) +
                         "; one is " + opened.name,
                     "remove one of them, or take the one with the right name with --force"};
      findings.add(FindingId::rank_foreign, 1, opened.name);
      continue;
    }
    loaded.world.size = meta.size;
    loaded.files.push_back(std::move(opened));
  }
  return std::optional{std::move(loaded)};
}

}  // namespace

Result<LoadedRanks> load_ranks(std::span<const fs::path> directories, const RecoverRank& recover, bool force,
                               Findings& findings, RankReaders* readers) {
  std::vector<LoadedWorld> worlds;
  for (const fs::path& given : directories)
    for (const fs::path& directory : world_directories(given)) {
      MERIDIAN_TRY(std::optional<LoadedWorld> world,
                   load_world(directory, recover, force, directory != given, readers, findings));
      if (world) worlds.push_back(*std::move(world));
    }
  LoadedRanks loaded;
  std::uint64_t there = 0;
  for (const LoadedWorld& world : worlds) {
    loaded.worlds.push_back(world.world);
    there += world.files.size();
  }
  MERIDIAN_TRY_DO(check_sizes(loaded.worlds, there, directories.front()));
  loaded.ranks = count_ranks(loaded.worlds);
  std::vector<std::int32_t> missing, untraced;
  std::set<fs::path> paths;
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    const World& world = loaded.worlds[i];
    const std::set<std::string> traced = traced_lists(worlds[i]);
    const auto is_traced = [&traced](std::int32_t rank) {
      return std::ranges::all_of(traced, [rank](const std::string& list) { return list_has_rank(list, rank); });
    };
    for (FoundRank& opened : worlds[i].files) {
      opened.file.place_in_world(static_cast<std::uint32_t>(i), world.first_rank);
      report_flaws(opened.file.meta(), loaded.worlds, findings);
      paths.insert(opened.path);
      loaded.places.push_back({opened.path, opened.group});
      loaded.files.push_back(std::move(opened.file));
    }
    for (std::int32_t rank = 0; rank < world.size; ++rank)
      if (!worlds[i].present.contains(rank) && !worlds[i].unreadable.contains(rank))
        (is_traced(rank) ? missing : untraced).push_back(world.first_rank + rank);
  }
  for (const fs::path& path : paths) {
    std::error_code ignored;
    const std::uintmax_t bytes = fs::file_size(path, ignored);
    loaded.bytes += ignored ? 0 : bytes;
  }
  if (!missing.empty()) findings.add(FindingId::rank_missing, missing.size(), "rank " + rank_ranges(missing));
  if (!untraced.empty()) findings.add(FindingId::rank_untraced, untraced.size(), "rank " + rank_ranges(untraced));
  return loaded;
}

}  // namespace meridian
