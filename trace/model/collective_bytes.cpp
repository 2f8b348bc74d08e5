// SPDX-License-Identifier: Apache-2.0
#include "trace/model/collective_bytes.hpp"

namespace meridian {

bool carries_data(BytesRule rule, const Collective& arguments, bool is_root) noexcept {
  switch (rule) {
    case BytesRule::nothing:
      return true;
    case BytesRule::gather:
    case BytesRule::gatherv:
    case BytesRule::allgatherv:
      return is_root || arguments.send_bytes != 0;  // allgatherv has no root
    case BytesRule::scatterv:
    case BytesRule::scatter:
      return is_root || arguments.receive_bytes != 0;
    default:
      return arguments.send_bytes != 0 || arguments.receive_bytes != 0;
  }
}

CollectiveBytes collective_bytes(BytesRule rule, const Collective& arguments, std::uint64_t size, std::int32_t rank,
                                 bool is_inter) noexcept {
  const std::uint64_t send = arguments.send_bytes;
  const std::uint64_t receive = arguments.receive_bytes;
  const bool is_root = is_inter ? arguments.root == kRootSelf : arguments.root == rank;
  if (is_inter && arguments.root == kProcNull) return {};
  const auto place = static_cast<std::uint64_t>(rank);
  // With MPI_IN_PLACE the send argument is not significant; the bytes sent follow from the receive argument.
  const std::uint64_t contribution = send != 0 ? send : receive;
  switch (rule) {
    case BytesRule::nothing:
      return {};
    case BytesRule::broadcast:
      return {is_root ? send * size : 0, is_root && is_inter ? 0 : send};
    case BytesRule::gather:
      return {is_root && is_inter ? 0 : contribution, is_root ? receive * size : 0};
    case BytesRule::gatherv:
      return {send, is_root ? receive : 0};
    case BytesRule::scatter:
      return {is_root ? send * size : 0, is_root && is_inter ? 0 : receive != 0 ? receive : send};
    case BytesRule::scatterv:
      return {is_root ? send : 0, receive};
    case BytesRule::allgather:
    case BytesRule::alltoall:
      return {contribution * size, receive * size};
    case BytesRule::allgatherv:
      return {send != 0 ? send * size : receive, receive};
    case BytesRule::as_recorded:
    case BytesRule::over_neighbours:
      return {send, receive};
    case BytesRule::reduce:
      return {is_root && is_inter ? 0 : send, is_root ? send * size : 0};
    case BytesRule::allreduce:
      return {send * size, send * size};
    case BytesRule::reduce_scatter:
      return {send, send};
    case BytesRule::reduce_scatter_block:
      return {receive * size, receive * size};
    case BytesRule::scan:
      return {send * (size - place), send * (place + 1)};
    case BytesRule::exscan:
      return {send * (size - place - 1), send * place};
  }
  return {};
}

}  // namespace meridian
