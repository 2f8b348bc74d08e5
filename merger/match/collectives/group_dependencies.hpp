// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "merged/model/event_waits.hpp"
#include "trace/model/call_facts.hpp"
#include "trace/model/event.hpp"

namespace meridian {

/// How a participant of a collective on an intercommunicator depends on the other group (MPI 4.1, 6.2.3).
struct GroupDependency {
  bool is_awaited = false;  ///< ranks of the other group that wait do so for this one
  bool waits = false;       ///< returns only after the awaited ranks of the other group have entered
  WaitKind kind = WaitKind::all_to_all;
};

/// `rule`, `arguments`: of the participant's call. Where single ranks may have nothing to send, nothing is known.
GroupDependency group_dependency(BytesRule rule, const Collective& arguments) noexcept;

}  // namespace meridian
