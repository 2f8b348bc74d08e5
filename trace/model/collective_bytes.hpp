// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "trace/model/call_facts.hpp"
#include "trace/model/event.hpp"

namespace meridian {

struct CollectiveBytes {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

/// Whether the collective makes this participant and others wait for each other. Ranks without data do not wait, and
/// others do not wait for them.
bool carries_data(BytesRule rule, const Collective& arguments, bool is_root) noexcept;

/// The bytes that one participant sends and receives in a collective, itself included, as defined by OTF2 and Score-P:
/// one block for each destination or source rank, regardless of the algorithm of the library. Table: FORMAT.md.
///
/// size  number of ranks with a block: of the communicator, or of an intercommunicator's other group.
CollectiveBytes collective_bytes(BytesRule rule, const Collective& arguments, std::uint64_t size, std::int32_t rank,
                                 bool is_inter) noexcept;

}  // namespace meridian
