// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "merger/load/thread_cursor.hpp"
#include "merger/model/findings.hpp"
#include "trace/containers/tournament.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// The end of a call that the cursor is at.
enum class Phase : std::uint8_t {
  enter,
  leave,
  both,  ///< the rank has calls of one thread only, and the ends need not be separate
};

/// Walks the calls of a rank, with all its threads, by their ends in order of ticks. At equal ticks a leave comes
/// before an enter (a call may use what the one before it made), then the lower thread comes first.
class RankCursor {
 public:
  /// is_split  report enter and leave of every call separately, even if only one thread makes calls.
  /// `file` and `findings` must outlive the cursor.
  RankCursor(RankFile& file, bool is_split, Findings& findings);

  bool is_over() const noexcept { return keys_.is_over(); }
  /// of the next end
  std::uint64_t ticks() const noexcept { return keys_.top_key().ticks; }
  const Call& call() const noexcept { return threads_[keys_.top()].call(); }
  /// Index of the call's thread in the file's list of threads.
  std::uint32_t thread_index() const noexcept { return keys_.top(); }
  Phase phase() const noexcept {
    return !is_split_ ? Phase::both : keys_.top_key().is_enter ? Phase::enter : Phase::leave;
  }
  void advance();

  std::size_t threads() const noexcept { return threads_.size(); }

 private:
  struct Key {
    std::uint64_t ticks = 0;
    bool is_enter = true;
    friend bool operator<(const Key& a, const Key& b) noexcept {
      return a.ticks != b.ticks ? a.ticks < b.ticks : a.is_enter < b.is_enter;
    }
  };
  static constexpr Key kLast{~std::uint64_t{0}, true};

  static std::vector<ThreadCursor> open_threads(RankFile& file, Findings& findings);
  static std::vector<Key> first_keys(const std::vector<ThreadCursor>& threads);

  std::vector<ThreadCursor> threads_;
  bool is_split_;
  Tournament<Key> keys_;  // the next end of each thread
};

}  // namespace meridian
