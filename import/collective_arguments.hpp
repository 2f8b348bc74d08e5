// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "trace/model/call_facts.hpp"
#include "trace/model/event.hpp"

namespace meridian::imported {

/// Sets the bytes of the arguments from which collective_bytes() computes what an archive has: the bytes that the rank sends
/// and receives, itself included. Where these are not those of such a collective, as nearly as whole blocks allow.
///
/// arguments  with its root
/// size       number of ranks with a block, at least 1
void set_collective_arguments(Collective& arguments, BytesRule rule, std::uint64_t sent, std::uint64_t received,
                              std::uint64_t size, std::int32_t rank, bool is_inter);

}  // namespace meridian::imported
