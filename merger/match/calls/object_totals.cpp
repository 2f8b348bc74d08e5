// SPDX-License-Identifier: Apache-2.0
#include "merger/match/calls/object_totals.hpp"

#include <algorithm>

#include "trace/model/units.hpp"

namespace meridian {
namespace {

double time_of(const FileSummary& file) noexcept { return file.read_s + file.write_s + file.other_s; }
double time_of(const WindowSummary& window) noexcept { return window.access_s + window.sync_s; }

/// Longest first; equal times remain in order of name.
template <class Row>
void sort_by_time(std::vector<Row>& rows) {
  std::ranges::stable_sort(rows, [](const Row& a, const Row& b) { return time_of(b) < time_of(a); });
}

}  // namespace

void ObjectTotals::add(Use& use, const CallFacts& what, const EventRow& row, bool is_access) noexcept {
  switch (what.role) {
    case Role::put:
      return use.out.add(is_access ? 1 : 0, row.bytes_sent, row.duration_ns);
    case Role::get:
      return use.in.add(is_access ? 1 : 0, row.bytes_received, row.duration_ns);
    case Role::exchange:
      return use.both.add(is_access ? 1 : 0, row.bytes_sent + row.bytes_received, row.duration_ns);
    default:
      return use.other.add(1, 0, row.duration_ns);
  }
}

void ObjectTotals::add(std::uint32_t rank_index, const Call& call, const CallFacts& what,
                       const EventRow& row) noexcept {
  if (objects_ == nullptr) return;
  const Objects::OfRank& rank = objects_->ranks[rank_index];
  const auto use = [&](const ObjectHandles& handles, std::uint64_t handle, std::vector<Use>& uses) {
    const std::uint32_t object = handles.at(handle, call.enter_ticks);
    if (object != ObjectHandles::kNone) add(uses[object], what, row, call.payload != Payload::handle);
  };
  switch (call.payload) {
    case Payload::io: {
      if (info(call.call).group != CallGroup::files) return use(rank.files, call.io->file, files_);
      const std::uint32_t file = rank.program_files.at(call.io->file, call.enter_ticks);
      if (file == ObjectHandles::kNone) return;
      files_[file].opens += what.role == Role::open_file ? 1 : 0;
      return add(files_[file], what, row, true);
    }
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

void ObjectTotals::add(std::uint32_t rank_index, CallId call, std::uint64_t object, std::uint64_t ticks,
                       std::uint64_t calls, std::uint64_t accesses, std::uint64_t bytes,
                       std::int64_t time_ns) noexcept {
  const CallGroup group = info(call).group;
  const Role role = facts_of(call).role;
  if (objects_ == nullptr || object == 0) return;
  const Objects::OfRank& rank = objects_->ranks[rank_index];
  const bool is_window = !is_of_files(group);
  const ObjectHandles& handles = is_window ? rank.windows : group == CallGroup::files ? rank.program_files : rank.files;
  const bool makes = role == Role::make_window || (role == Role::open_file && group != CallGroup::files);
  const std::uint32_t number = makes ? handles.made_by(object, ticks) : handles.at(object, ticks);
  if (number == ObjectHandles::kNone) return;
  Use& use = (is_window ? windows_ : files_)[number];
  if (group == CallGroup::files && role == Role::open_file) use.opens += calls;
  if (role == Role::put)
    use.out.add(accesses, bytes, time_ns);
  else if (role == Role::get)
    use.in.add(accesses, bytes, time_ns);
  else if (role == Role::exchange)
    use.both.add(accesses, bytes, time_ns);
  else
    use.other.add(calls, 0, time_ns);
}

std::vector<FileSummary> ObjectTotals::files() const {
  std::vector<FileSummary> list;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    FileSummary& file = list.emplace_back(objects_->files[i]);
    const Use& use = files_[i];
    file.opens += use.opens;
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
