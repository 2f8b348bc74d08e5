// SPDX-License-Identifier: Apache-2.0
#include "cli/output.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"

namespace meridian {
namespace {

/// Writes all of `text`; errno gives the reason for a failure.
bool write_all(int stream, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(stream, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

void report(const Error& error) {
  // One write call, so that lines of several ranks do not mix.
  std::string text = "meridian: " + printable(error.what) + "\n";
  if (!error.hint.empty()) text += "hint: " + printable(error.hint) + "\n";
  (void)write_all(STDERR_FILENO, text);
}

int fail(const Error& error) {
  report(error);
  return kExitCouldNotRun;
}

Result<bool> print_some(std::string_view text) {
  if (write_all(STDOUT_FILENO, text)) return true;
  if (errno == EPIPE) return false;
  return Error{Errc::io, std::string{"cannot write to standard output: "} + std::strerror(errno), ""};
}

bool print(std::string_view text) {
  const auto printed = print_some(text);
  if (!printed) report(printed.error());
  return static_cast<bool>(printed);
}

bool is_terminal(int stream) { return ::isatty(stream) == 1; }

std::size_t output_width() {
  const char* const given = std::getenv("COLUMNS");
  const std::string_view text = given == nullptr ? std::string_view{} : given;
  std::size_t columns = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), columns);
  if (problem == std::errc{} && end == text.data() + text.size() && columns > 0) return columns;
  winsize size{};
  const bool is_known = is_terminal(STDOUT_FILENO) && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return is_known && size.ws_col > 0 ? size.ws_col : kDefaultWidth;
}

bool wants_colour(int stream) {
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const term = std::getenv("TERM");
  return is_terminal(stream) && (no_color == nullptr || *no_color == '\0') && term != nullptr &&
         std::string_view{term} != "dumb";
}

}  // namespace meridian
