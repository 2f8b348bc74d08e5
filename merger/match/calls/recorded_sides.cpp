// SPDX-License-Identifier: Apache-2.0
#include "merger/match/calls/recorded_sides.hpp"

namespace meridian {

RecordedSides::RecordedSides(const RankContext& at) : at_{at} {
  if (at_.gaps == nullptr || at_.gaps->lost_bounds.empty()) return;
  unsure_from_.resize(at_.resolver->size());
  for (const CommResolver::Birth& birth : at_.resolver->births())
    unsure_from_[birth.comm.number] = at_.gaps->unsure_from(birth.leave_ticks);
}

bool RecordedSides::give_up(const LocalComm& comm) {
  at_.matchers->messages.give_up(at_.rank_index, comm);
  at_.matchers->collectives.give_up(at_.rank_index, comm);
  at_.findings->add(at_.findings->gap());
  return true;
}

bool RecordedSides::is_unsure(const Call& call) {
  if (at_.gaps != nullptr && at_.gaps->begins_late) return true;
  if (!has_lost_calls() || call.enter_ticks < at_.gaps->unsure_from(0)) return false;
  at_.findings->add(at_.findings->gap());
  return true;
}

/// Whether messages like this one were filtered out on either side.
bool RecordedSides::is_filtered(bool is_send, std::int64_t bytes) {
  if (at_.gaps == nullptr) return false;
  const bool is_lacking = is_send ? at_.gaps->lacks_sends : at_.gaps->lacks_receives;
  if (!is_lacking && at_.gaps->has_size(bytes)) return false;
  at_.findings->add(at_.findings->gap());
  return true;
}

ReceiveId RecordedSides::post(const Call& call, const LocalComm& comm, std::int32_t source, std::int32_t tag,
                              std::uint64_t room, bool is_partitioned) {
  if (is_unsure(call, comm)) return kNoReceive;
  if (at_.gaps != nullptr && at_.gaps->lacks_receives) {
    is_filtered(false, -1);
    return kNoReceive;
  }
  const ReceiveId receive = at_.matchers->messages.post(at_.caller(call), comm, source, tag, is_partitioned);
  const bool is_sure = at_.gaps == nullptr || at_.gaps->message.is_everything() ||
                       (at_.gaps->message.from == 0 && at_.gaps->has_size(static_cast<std::int64_t>(room)));
  if (!is_sure) at_.matchers->messages.ask_to_cancel(receive);
  return receive;
}

void RecordedSides::complete(ReceiveId receive, const Call& call, std::int32_t source, std::int32_t tag,
                             std::int64_t bytes) {
  if (bytes >= 0 && is_filtered(false, bytes))
    at_.matchers->messages.cancelled(receive);
  else
    at_.matchers->messages.complete(receive, at_.caller(call), source, tag, bytes, call.has(kFlagFailed));
}

}  // namespace meridian
