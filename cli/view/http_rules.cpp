// SPDX-License-Identifier: Apache-2.0
// Rules for requests, independent of the library that serves.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "cli/view/http_server.hpp"

namespace meridian {

bool is_loopback_host(std::string_view host) noexcept {
  std::string_view name = host;
  // A tunnel may listen at another port. "[::1]:80" has colons of its own.
  if (const std::size_t colon = host.rfind(':'); colon != std::string_view::npos && !host.ends_with(']')) {
    name = host.substr(0, colon);
    const std::string_view port = host.substr(colon + 1);
    if (!std::ranges::all_of(port, [](char c) { return '0' <= c && c <= '9'; })) return false;
  }
  return name == "127.0.0.1" || name == "localhost" || name == "[::1]";
}

Result<std::string> random_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return Error{Errc::io, "cannot get random numbers from the system", ""};
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

}  // namespace meridian
