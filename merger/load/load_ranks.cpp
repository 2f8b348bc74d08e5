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

#include "trace/format/rank/rank_end.hpp"
#include "trace/model/import_keys.hpp"
#include "trace/model/text_fields.hpp"
#include "trace/ring/ring_note.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

struct Contents {
  std::vector<fs::path> rank_files;
  std::vector<fs::path> notes;
  std::vector<fs::path> finished;  // .done files of complete ranks whose leftovers may not be removed yet
  std::vector<std::string> others;
  std::vector<std::string> run_directories;  // subdirectories that hold rank files
};

bool is_named(const fs::path& path, std::string_view suffix) {
  const std::string name = path.filename().string();
  return name.starts_with("rank-") && name.ends_with(suffix);
}

/// 3 for rank-00003.h5; -1 for another name.
std::int32_t rank_in_name(const fs::path& path) {
  return number_in<std::int32_t>(path.stem().string().substr(5)).value_or(-1);
}

bool holds_rank_files(const fs::path& directory) {
  std::error_code problem;
  for (fs::directory_iterator entry{directory, problem}, end; !problem && entry != end; entry.increment(problem))
    if (is_named(entry->path(), ".h5") || is_named(entry->path(), ".ring")) return true;
  return false;
}

Result<Contents> list(const fs::path& directory) {
  std::error_code problem;
  const fs::file_status status = fs::status(directory, problem);
  if (!fs::exists(status))
    return Error{Errc::not_found, "there is no directory '" + directory.string() + "'",
                 "give the directory that `meridian run` made (meridian-<program>-<date>-...)"};
  if (!fs::is_directory(status))
    return Error{Errc::invalid_argument, "'" + directory.string() + "' is not a directory",
                 "give the directory that holds the rank files"};
  Contents contents;
  for (fs::directory_iterator entry{directory, problem}, end; !problem && entry != end; entry.increment(problem)) {
    const fs::path& path = entry->path();
    std::error_code ignored;
    if (is_named(path, ".h5"))
      contents.rank_files.push_back(path);
    else if (is_named(path, ".ring"))
      contents.notes.push_back(path);
    else if (is_named(path, kFinishedNote))
      contents.finished.push_back(path);
    else if (entry->is_directory(ignored) && holds_rank_files(path))
      contents.run_directories.push_back(path.string());
    else
      contents.others.push_back(path.filename().string());
  }
  if (problem)
    return Error{Errc::io, "cannot list '" + directory.string() + "': " + problem.message(), "check its permissions"};
  std::ranges::sort(contents.rank_files);
  std::ranges::sort(contents.notes);
  std::ranges::sort(contents.others);
  std::ranges::sort(contents.run_directories);
  return contents;
}

Error nothing_here(const fs::path& directory, const Contents& contents) {
  if (!contents.run_directories.empty())
    return {Errc::not_found, "directory '" + directory.string() + "' holds no rank files, but a directory in it does",
            "give that one: meridian merge " + contents.run_directories.front()};
  const std::string how = "record a run first, for example: mpirun -n 4 meridian run ./app";
  if (contents.others.empty()) return {Errc::not_found, "directory '" + directory.string() + "' is empty", how};
  std::string names;
  for (std::size_t i = 0; i < contents.others.size() && i < 3; ++i) names += (i == 0 ? "" : ", ") + contents.others[i];
  if (contents.others.size() > 3) names += ", ...";
  return {Errc::not_found, "directory '" + directory.string() + "' holds no rank files (rank-*.h5); it holds " + names,
          how};
}

std::string run_of(const RankMeta& meta) {
  for (const TextRow& text : meta.texts)
    if (text.key == "run" && text.handle == 0) return text.value;
  return "";
}

struct Opened {
  fs::path path;
  RankFile file;
};
/// Properties that the files of one run share.
struct RunKey {
  std::string run;
  std::int32_t world_size = 0;
  friend auto operator<=>(const RunKey&, const RunKey&) = default;
};
using Runs = std::map<RunKey, std::vector<Opened>>;

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
    what += (is_first ? "" : "; ") + files.front().path.filename().string();
    if (files.size() > 1) what += " and " + std::to_string(files.size() - 1) + " more";
    what += " of a run of " + files.front().file.meta().executable + " on " + std::to_string(key.world_size) + " ranks";
    is_first = false;
  }
  return {Errc::invalid_argument, what,
          "keep each run in a directory of its own, or merge the largest of them with --force"};
}

/// Chooses the run to load: the only one, or the one with the most ranks.
Result<std::vector<Opened>> choose(const fs::path& directory, Runs runs, bool force, Findings& findings) {
  if (runs.size() > 1 && !force) return several_runs(directory, runs);
  const auto chosen = std::ranges::max_element(runs, {}, [](const auto& run) {
    return std::pair{run.second.size(), -run.second.front().file.meta().rank};
  });
  for (auto run = runs.begin(); run != runs.end(); ++run)
    if (run != chosen)
      for (const Opened& opened : run->second)
        findings.add(FindingId::rank_foreign, 1, opened.path.filename().string());
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
    if (text.key == kFullKey) findings.add(FindingId::filter_full, 1, rank + ": " + text.value);
  }
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

/// "0, 2-5, 7"
std::string ranges(const std::vector<std::int32_t>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(ranks[i]);
    if (last > i) text += (last == i + 1 ? ", " : "-") + std::to_string(ranks[last]);
    i = last + 1;
  }
  return text;
}

struct LoadedWorld {
  World world;
  std::vector<Opened> files;       // ordered by rank
  std::set<std::int32_t> present;  // ranks in the world
  std::set<std::int32_t> unreadable;
};

/// Finishes unfinished recordings if possible.  leftovers: notes that remain, with the reason.
Result<Contents> finish_leftovers(const fs::path& directory, const RecoverRank& recover,
                                  std::vector<std::pair<fs::path, Error>>& leftovers) {
  MERIDIAN_TRY(Contents contents, list(directory));
  for (const fs::path& note : contents.finished)
    if (recover) static_cast<void>(bool{recover(note, directory)});  // files that cannot be removed do no harm
  if (contents.notes.empty()) return contents;
  for (const fs::path& note : contents.notes) {
    const Status status = recover ? recover(note, directory) : Status{Error{Errc::unsupported, "not tried", ""}};
    if (!status) leftovers.emplace_back(note, status.error());
  }
  return list(directory);
}

/// Loads the files of one directory. A directory without files is permitted if `may_be_empty`.
Result<std::optional<LoadedWorld>> load_world(const fs::path& directory, const RecoverRank& recover, bool force,
                                              bool may_be_empty, Findings& findings) {
  std::vector<std::pair<fs::path, Error>> leftovers;
  MERIDIAN_TRY(const Contents contents, finish_leftovers(directory, recover, leftovers));
  for (const auto& [note, reason] : leftovers)
    findings.add(FindingId::rank_leftover, 1, note.filename().string() + ": " + reason.what);
  if (contents.rank_files.empty()) {
    if (may_be_empty) return std::optional<LoadedWorld>{};
    if (leftovers.empty()) return nothing_here(directory, contents);
    return Error{Errc::not_found,
                 "directory '" + directory.string() + "' holds no rank files yet: " +
                     leftovers.front().first.filename().string() + ": " + leftovers.front().second.what,
                 leftovers.front().second.code == Errc::io
                     ? "make room there, or copy the directory to where there is room and merge the copy"
                     : "merge on the node where the program ran, when it has ended"};
  }

  LoadedWorld loaded;
  Runs runs;
  std::optional<Error> first_error;
  for (const fs::path& path : contents.rank_files) {
    auto file = RankFile::open(path);
    if (file && !has_valid_rank(file->meta()))
      file = Error{Errc::damaged, "'" + path.string() + "' does not say which rank it is of", ""};
    if (!file) {
      findings.add(FindingId::rank_unreadable, 1, path.filename().string() + ": " + file.error().what);
      loaded.unreadable.insert(rank_in_name(path));
      if (!first_error) first_error = file.error();
      continue;
    }
    const RunKey key{run_of(file->meta()), file->meta().size};
    runs[key].push_back({path, *std::move(file)});
  }
  if (runs.empty()) {
    if (may_be_empty) return std::optional<LoadedWorld>{};
    if (contents.rank_files.size() > 1)
      first_error->what = "none of the " + std::to_string(contents.rank_files.size()) + " rank files in '" +
                          directory.string() + "' can be read; the first: " + first_error->what;
    return *std::move(first_error);
  }

  place_nameless(runs);
  MERIDIAN_TRY(std::vector<Opened> chosen, choose(directory, std::move(runs), force, findings));
  std::ranges::stable_sort(chosen, {}, [](const Opened& opened) {
    const std::int32_t rank = opened.file.meta().rank;
    return std::pair{rank, opened.path.filename() != rank_file_name(rank)};
  });
  loaded.world.directory = directory.string();
  for (Opened& opened : chosen) {
    const RankMeta& meta = opened.file.meta();
    if (!loaded.present.insert(meta.rank).second) {
      if (!force)
        return Error{Errc::invalid_argument,
                     "directory '" + directory.string() + "' holds two files of rank " + std::to_string(meta.rank) +
                         "; one is " + opened.path.filename().string(),
                     "remove one of them, or take the one with the right name with --force"};
      findings.add(FindingId::rank_foreign, 1, opened.path.filename().string());
      continue;
    }
    loaded.world.size = meta.size;
    loaded.files.push_back(std::move(opened));
  }
  return std::optional{std::move(loaded)};
}

}  // namespace

Result<LoadedRanks> load_ranks(std::span<const fs::path> directories, const RecoverRank& recover, bool force,
                               Findings& findings) {
  std::vector<LoadedWorld> worlds;
  for (const fs::path& given : directories)
    for (const fs::path& directory : world_directories(given)) {
      MERIDIAN_TRY(std::optional<LoadedWorld> world,
                   load_world(directory, recover, force, directory != given, findings));
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
  std::vector<std::int32_t> missing;
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    const World& world = loaded.worlds[i];
    for (Opened& opened : worlds[i].files) {
      opened.file.place_in_world(static_cast<std::uint32_t>(i), world.first_rank);
      report_flaws(opened.file.meta(), loaded.worlds, findings);
      std::error_code ignored;
      const std::uintmax_t bytes = fs::file_size(opened.path, ignored);
      loaded.bytes += ignored ? 0 : bytes;
      loaded.files.push_back(std::move(opened.file));
    }
    for (std::int32_t rank = 0; rank < world.size; ++rank)
      if (!worlds[i].present.contains(rank) && !worlds[i].unreadable.contains(rank))
        missing.push_back(world.first_rank + rank);
  }
  if (!missing.empty()) findings.add(FindingId::rank_missing, missing.size(), "rank " + ranges(missing));
  return loaded;
}

}  // namespace meridian
