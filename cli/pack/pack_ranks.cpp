// SPDX-License-Identifier: Apache-2.0
#include "cli/pack/pack_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "cli/pack/common_access.hpp"
#include "cli/pack/container_name.hpp"
#include "merger/load/rank_places.hpp"
#include "trace/definitions/worlds.hpp"
#include "trace/format/rank/rank_container.hpp"
#include "trace/format/rank/rank_container_writer.hpp"
#include "trace/format/rank/rank_identity.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

struct Recording {
  std::string name;  // as messages name it
  fs::path path;     // the rank file; empty for a group of a container
  RankIdentity identity;
};

/// A container that was there before.
struct Existing {
  RankContainer file;
  bool is_whole = true;          // all of its groups can be read
  std::vector<Recording> ranks;  // by group
};

/// Unreadable tables are damage, too: a copy could lose what another program may still read.
Result<RankIdentity> identify(const Result<RankFile>& file, const fs::path& name) {
  if (!file) return file.error();
  const RankMeta& meta = file->meta();
  if (!has_valid_rank(meta))
    return Error{Errc::damaged, fmt::format("'{}' does not say which rank it is of", name.string()), ""};
  if (!meta.unreadable.empty())
    return Error{Errc::damaged, fmt::format("'{}' is damaged: {}", name.string(), meta.unreadable.front().what), ""};
  return identity_of(meta);
}

std::uint64_t bytes_of_ranks(const fs::path& directory) {
  std::uint64_t bytes = 0;
  std::error_code problem;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, problem)) {
    if (!is_of_ranks(entry.path()) || entry.path().extension() != ".h5") continue;
    std::error_code ignored;
    const std::uintmax_t size = entry.file_size(ignored);
    bytes += ignored ? 0 : size;
  }
  return bytes;
}

/// The ranks of one directory.
class Packing {
 public:
  Packing(fs::path directory, DirectoryContents contents, Packed& result, std::function<void(std::string_view)> step)
      : directory_{std::move(directory)}, contents_{std::move(contents)}, result_{result}, step_{std::move(step)} {}

  Status run() {
    result_.bytes_before += bytes_of_ranks(directory_);
    look_into_containers();
    MERIDIAN_TRY_DO(look_at_files());
    MERIDIAN_TRY_DO(check_runs());
    for (auto& [host, files] : new_files_) MERIDIAN_TRY_DO(pack_host(host, files));
    for (const fs::path& path : superfluous_) MERIDIAN_TRY_DO(remove(path));
    result_.containers += containers_in(directory_).size();
    result_.bytes_after += bytes_of_ranks(directory_);
    return {};
  }

 private:
  void leave(Error error) { result_.left_as_they_are.push_back(std::move(error)); }

  void look_into_containers() {
    for (const fs::path& path : contents_.containers) {
      auto opened = RankContainer::open(path);
      if (!opened) {
        leave(std::move(opened).error());
        continue;
      }
      Existing existing{*std::move(opened), true, {}};
      for (const std::string& group : existing.file.groups()) {
        auto identity = identify(existing.file.rank(group), path / group);
        if (!identity) {
          existing.is_whole = false;
          leave(std::move(identity).error());
          continue;
        }
        existing.ranks.push_back({existing.file.name_of(group), {}, *std::move(identity)});
        packed_.try_emplace(existing.ranks.back().identity.rank, existing.ranks.back());
      }
      result_.ranks_before += existing.ranks.size();
      containers_.push_back(std::move(existing));
    }
  }

  Status look_at_files() {
    std::map<std::int32_t, std::string> names;
    for (const fs::path& path : contents_.rank_files) {
      step_("look at rank files");
      auto identity = identify(RankFile::open(path), path);
      if (!identity) {
        leave(std::move(identity).error());
        continue;
      }
      const std::string name = path.filename().string();
      const auto [other, is_new] = names.try_emplace(identity->rank, name);
      if (!is_new) return recorded_twice(identity->rank, other->second, name);
      const auto packed = packed_.find(identity->rank);
      if (packed == packed_.end())
        new_files_[identity->hostname].push_back({name, path, *identity});
      else if (packed->second.identity == *identity)
        superfluous_.push_back(path);
      else
        return recorded_twice(identity->rank, packed->second.name, name);
    }
    return {};
  }

  Error recorded_twice(std::int32_t rank, const std::string& one, const std::string& other) const {
    return {Errc::invalid_argument,
            fmt::format("'{}' holds two recordings of rank {}: {} and {}", directory_.string(), rank, one, other),
            "move one of them to another directory"};
  }

  Status check_runs() const {
    std::map<std::string, std::string> runs;  // with the name of a rank of each
    const auto add = [&](const Recording& recording) {
      if (!recording.identity.run.empty()) runs.try_emplace(recording.identity.run, recording.name);
    };
    for (const Existing& container : containers_) std::ranges::for_each(container.ranks, add);
    for (const auto& [host, files] : new_files_) std::ranges::for_each(files, add);
    if (runs.size() < 2) return {};
    return Error{Errc::invalid_argument,
                 fmt::format("'{}' holds ranks of {} runs: {} and {} are of different ones", directory_.string(),
                             runs.size(), runs.begin()->second, std::next(runs.begin())->second),
                 "keep each run in a directory of its own"};
  }

  /// The container of the host to which ranks can be added: not one with damage, which a copy could make worse.
  const Existing* container_of(const std::string& host) const {
    const auto found = std::ranges::find_if(
        containers_, [&](const Existing& existing) { return existing.is_whole && existing.file.hostname() == host; });
    return found == containers_.end() ? nullptr : &*found;
  }

  Status pack_host(const std::string& host, std::vector<Recording>& files) {
    const Existing* const earlier = container_of(host);
    const fs::path path = earlier != nullptr ? earlier->file.path() : free_container_path(directory_, host);
    std::vector<fs::path> sources;
    if (earlier != nullptr) sources.push_back(path);
    for (const Recording& file : files) sources.push_back(file.path);
    MERIDIAN_TRY(const CommonAccess access, CommonAccess::common(sources));
    for (;;) {
      MERIDIAN_TRY(RankContainerWriter writer, RankContainerWriter::create(path, host));
      MERIDIAN_TRY_DO(access.give_to(writer.part()));
      if (earlier != nullptr)
        for (const std::string& group : earlier->file.groups()) MERIDIAN_TRY_DO(writer.add(earlier->file, group));
      MERIDIAN_TRY(const std::set<fs::path> damaged, copy_files(writer, files));
      if (!damaged.empty()) {  // begin again without them: what they left in the container would remain in it
        std::erase_if(files, [&](const Recording& file) { return damaged.contains(file.path); });
        if (files.empty()) return {};
        continue;
      }
      MERIDIAN_TRY_DO(writer.close());
      MERIDIAN_TRY_DO(check(writer.part(), earlier, files));
      step_("rename the container");
      MERIDIAN_TRY_DO(writer.put_in_place());
      break;
    }
    result_.ranks += files.size();
    for (const Recording& file : files) MERIDIAN_TRY_DO(remove(file.path));
    return {};
  }

  /// Returns the files that cannot be copied.
  Result<std::set<fs::path>> copy_files(RankContainerWriter& writer, const std::vector<Recording>& files) {
    std::set<fs::path> damaged;
    for (const Recording& file : files) {
      step_("copy ranks");
      Status copied = writer.add(file.path, rank_group_name(file.identity.rank));
      if (copied) continue;
      if (copied.error().code != Errc::damaged) return std::move(copied).error();
      damaged.insert(file.path);
      leave(std::move(copied).error());
    }
    return damaged;
  }

  /// Compares what was written with what it was made from.
  Status check(const fs::path& part, const Existing* earlier, const std::vector<Recording>& files) {
    MERIDIAN_TRY(const RankContainer written, RankContainer::open(part));
    const auto compare = [&](const Recording& recording) -> Status {
      step_("check ranks");
      const std::string group = rank_group_name(recording.identity.rank);
      MERIDIAN_TRY(const RankIdentity identity, identify(written.rank(group), part / group));
      if (identity == recording.identity) return {};
      return Error{
          Errc::damaged,
          fmt::format("'{}' has {} calls in {} segments, and {} has {} in {}", (part / group).string(), identity.calls,
                      identity.segments, recording.name, recording.identity.calls, recording.identity.segments),
          "the rank files are as they were; check the disk"};
    };
    if (earlier != nullptr)
      for (const Recording& recording : earlier->ranks) MERIDIAN_TRY_DO(compare(recording));
    for (const Recording& recording : files) MERIDIAN_TRY_DO(compare(recording));
    return {};
  }

  Status remove(const fs::path& path) {
    step_("remove rank files");
    std::error_code problem;
    fs::remove(path, problem);
    if (problem)
      return Error{Errc::io,
                   fmt::format("cannot remove '{}', which is in a container: {}", path.string(), problem.message()),
                   fmt::format("check the permissions, then: meridian pack '{}'", directory_.string())};
    ++result_.files_removed;
    return {};
  }

  fs::path directory_;
  DirectoryContents contents_;
  Packed& result_;
  std::function<void(std::string_view)> step_;
  std::vector<Existing> containers_;
  std::map<std::int32_t, Recording> packed_;                 // by rank
  std::map<std::string, std::vector<Recording>> new_files_;  // by host
  std::vector<fs::path> superfluous_;                        // rank files whose ranks are in a container
};

Status check_is_finished(const fs::path& directory, const DirectoryContents& contents, const fs::path& trace) {
  const auto& notes = contents.notes.empty() ? contents.finished : contents.notes;
  if (notes.empty()) return {};
  return Error{Errc::invalid_argument,
               fmt::format("'{}' holds recordings that are not finished: {}{}", directory.string(),
                           notes.front().filename().string(),
                           notes.size() > 1 ? fmt::format(" and {} more", notes.size() - 1) : ""),
               fmt::format("first complete them with: meridian merge '{}'", trace.string())};
}

/// The directories of a trace, with what they hold.
struct Worlds {
  std::vector<std::pair<fs::path, DirectoryContents>> worlds;
  std::size_t files = 0;   // rank files
  std::size_t places = 0;  // rank files and containers
};

Result<Worlds> list_worlds(const fs::path& trace) {
  Worlds listed;
  for (const fs::path& world : world_directories(trace)) {
    MERIDIAN_TRY(DirectoryContents contents, list_contents(world));
    MERIDIAN_TRY_DO(check_is_finished(world, contents, trace));
    listed.files += contents.rank_files.size();
    listed.places += contents.rank_files.size() + contents.containers.size();
    listed.worlds.emplace_back(world, std::move(contents));
  }
  if (listed.places == 0) return nothing_here(trace, listed.worlds.front().second);
  return listed;
}

}  // namespace

Result<Packed> pack_ranks(const fs::path& directory, const PackProgress& progress,
                          const std::function<Status()>& claim) {
  MERIDIAN_TRY(Worlds listed, list_worlds(directory));
  if (claim) {
    MERIDIAN_TRY_DO(claim());
    MERIDIAN_TRY(listed, list_worlds(directory));  // another process may have changed it meanwhile
  }
  Packed result;
  std::size_t done = 0;
  const auto step = [&](std::string_view what) {  // four for each file
    const double all = static_cast<double>(4 * listed.files + 1);
    if (progress) progress(std::min(1.0, static_cast<double>(done++) / all), what);
  };
  for (auto& [world, contents] : listed.worlds)
    MERIDIAN_TRY_DO(Packing{world, std::move(contents), result, step}.run());
  return result;
}

}  // namespace meridian
