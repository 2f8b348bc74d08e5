// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "trace/records/record.hpp"
#include "trace/ring/ring_file.hpp"

namespace meridian {

/// Calls in progress by thread. Ignores a record that changes while it is read.
std::map<std::uint32_t, RecordHead> calls_under_way(const RingFile& ring);

}  // namespace meridian
