// SPDX-License-Identifier: Apache-2.0
#include "merger/match/files/file_waits.hpp"

namespace meridian {

FileWaits::FileWaits(const Trace& trace, std::vector<AwaitedCall>& awaited) : trace_{&trace}, awaited_{&awaited} {
  if (!are_calls_countable(trace)) return;
  for (const std::uint32_t members : trace.objects.file_members)
    files_.emplace_back(members, trace.files.size(), WaitKind::file);
}

void FileWaits::add(const Caller& caller, const Call& call, const CallFacts& what) {
  if (files_.empty() || call.has(kFlagFailed) || call.has(kFlagUnfinished) || !what.starts_collective_io) return;
  const ObjectHandles& handles = trace_->objects.ranks[caller.rank_index].each_file;
  std::uint32_t number = ObjectHandles::kNone;
  if (call.payload == Payload::io) number = handles.at(call.io->file, call.enter_ticks);
  if (call.payload == Payload::handle)
    number = what.role == Role::open_file ? handles.made_by(call.handle->handle, call.leave_ticks)
                                          : handles.at(call.handle->handle, call.enter_ticks);
  if (number < files_.size()) files_[number].arrive(caller, *awaited_);
}

}  // namespace meridian
