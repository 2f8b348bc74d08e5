// Messages that are not to be matched, because others like them were not recorded.

#include "merger/match/call_tracker.hpp"

namespace meridian {

CallTracker::CallTracker(const Context& context) : at_{context}, pending_(context.threads) {
  if (at_.gaps == nullptr || at_.gaps->lost_bounds.empty()) return;
  unsure_from_.resize(at_.resolver->size());
  for (const CommResolver::Birth& birth : at_.resolver->births())
    unsure_from_[birth.comm.number] = at_.gaps->unsure_from(birth.leave_ticks);
}

/// Whether calls on the communicator may have been lost by then: which one this is, nobody knows.
bool CallTracker::is_unsure(const Call& call, const LocalComm& comm) {
  if (unsure_from_.empty() || call.enter_ticks < unsure_from_[comm.number]) return false;
  at_.matchers->messages.give_up(at_.rank_index, comm);
  at_.matchers->collectives.give_up(at_.rank_index, comm);
  at_.findings->add(FindingId::call_switched_off);
  return true;
}

bool CallTracker::is_left_out(const Call& call, const LocalComm& comm, bool is_send, std::int64_t bytes) {
  return is_unsure(call, comm) || is_left_out(is_send, bytes);
}

/// The request that a call is about. Where calls were lost since it was made, its handle may mean another one.
std::uint32_t CallTracker::find_request(const Call& call, std::uint64_t handle) {
  const std::uint32_t number = requests_.find(handle);
  if (number == RequestTable::kNone || unsure_from_.empty()) return number;
  const std::size_t now = stretch(call);
  if (requests_[number].stretch == now && now % 2 == 0) return number;
  if (requests_[number].is_active) give_up(requests_[number], now);
  requests_.remove(number);
  return RequestTable::kNone;
}

/// Whether a message is not to be matched because others like it are not in the trace.
bool CallTracker::is_left_out(bool is_send, std::int64_t bytes) {
  if (at_.gaps == nullptr) return false;
  const bool is_lacking = is_send ? at_.gaps->lacks_sends : at_.gaps->lacks_receives;
  if (!is_lacking && at_.gaps->has_size(bytes)) return false;
  at_.findings->add(FindingId::call_switched_off);
  return true;
}

/// A receive whose size is not known takes its place as one that may not be.
ReceiveId CallTracker::post(const Call& call, const LocalComm& comm, std::int32_t source, std::int32_t tag,
                            std::uint64_t room, bool is_partitioned) {
  if (is_unsure(call, comm)) return kNoReceive;
  if (at_.gaps != nullptr && at_.gaps->lacks_receives) {
    is_left_out(false, -1);
    return kNoReceive;
  }
  const ReceiveId receive = at_.matchers->messages.post(caller(call), comm, source, tag, is_partitioned);
  const bool is_sure = at_.gaps == nullptr || at_.gaps->message.is_everything() ||
                       (at_.gaps->message.from == 0 && at_.gaps->has_size(static_cast<std::int64_t>(room)));
  if (!is_sure) at_.matchers->messages.ask_to_cancel(receive);
  return receive;
}

void CallTracker::complete(ReceiveId receive, const Call& call, std::int32_t source, std::int32_t tag,
                           std::int64_t bytes) {
  if (bytes >= 0 && is_left_out(false, bytes))
    at_.matchers->messages.cancelled(receive);
  else
    at_.matchers->messages.complete(receive, caller(call), source, tag, bytes);
}

}  // namespace meridian
