#include "merger/load/objects.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace meridian {
namespace {

constexpr double kSecondsPerNs = 1e-9;
constexpr int kHexadecimal = 16;

double seconds(std::int64_t ns) noexcept { return static_cast<double>(ns) * kSecondsPerNs; }

std::optional<std::uint64_t> handle_from(std::string_view digits) noexcept {
  std::uint64_t handle = 0;
  const char* const end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, handle, kHexadecimal);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return handle;
}

/// A window as one rank knows it.
struct LocalWindow {
  std::uint64_t handle = 0;
  std::uint64_t ticks = 0;
  std::uint32_t comm = kNoComm;
  std::string name;
};

std::vector<LocalWindow> windows_of(const RankMeta& meta, CommResolver& resolver) {
  std::vector<LocalWindow> windows;
  std::map<std::uint64_t, std::size_t> current;  // handle -> place in windows
  for (const TextRow& text : meta.texts) {       // in order of time
    if (text.key == kWindowCommKey) {
      LocalWindow window{text.handle, text.ticks, kNoComm, {}};
      if (const auto handle = handle_from(text.value))
        if (const LocalComm* comm = resolver.at(*handle, text.ticks)) window.comm = comm->comm;
      current[text.handle] = windows.size();
      windows.push_back(std::move(window));
    } else if (text.key == kWindowNameKey) {
      if (const auto found = current.find(text.handle); found != current.end())
        windows[found->second].name = text.value;
    }
  }
  return windows;
}

/// A window is the same one in all ranks when it was made on the same communicator as the same one in order.
template <class Visit>
void for_each_window(std::span<const LocalWindow> windows, Visit visit) {
  std::map<std::uint32_t, std::uint64_t> made;  // on each communicator
  for (const LocalWindow& window : windows) visit(window, std::pair{window.comm, made[window.comm]++});
}

class Unifier {
 public:
  Unifier(std::span<const RankMeta* const> metas, Communicators& communicators)
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
      result_.ranks.push_back({ObjectHandles{files_of(*metas_[i])}, ObjectHandles{windows_in(windows_[i])}});
    return std::move(result_);
  }

 private:
  void name_files() {
    for (const RankMeta* meta : metas_)
      for (const TextRow& text : meta->texts)
        if (text.key == kFileNameKey) files_.try_emplace(text.value);
    for (auto& [name, place] : files_) {
      place = static_cast<std::uint32_t>(result_.files.size());
      result_.files.emplace_back().name = name;
    }
  }

  std::vector<ObjectHandles::Birth> files_of(const RankMeta& meta) {
    std::vector<ObjectHandles::Birth> births;
    std::set<std::uint32_t> known;
    for (const TextRow& text : meta.texts) {
      if (text.key != kFileNameKey) continue;
      const std::uint32_t place = files_[text.value];
      births.push_back({text.handle, text.ticks, place});
      FileSummary& file = result_.files[place];
      ++file.opens;
      if (known.insert(place).second) ++file.ranks;
    }
    return births;
  }

  std::vector<ObjectHandles::Birth> windows_in(std::span<const LocalWindow> windows) {
    std::vector<ObjectHandles::Birth> births;
    std::map<std::uint32_t, std::uint64_t> here;  // how many of each
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

  std::span<const RankMeta* const> metas_;
  Communicators& communicators_;
  std::vector<std::vector<LocalWindow>> windows_;                                // [rank]
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> window_names_;  // by identity
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> places_;        // (name, comm) -> result_.windows
  std::map<std::string, std::uint32_t> files_;                                   // name -> result_.files
  Objects result_;
};

double time_of(const FileSummary& file) noexcept { return file.read_s + file.write_s + file.other_s; }
double time_of(const WindowSummary& window) noexcept { return window.access_s + window.sync_s; }

/// Longest first; ties stay in order of their names.
template <class Row>
void sort_by_time(std::vector<Row>& rows) {
  std::ranges::stable_sort(rows, [](const Row& a, const Row& b) { return time_of(b) < time_of(a); });
}

}  // namespace

ObjectHandles::ObjectHandles(std::vector<Birth> births) : births_{std::move(births)} {
  std::ranges::stable_sort(births_, {}, [](const Birth& birth) { return std::pair{birth.handle, birth.ticks}; });
}

std::uint32_t ObjectHandles::at(std::uint64_t handle, std::uint64_t ticks) const noexcept {
  const auto after = std::ranges::upper_bound(births_, std::pair{handle, ticks}, {}, [](const Birth& birth) {
    return std::pair{birth.handle, birth.ticks};
  });
  if (after == births_.begin() || std::prev(after)->handle != handle) return kNone;
  return std::prev(after)->object;
}

std::uint32_t ObjectHandles::made_by(std::uint64_t handle, std::uint64_t ticks) const noexcept {
  const auto next = std::ranges::lower_bound(births_, std::pair{handle, ticks}, {}, [](const Birth& birth) {
    return std::pair{birth.handle, birth.ticks};
  });
  return next == births_.end() || next->handle != handle ? kNone : next->object;
}

Objects unify_objects(std::span<const RankMeta* const> metas, Communicators& communicators) {
  return Unifier{metas, communicators}.run();
}

void ObjectTotals::add(Use& use, const CallRole& what, const EventRow& row, bool is_access) noexcept {
  switch (what.role) {
    case Role::put:
      return use.out.add(is_access, row.bytes_sent, row.duration_ns);
    case Role::get:
      return use.in.add(is_access, row.bytes_received, row.duration_ns);
    case Role::exchange:
      return use.both.add(is_access, row.bytes_sent + row.bytes_received, row.duration_ns);
    default:
      return use.other.add(true, 0, row.duration_ns);
  }
}

void ObjectTotals::add(std::uint32_t rank_index, const Call& call, const CallRole& what, const EventRow& row) noexcept {
  if (objects_ == nullptr) return;
  const Objects::OfRank& rank = objects_->ranks[rank_index];
  const auto use = [&](const ObjectHandles& handles, std::uint64_t handle, std::vector<Use>& uses) {
    const std::uint32_t object = handles.at(handle, call.enter_ticks);
    if (object != ObjectHandles::kNone) add(uses[object], what, row, call.payload != Payload::handle);
  };
  switch (call.payload) {
    case Payload::io:
      return use(rank.files, call.io->file, files_);
    case Payload::rma:
      return use(rank.windows, call.rma->window, windows_);
    case Payload::handle: {
      if (what.role == Role::make_window || what.role == Role::open_file) {
        const bool is_file = what.role == Role::open_file;
        const ObjectHandles& handles = is_file ? rank.files : rank.windows;
        const std::uint32_t object = handles.made_by(call.handle->handle, call.leave_ticks);
        if (object != ObjectHandles::kNone) add((is_file ? files_ : windows_)[object], what, row, true);
      } else if (info(call.call).group == CallGroup::io) {
        use(rank.files, call.handle->handle, files_);
      } else if (what.role == Role::plain) {
        use(rank.windows, call.handle->handle, windows_);
      }
      return;
    }
    default:
      return;
  }
}

std::vector<FileSummary> ObjectTotals::files() const {
  std::vector<FileSummary> list;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    FileSummary& file = list.emplace_back(objects_->files[i]);
    const Use& use = files_[i];
    file.reads = use.in.count;
    file.read_bytes = use.in.bytes;
    file.read_s = seconds(use.in.time_ns);
    file.writes = use.out.count;
    file.write_bytes = use.out.bytes;
    file.write_s = seconds(use.out.time_ns);
    file.others = use.other.count;
    file.other_s = seconds(use.other.time_ns);
  }
  sort_by_time(list);
  return list;
}

std::vector<WindowSummary> ObjectTotals::windows() const {
  std::vector<WindowSummary> list;
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    WindowSummary& window = list.emplace_back(objects_->windows[i]);
    const Use& use = windows_[i];
    window.puts = use.out.count;
    window.put_bytes = use.out.bytes;
    window.gets = use.in.count;
    window.get_bytes = use.in.bytes;
    window.exchanges = use.both.count;
    window.exchange_bytes = use.both.bytes;
    window.access_s = seconds(use.out.time_ns + use.in.time_ns + use.both.time_ns);
    window.syncs = use.other.count;
    window.sync_s = seconds(use.other.time_ns);
  }
  sort_by_time(list);
  return list;
}

}  // namespace meridian
