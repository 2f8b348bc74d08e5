// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "trace/ring/ring_file.hpp"

namespace meridian {

/// What only one of the writers of a host does for a trace. The claim ends with the process that has it.
class HostClaim {
 public:
  /// Whether this process has the claim now. `trace`: the same for all writers of the trace.
  bool take(std::string_view trace) noexcept;

 private:
  Descriptor socket_;
};

}  // namespace meridian
