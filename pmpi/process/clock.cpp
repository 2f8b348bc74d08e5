// SPDX-License-Identifier: Apache-2.0
// Choice and identity of the clock.

#include "pmpi/process/clock.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "pmpi/process/launch.hpp"
#include "trace/model/system_clock.hpp"

namespace meridian {

constinit ClockKind g_clock = ClockKind::monotonic_raw;

namespace {

/// local = raw + offset + drift * raw + wave, where raw is CLOCK_MONOTONIC_RAW: a test can compute the true time from
/// the trace.
struct Warp {
  std::int64_t offset_ns = 0;
  std::int64_t drift_ppb = 0;
  std::int64_t realtime_ns = 0;  // error of CLOCK_REALTIME on that host
  std::int64_t wave_ns = 0;      // the farthest that the wave takes it
  std::int64_t period_ns = 0;    // of the wave

  std::int64_t operator()(std::int64_t raw_ns) const noexcept {
    const auto drift = static_cast<std::int64_t>(static_cast<__int128>(raw_ns) * drift_ppb / 1'000'000'000);
    return raw_ns + offset_ns + drift + wave(raw_ns);
  }

 private:
  /// Two parabolas a period, which meet smoothly; its rate is at most 8 wave / period.
  std::int64_t wave(std::int64_t raw_ns) const noexcept {
    const std::int64_t half = period_ns / 2;
    if (half <= 0) return 0;
    const std::int64_t at = raw_ns % half;
    const auto height = static_cast<std::int64_t>(static_cast<__int128>(4) * wave_ns * at * (half - at) /
                                                  (static_cast<__int128>(half) * half));
    return raw_ns / half % 2 == 0 ? height : -height;
  }
};
constinit Warp g_warp;

std::uint64_t now_ns(clockid_t clock) noexcept { return static_cast<std::uint64_t>(system_clock_ns(clock)); }

/// Reads the first line of a small file without its line end; 0 if there is none.
std::size_t read_line(const char* path, char* text, std::size_t room) noexcept {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t got = read(fd, text, room - 1);
  close(fd);
  if (got <= 0) return 0;
  text[got] = '\0';
  return strcspn(text, "\n");
}

bool has_invariant_tsc() noexcept {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
#else
  return false;
#endif
}

/// The processor's counter is safe if the kernel itself uses it as its clock source, on all cores.
bool is_counter_safe() noexcept {
#if defined(__aarch64__)
  return true;
#else
  char text[64];
  const std::size_t length =
      read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", text, sizeof text);
  return has_invariant_tsc() && length == 3 && memcmp(text, "tsc", 3) == 0;
#endif
}

std::uint64_t hash_bytes(std::uint64_t hash, const void* bytes, std::size_t length) noexcept {
  for (std::size_t i = 0; i < length; ++i) {
    hash ^= static_cast<const unsigned char*>(bytes)[i];
    hash *= 0x100000001b3ULL;  // FNV-1a
  }
  return hash;
}

/// Calls see(word, length) for each word of MERIDIAN_TEST_CLOCK; commas separate them.
template <class See>
void see_test_words(See see) noexcept {
  for (const char* text = getenv("MERIDIAN_TEST_CLOCK"); text != nullptr && *text != '\0';) {
    const std::size_t length = strcspn(text, ",");
    see(text, length);
    text += text[length] == ',' ? length + 1 : length;
  }
}

/// A word "RANK:OFFSET_NS:DRIFT_PPB:REALTIME_NS:WAVE_NS:PERIOD_NS" distorts the clocks of that rank; "*:..." those of
/// each rank by its rank times these values, with waves of the same period. Missing values are 0.
bool find_warp() noexcept {
  const int rank = launched_rank();
  bool is_found = false;
  see_test_words([&](const char* text, std::size_t) {
    char* end = const_cast<char*>(text) + 1;
    const bool is_any = *text == '*';
    const long listed = is_any ? rank : strtol(text, &end, 10);
    if (*end != ':' || listed != rank || (is_any && rank <= 0)) return;
    const long long times = is_any ? rank : 1;
    const long long offset = strtoll(end + 1, &end, 10);
    const long long drift = *end == ':' ? strtoll(end + 1, &end, 10) : 0;
    const long long realtime = *end == ':' ? strtoll(end + 1, &end, 10) : 0;
    const long long wave = *end == ':' ? strtoll(end + 1, &end, 10) : 0;
    const long long period = *end == ':' ? strtoll(end + 1, &end, 10) : 0;
    g_warp = {times * offset, times * drift, times * realtime, times * wave, period};
    is_found = true;
  });
  return is_found;
}

}  // namespace

std::uint64_t read_slow_clock() noexcept {
  switch (g_clock) {
    case ClockKind::monotonic:
      return now_ns(CLOCK_MONOTONIC);
    case ClockKind::warped:
      return static_cast<std::uint64_t>(g_warp(system_clock_ns(CLOCK_MONOTONIC_RAW)));
    case ClockKind::tsc:
    case ClockKind::monotonic_raw:
      break;
  }
  return now_ns(CLOCK_MONOTONIC_RAW);
}

bool choose_clock(const char* wanted, std::uint64_t wanted_length) noexcept {
  const auto is = [&](const char* name) {
    return strlen(name) == wanted_length && memcmp(name, wanted, wanted_length) == 0;
  };
  if (find_warp()) {
    g_clock = ClockKind::warped;
    return true;
  }
  if (is("monotonic")) {
    g_clock = ClockKind::monotonic;
    return true;
  }
  const bool may_use_counter = !is("monotonic_raw");
  const bool is_safe = may_use_counter && is_counter_safe();
  g_clock = is_safe ? ClockKind::tsc : ClockKind::monotonic_raw;
  return !is("tsc") || is_safe;
}

std::uint64_t clock_domain() noexcept {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  char text[128];
  std::size_t length = read_line("/proc/sys/kernel/random/boot_id", text, sizeof text);
  if (length == 0) {
    gethostname(text, sizeof text);
    length = strnlen(text, sizeof text);
  }
  hash = hash_bytes(hash, text, length);
  hash = hash_bytes(hash, &g_clock, sizeof g_clock);
  struct stat time_namespace {};
  if (stat("/proc/self/ns/time", &time_namespace) == 0)
    hash = hash_bytes(hash, &time_namespace.st_ino, sizeof time_namespace.st_ino);
  const bool invariant = has_invariant_tsc();
  hash = hash_bytes(hash, &invariant, sizeof invariant);
  if (g_clock == ClockKind::warped) hash = hash_bytes(hash, &g_warp, sizeof g_warp);
  return hash;
}

ClockTest clock_test() noexcept {
  ClockTest test;
  see_test_words([&](const char* text, std::size_t length) {
    constexpr char kLarge[] = "large";
    constexpr char kPeriod[] = "period_ms=";
    if (length == sizeof kLarge - 1 && memcmp(text, kLarge, length) == 0) test.is_large = true;
    if (strncmp(text, kPeriod, sizeof kPeriod - 1) == 0) test.period_ms = atol(text + sizeof kPeriod - 1);
  });
  return test;
}

std::uint64_t nominal_tick_hz() noexcept {
  if (g_clock != ClockKind::tsc) return 1'000'000'000u;
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0x15, &a, &b, &c, &d) != 0 && a != 0 && b != 0 && c != 0)
    return static_cast<std::uint64_t>(c) * b / a;
  return 0;
#elif defined(__aarch64__)
  std::uint64_t hz;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(hz));
  return hz;
#else
  return 0;
#endif
}

ClockAnchor read_anchor() noexcept {
  ClockAnchor best{};
  for (int i = 0; i < 8; ++i) {
    ClockAnchor anchor{};
    anchor.before_ticks = read_ticks_after_loads();
    anchor.monotonic_ns = monotonic_now_ns();
    anchor.realtime_ns = system_clock_ns(CLOCK_REALTIME);
    anchor.after_ticks = read_ticks_after_loads();
    if (i == 0 || anchor.after_ticks - anchor.before_ticks < best.after_ticks - best.before_ticks) best = anchor;
  }
  return best;
}

ClockAnchor read_recorded_anchor() noexcept {
  ClockAnchor anchor = read_anchor();
  anchor.monotonic_ns = g_warp(anchor.monotonic_ns);
  anchor.realtime_ns += g_warp.realtime_ns;
  return anchor;
}

}  // namespace meridian
