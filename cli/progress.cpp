// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "cli/summary/printable.hpp"

namespace meridian {
namespace {

constexpr std::size_t kBarWidth = 40;
constexpr std::size_t kTextWidth = 28;
constexpr std::chrono::milliseconds kBetween{100};

void write_line(const std::string& text) {
  // Losing a progress line does no harm.
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

std::string progress_line(double fraction, std::string_view what) {
  const double part = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0;
  const auto filled = static_cast<std::size_t>(part * static_cast<double>(kBarWidth));
  return fmt::format("[{}{}] {:3.0f} %  {}", std::string(filled, '#'), std::string(kBarWidth - filled, '.'), part * 100,
                     shortened(printable(what), kTextWidth));
}

void ProgressBar::show(double fraction, std::string_view what) {
  const auto now = std::chrono::steady_clock::now();
  if (!is_on_ || (is_shown_ && now - last_ < kBetween)) return;
  last_ = now;
  is_shown_ = true;
  write_line("\r\033[K" + progress_line(fraction, what));
}

void ProgressBar::clear() {
  if (is_shown_) write_line("\r\033[K");
  is_shown_ = false;
}

}  // namespace meridian
