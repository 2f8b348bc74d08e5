// SPDX-License-Identifier: Apache-2.0
#include "merger/load/rank_places.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "merger/readers/rank_place.hpp"
#include "trace/definitions/worlds.hpp"
#include "trace/format/rank/rank_container.hpp"
#include "trace/format/rank/rank_identity.hpp"
#include "trace/ring/ring_note.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

bool is_named(const fs::path& path, std::string_view suffix) {
  const std::string name = path.filename().string();
  return name.starts_with("rank-") && name.ends_with(suffix);
}

bool holds_ranks(const fs::path& directory) {
  std::error_code problem;
  for (fs::directory_iterator entry{directory, problem}, end; !problem && entry != end; entry.increment(problem))
    if (is_named(entry->path(), ".h5") || is_named(entry->path(), ".ring") || is_container_name(entry->path()))
      return true;
  return false;
}

struct NamedPlace {
  RankPlace place;
  std::string name;
};

Result<RankFile> with_valid_rank(Result<RankFile> file, const fs::path& name) {
  if (file && !has_valid_rank(file->meta()))
    return Error{Errc::damaged, "'" + name.string() + "' does not say which rank it is of", ""};
  return file;
}

}  // namespace

Result<DirectoryContents> list_contents(const fs::path& directory) {
  std::error_code problem;
  const fs::file_status status = fs::status(directory, problem);
  if (!fs::exists(status))
    return Error{Errc::not_found, "there is no directory '" + directory.string() + "'",
                 "give the directory that `meridian run` made (meridian-<program>-<date>-...)"};
  if (!fs::is_directory(status))
    return Error{Errc::invalid_argument, "'" + directory.string() + "' is not a directory",
                 "give the directory that holds the rank files"};
  DirectoryContents contents;
  for (fs::directory_iterator entry{directory, problem}, end; !problem && entry != end; entry.increment(problem)) {
    const fs::path& path = entry->path();
    std::error_code ignored;
    if (is_named(path, ".h5"))
      contents.rank_files.push_back(path);
    else if (is_container_name(path))
      contents.containers.push_back(path);
    else if (is_named(path, ".ring"))
      contents.notes.push_back(path);
    else if (is_named(path, kFinishedNote))
      contents.finished.push_back(path);
    else if (entry->is_directory(ignored) && holds_ranks(path))
      contents.run_directories.push_back(path.string());
    else
      contents.others.push_back(path.filename().string());
  }
  if (problem)
    return Error{Errc::io, "cannot list '" + directory.string() + "': " + problem.message(), "check its permissions"};
  std::ranges::sort(contents.rank_files);
  std::ranges::sort(contents.containers);
  std::ranges::sort(contents.notes);
  std::ranges::sort(contents.others);
  std::ranges::sort(contents.run_directories);
  return contents;
}

Error nothing_here(const fs::path& directory, const DirectoryContents& contents) {
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

namespace {

FoundRanks sort_out(std::vector<NamedPlace> places, std::vector<Result<RankFile>> files, bool has_containers) {
  FoundRanks found;
  std::set<RankIdentity> known;  // needed only if there are containers
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto& [place, name] = places[i];
    Result<RankFile> file =
        with_valid_rank(std::move(files[i]), place.group.empty() ? place.file : place.file / place.group);
    if (!file) {
      const std::int32_t rank = rank_in_name(fs::path{name}.filename());
      found.unreadable.push_back({std::move(name), rank, std::move(file).error()});
      continue;
    }
    const bool is_in_container = has_containers && is_container_name(place.file);
    if (has_containers && !known.insert(identity_of(file->meta())).second && is_in_container) continue;
    found.ranks.push_back({std::move(place.file), std::move(name), *std::move(file), std::move(place.group)});
  }
  return found;
}

}  // namespace

Result<RankFile> open_valid_rank(const fs::path& path) { return with_valid_rank(RankFile::open(path), path); }

Result<FoundRanks> open_ranks(const DirectoryContents& contents, RankReaders* readers) {
  std::vector<NamedPlace> places;
  std::vector<UnreadableRank> unreadable;
  for (const fs::path& path : contents.rank_files) places.push_back({{path, ""}, path.filename().string()});
  for (const fs::path& path : contents.containers) {
    const auto container = RankContainer::open(path);
    if (!container)
      unreadable.push_back({path.filename().string(), -1, container.error()});
    else if (container->groups().empty())
      unreadable.push_back(
          {path.filename().string(), -1, Error{Errc::damaged, "container '" + path.string() + "' holds no ranks", ""}});
    else
      for (const std::string& group : container->groups()) places.push_back({{path, group}, container->name_of(group)});
  }
  std::vector<RankPlace> bare;
  bare.reserve(places.size());
  for (const NamedPlace& each : places) bare.push_back(each.place);
  std::vector<Result<RankFile>> files;
  if (readers != nullptr) {
    MERIDIAN_TRY(files, readers->open(bare));
  } else {
    PlaceOpener opener;
    files.reserve(bare.size());
    for (const RankPlace& place : bare) files.push_back(opener.open(place));
  }
  FoundRanks found = sort_out(std::move(places), std::move(files), !contents.containers.empty());
  std::ranges::move(unreadable, std::back_inserter(found.unreadable));
  return found;
}

}  // namespace meridian
