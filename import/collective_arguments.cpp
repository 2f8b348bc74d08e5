// SPDX-License-Identifier: Apache-2.0
#include "import/collective_arguments.hpp"

#include <algorithm>

namespace meridian::imported {

void set_collective_arguments(Collective& arguments, BytesRule rule, std::uint64_t sent, std::uint64_t received,
                              std::uint64_t size, std::int32_t rank, bool is_inter) {
  const bool is_root = is_inter ? arguments.root == kRootSelf : arguments.root == rank;
  const auto place = static_cast<std::uint64_t>(rank);
  std::uint64_t& send = arguments.send_bytes;
  std::uint64_t& receive = arguments.receive_bytes;
  switch (rule) {
    case BytesRule::nothing:
      break;
    case BytesRule::broadcast:
      send = is_root ? sent / size : received;
      break;
    case BytesRule::gather:
      send = sent;
      receive = is_root ? received / size : 0;
      break;
    case BytesRule::scatter:
      send = is_root ? sent / size : 0;
      receive = received;
      break;
    case BytesRule::allgather:
    case BytesRule::alltoall:
      send = sent / size;
      receive = received / size;
      break;
    case BytesRule::allgatherv:
      send = sent / size;
      receive = received;
      break;
    case BytesRule::gatherv:
    case BytesRule::scatterv:
    case BytesRule::as_recorded:
    case BytesRule::over_neighbours:
      send = sent;
      receive = received;
      break;
    case BytesRule::reduce:
    case BytesRule::reduce_scatter:
      send = std::max(sent, is_root ? received / size : 0);
      break;
    case BytesRule::allreduce:
      send = std::max(sent, received) / size;
      break;
    case BytesRule::reduce_scatter_block:
      receive = std::max(sent, received) / size;
      break;
    case BytesRule::scan:
      send = received / (place + 1);
      break;
    case BytesRule::exscan:
      send = place > 0 ? received / place : sent / std::max<std::uint64_t>(size - 1, 1);
      break;
  }
}

}  // namespace meridian::imported
