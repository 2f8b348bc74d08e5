// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace meridian {

/// The user who has the socket 127.0.0.1:`peer` that is connected to 127.0.0.1:`own`, by the system's tables of connections; nothing: it is
/// in neither.
///
/// tcp, tcp6  contents of /proc/net/tcp and /proc/net/tcp6: sockets for IPv6 reach 127.0.0.1, too.
std::optional<uid_t> find_peer_user(std::string_view tcp, std::string_view tcp6, std::uint16_t peer, std::uint16_t own);

/// The same with the tables of this moment.
std::optional<uid_t> peer_user(std::uint16_t peer, std::uint16_t own);

}  // namespace meridian
