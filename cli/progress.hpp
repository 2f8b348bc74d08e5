// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace meridian {

/// A line on standard error that shows the progress of a long job; nothing if that is no terminal. Cleared at the end.
class ProgressBar {
 public:
  explicit ProgressBar(bool is_on) : is_on_{is_on} {}
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar() { clear(); }

  /// fraction  done of the whole job, 0 to 1; `what` is the current step. Drawn at most ten times a second. The bar does not get
  /// shorter where a step is done again, until clear().
  void show(double fraction, std::string_view what);
  void clear();

 private:
  bool is_on_;
  bool is_shown_ = false;
  double furthest_ = 0;
  std::chrono::steady_clock::time_point last_{};
};

/// "[######......]  50 %  match messages", in less than 80 columns.
std::string progress_line(double fraction, std::string_view what);

/// Removes any bar of this process from the terminal. Async-signal-safe.
void wipe_progress() noexcept;

}  // namespace meridian
