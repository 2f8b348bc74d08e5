// SPDX-License-Identifier: Apache-2.0
#include "merger/load/unify_objects.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "trace/model/text_fields.hpp"

namespace meridian {
namespace {

constexpr int kHexadecimal = 16;

bool is_file(const TextRow& text) { return text.key == kFileNameKey || text.key == kProgramFileKey; }

/// A window as one rank knows it.
struct LocalWindow {
  std::uint64_t handle = 0;
  std::uint64_t ticks = 0;
  std::uint32_t comm = kNoComm;
  std::string name;
};

/// The communicator whose handle is in the text; nullptr: no handle is in it.
const LocalComm* comm_named(const TextRow& text, CommResolver& resolver) {
  const auto handle = number_in<std::uint64_t>(text.value, kHexadecimal);
  return handle ? resolver.at(*handle, text.ticks) : nullptr;
}

std::vector<LocalWindow> windows_of(const RankMeta& meta, CommResolver& resolver) {
  std::vector<LocalWindow> windows;
  std::map<std::uint64_t, std::size_t> current;  // handle -> index in windows
  for (const TextRow& text : meta.texts) {       // in order of time
    if (text.key == kWindowCommKey) {
      LocalWindow window{text.handle, text.ticks, kNoComm, {}};
      if (const LocalComm* comm = comm_named(text, resolver)) window.comm = comm->comm;
      current[text.handle] = windows.size();
      windows.push_back(std::move(window));
    } else if (text.key == kWindowNameKey) {
      if (const auto found = current.find(text.handle); found != current.end())
        windows[found->second].name = text.value;
    }
  }
  return windows;
}

/// Windows of several ranks are the same if they were created on the same communicator, with the same number in order
/// of creation.
template <class Visit>
void for_each_window(std::span<const LocalWindow> windows, Visit visit) {
  std::map<std::uint32_t, std::uint64_t> made;  // by communicator
  for (const LocalWindow& window : windows) visit(window, std::pair{window.comm, made[window.comm]++});
}

class ObjectUnifier {
 public:
  ObjectUnifier(std::span<const RankMeta* const> metas, Communicators& communicators)
      : metas_{metas}, communicators_{communicators} {}

  Objects run() {
    for (std::size_t i = 0; i < metas_.size(); ++i)
      windows_.push_back(windows_of(*metas_[i], communicators_.resolvers[i]));
    for (const std::vector<LocalWindow>& windows : windows_)
      for_each_window(windows, [&](const LocalWindow& window, const auto& identity) {
        std::string& name = window_names_[identity];
        if (name.empty()) name = window.name;
      });
    name_files();
    for (std::size_t i = 0; i < metas_.size(); ++i)
      result_.ranks.push_back({ObjectHandles{files_of(*metas_[i], kFileNameKey)},
                               ObjectHandles{windows_in(windows_[i])}, ObjectHandles{each_window_in(windows_[i])},
                               ObjectHandles{each_file_in(i)}, ObjectHandles{files_of(*metas_[i], kProgramFileKey)}});
    return std::move(result_);
  }

 private:
  void name_files() {
    for (const RankMeta* meta : metas_)
      for (const TextRow& text : meta->texts)
        if (is_file(text)) files_.try_emplace({text.value, text.key});
    for (auto& [name, place] : files_) {
      place = static_cast<std::uint32_t>(result_.files.size());
      FileSummary& file = result_.files.emplace_back();
      file.name = name.first;
      file.interface = name.second == kFileNameKey ? FileSummary::kMpiIo : FileSummary::kPosix;
    }
  }

  /// `key`: of MPI's files, or of the program's own, which have numbers for the whole run.
  std::vector<ObjectHandles::Birth> files_of(const RankMeta& meta, std::string_view key) {
    std::vector<ObjectHandles::Birth> births;
    std::set<std::uint32_t> known;
    for (const TextRow& text : meta.texts) {
      if (text.key != key) continue;
      const std::uint32_t place = files_[{text.value, text.key}];
      const bool is_numbered = key == kProgramFileKey;
      births.push_back({text.handle, is_numbered ? 0 : text.ticks, place});
      FileSummary& file = result_.files[place];
      if (!is_numbered) ++file.opens;
      if (known.insert(place).second) ++file.ranks;
    }
    return births;
  }

  std::vector<ObjectHandles::Birth> windows_in(std::span<const LocalWindow> windows) {
    std::vector<ObjectHandles::Birth> births;
    std::map<std::uint32_t, std::uint64_t> here;  // number of windows by identity
    for_each_window(windows, [&](const LocalWindow& window, const auto& identity) {
      const std::string& name = window_names_[identity];
      const auto [found, is_new] =
          places_.try_emplace({name, window.comm}, static_cast<std::uint32_t>(result_.windows.size()));
      if (is_new) {
        WindowSummary& made = result_.windows.emplace_back();
        made.name = name;
        if (window.comm != kNoComm) made.comm = communicator_name(communicators_.list[window.comm], window.comm);
      }
      births.push_back({window.handle, window.ticks, found->second});
      ++here[found->second];
    });
    for (const auto& [place, count] : here) {
      WindowSummary& window = result_.windows[place];
      ++window.ranks;
      window.windows = std::max(window.windows, count);
    }
    return births;
  }

  std::vector<ObjectHandles::Birth> each_window_in(std::span<const LocalWindow> windows) {
    std::vector<ObjectHandles::Birth> births;
    for_each_window(windows, [&](const LocalWindow& window, const auto& identity) {
      if (window.comm == kNoComm) return;
      const auto [found, is_new] =
          each_window_.try_emplace(identity, static_cast<std::uint32_t>(result_.window_members.size()));
      if (is_new) {
        result_.window_members.push_back(0);
        result_.window_objects.push_back(places_.at({window_names_[identity], window.comm}));
      }
      ++result_.window_members[found->second];
      births.push_back({window.handle, window.ticks, found->second});
    });
    return births;
  }

  /// Openings of several ranks are one if they are on the same communicator, with the same number.
  std::vector<ObjectHandles::Birth> each_file_in(std::size_t rank) {
    std::vector<ObjectHandles::Birth> births;
    std::map<std::uint32_t, std::uint64_t> opened;  // by communicator
    for (const TextRow& text : metas_[rank]->texts) {
      if (text.key != kFileCommKey) continue;
      const LocalComm* const comm = comm_named(text, communicators_.resolvers[rank]);
      if (comm == nullptr) continue;
      const std::pair identity{comm->comm, opened[comm->comm]++};
      const auto [found, is_new] =
          each_file_.try_emplace(identity, static_cast<std::uint32_t>(result_.file_members.size()));
      if (is_new) result_.file_members.push_back(0);
      ++result_.file_members[found->second];
      births.push_back({text.handle, text.ticks, found->second});
    }
    return births;
  }

  std::span<const RankMeta* const> metas_;
  Communicators& communicators_;
  std::vector<std::vector<LocalWindow>> windows_;                                 // [rank]
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> window_names_;   // by identity
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> places_;         // (name, comm) -> result_.windows
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> each_window_;  // by identity
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> each_file_;    // by identity
  std::map<std::pair<std::string, std::string>, std::uint32_t> files_;            // (name, key) -> result_.files
  Objects result_;
};

}  // namespace

Objects unify_objects(std::span<const RankMeta* const> metas, Communicators& communicators) {
  return ObjectUnifier{metas, communicators}.run();
}

}  // namespace meridian
