// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>

#include "cli/summary/printable.hpp"

namespace meridian {
namespace {

constexpr std::size_t kBarWidth = 40;
constexpr std::size_t kTextWidth = 28;
constexpr std::chrono::milliseconds kBetween{100};
constexpr std::string_view kWipe = "\r\033[K";

std::atomic<bool> g_is_bar_shown{false};

void write_line(std::string_view text) {
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
  furthest_ = std::max(furthest_, fraction);
  const auto now = std::chrono::steady_clock::now();
  if (!is_on_ || (is_shown_ && now - last_ < kBetween)) return;
  last_ = now;
  is_shown_ = true;
  g_is_bar_shown.store(true);
  write_line(std::string{kWipe} + progress_line(furthest_, what));
}

void ProgressBar::clear() {
  if (is_shown_) wipe_progress();
  is_shown_ = false;
  furthest_ = 0;
}

void wipe_progress() noexcept {
  if (g_is_bar_shown.exchange(false)) write_line(kWipe);
}

}  // namespace meridian
