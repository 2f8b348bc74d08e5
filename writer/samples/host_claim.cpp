// SPDX-License-Identifier: Apache-2.0
#include "writer/samples/host_claim.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <functional>

namespace meridian {

// An address in Linux's abstract namespace belongs to one socket, and leaves no file.
bool HostClaim::take(std::string_view trace) noexcept {
  if (socket_) return true;
  Descriptor socket{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  if (!socket) return true;  // rather two readers than none
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int length = std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "meridian-energy-%u-%zx",
                                   static_cast<unsigned>(::getuid()), std::hash<std::string_view>{}(trace));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(length));
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) return false;
  socket_ = std::move(socket);
  return true;
}

}  // namespace meridian
