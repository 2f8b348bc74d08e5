// Messages that are not to be matched, because others like them were not recorded.

#include "merger/match/call_tracker.hpp"

namespace meridian {

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
