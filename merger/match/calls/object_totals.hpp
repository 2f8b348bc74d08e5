// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "merger/load/thread_cursor.hpp"
#include "merger/model/definitions/objects.hpp"
#include "merger/model/event_row.hpp"
#include "summary/summary.hpp"
#include "trace/model/call_facts.hpp"

namespace meridian {

/// Adds up the calls on files and windows. Sums are integers, so the order of the calls does not matter.
class ObjectTotals {
 public:
  ObjectTotals() = default;
  explicit ObjectTotals(const Objects& objects)
      : objects_{&objects}, files_(objects.files.size()), windows_(objects.windows.size()) {}

  /// row  the call's, with its bytes.
  void add(std::uint32_t rank_index, const Call& call, const CallFacts& what, const EventRow& row) noexcept;

  /// Adds calls of one function of which only sums are known.
  ///
  /// ticks     when the object was there; of calls that make it, their leave
  /// accesses  how many of them access data
  void add(std::uint32_t rank_index, CallId call, std::uint64_t object, std::uint64_t ticks, std::uint64_t calls,
           std::uint64_t accesses, std::uint64_t bytes, std::int64_t time_ns) noexcept;

  /// By time, longest first; ties by name.
  std::vector<FileSummary> files() const;
  std::vector<WindowSummary> windows() const;

 private:
  struct Sum {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    std::int64_t time_ns = 0;
    void add(std::uint64_t more, std::uint64_t more_bytes, std::int64_t more_ns) noexcept {
      count += more;
      bytes += more_bytes;
      time_ns += more_ns;
    }
  };
  struct Use {
    Sum in, out, both, other;
    std::uint64_t opens = 0;  // of a file of the program; MPI's are counted by their names
  };
  /// is_access  false: the second half of a split collective, which takes time but moves no data.
  static void add(Use& use, const CallFacts& what, const EventRow& row, bool is_access) noexcept;

  const Objects* objects_ = nullptr;
  std::vector<Use> files_;
  std::vector<Use> windows_;
};

}  // namespace meridian
