// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "merger/model/call_roles.hpp"
#include "trace/model/event.hpp"

namespace meridian {

struct CollectiveBytes {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

/// What one participant sends and receives in a collective, itself included, in the sense of OTF2 and Score-P: a block
/// for every rank that it goes to or comes from, however the library moves it. Table: FORMAT.md.
///
/// size  ranks that a block per rank means: of the communicator, or of an intercommunicator's other group.
CollectiveBytes collective_bytes(BytesRule rule, const Collective& arguments, std::uint64_t size, std::int32_t rank,
                                 bool is_inter) noexcept;

}  // namespace meridian
