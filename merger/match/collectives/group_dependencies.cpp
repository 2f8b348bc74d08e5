// SPDX-License-Identifier: Apache-2.0
#include "merger/match/collectives/group_dependencies.hpp"

namespace meridian {

GroupDependency group_dependency(BytesRule rule, const Collective& arguments) noexcept {
  if (arguments.root == kProcNull) return {};
  const bool is_root = arguments.root == kRootSelf, sends = arguments.send_bytes != 0;
  const bool receives = arguments.receive_bytes != 0;
  switch (rule) {
    case BytesRule::nothing:
      return {true, true, WaitKind::barrier};
    case BytesRule::allreduce:
      return {sends, sends, WaitKind::all_to_all};
    case BytesRule::allgather:
    case BytesRule::alltoall:
      return {sends, receives, WaitKind::all_to_all};
    case BytesRule::broadcast:
      return {is_root && sends, !is_root && sends, WaitKind::late_root};
    case BytesRule::scatter:
      return {is_root && sends, !is_root && receives, WaitKind::late_root};
    case BytesRule::gather:
      return {!is_root && sends, is_root && receives, WaitKind::early_root};
    case BytesRule::reduce:
      return {!is_root && sends, is_root && sends, WaitKind::early_root};
    default:
      return {};
  }
}

}  // namespace meridian
