// SPDX-License-Identifier: Apache-2.0
#include "cli/view/peer_user.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace meridian {
namespace {

/// Takes the next word of a line; empty at its end.
std::string_view take_word(std::string_view& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  const std::size_t end = std::min(line.find(' ', begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

/// Whether an entry such as "0100007F:1F90" is this port of 127.0.0.1. Addresses are in the byte order of the machine.
bool is_loopback(std::string_view entry, std::uint16_t port) {
  const std::size_t colon = entry.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view address = entry.substr(0, colon), digits = entry.substr(colon + 1);
  unsigned found = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), found, 16);
  return problem == std::errc{} && end == digits.data() + digits.size() && found == port &&
         (address.ends_with("0100007F") || address.ends_with("7F000001"));
}

std::optional<uid_t> find_in(std::string_view table, std::uint16_t peer, std::uint16_t own) {
  while (!table.empty()) {
    const std::size_t end = std::min(table.find('\n'), table.size());
    std::string_view line = table.substr(0, end);
    table.remove_prefix(std::min(end + 1, table.size()));
    take_word(line);  // its number
    const std::string_view local = take_word(line), remote = take_word(line);
    if (!is_loopback(local, peer) || !is_loopback(remote, own)) continue;
    for (int skipped = 0; skipped < 4; ++skipped) take_word(line);  // state, queues, timer, retransmissions
    const std::string_view user = take_word(line);
    uid_t number = 0;
    const auto [last, problem] = std::from_chars(user.data(), user.data() + user.size(), number);
    if (problem == std::errc{} && last == user.data() + user.size()) return number;
  }
  return std::nullopt;
}

std::string contents(const char* path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace

std::optional<uid_t> find_peer_user(std::string_view tcp, std::string_view tcp6, std::uint16_t peer,
                                    std::uint16_t own) {
  const std::optional<uid_t> user = find_in(tcp, peer, own);
  return user ? user : find_in(tcp6, peer, own);
}

std::optional<uid_t> peer_user(std::uint16_t peer, std::uint16_t own) {
  return find_peer_user(contents("/proc/net/tcp"), contents("/proc/net/tcp6"), peer, own);
}

}  // namespace meridian
