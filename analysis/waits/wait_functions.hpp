// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "merged/merged_trace.hpp"
#include "trace/model/call_facts.hpp"

namespace meridian {

/// The properties of a function that the search for waits uses.
struct WaitFunction {
  bool blocks_sending = false;
  bool is_barrier = false;
  bool has_vectors = false;          // each rank states what it sends to each other one,
                                     // so the trace has no shape
  bool is_probe = false;             // waits for a message that it does not receive
  Poll poll = Poll::no;              // request, message: a loop of such calls waits for what the last one finds
  std::optional<WaitKind> of_run{};  // MPI_Init, MPI_Finalize
};

/// By the number of the call.
class WaitFunctions {
 public:
  explicit WaitFunctions(const MergedDefinitions& definitions);
  const WaitFunction& operator[](std::uint32_t call) const { return call < list_.size() ? list_[call] : none_; }

 private:
  std::vector<WaitFunction> list_;
  WaitFunction none_;
};

}  // namespace meridian
