// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace meridian {

/// One line on standard error that shows how far a long job is; nothing when that is no terminal. Cleared at the end.
class ProgressBar {
 public:
  explicit ProgressBar(bool is_on) : is_on_{is_on} {}
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar() { clear(); }

  /// fraction  of the whole job, 0 to 1; `what` is being done. Drawn ten times a second at most.
  void show(double fraction, std::string_view what);
  void clear();

 private:
  bool is_on_;
  bool is_shown_ = false;
  std::chrono::steady_clock::time_point last_{};
};

/// "[######......]  50 %  match messages", in less than 80 columns.
std::string progress_line(double fraction, std::string_view what);

}  // namespace meridian
