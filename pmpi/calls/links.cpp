// SPDX-License-Identifier: Apache-2.0
// Texts that identify communicators, from data that their members or both their sides have in common.

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>

#include "pmpi/calls/record_comm.hpp"
#include "pmpi/calls/spawn.hpp"
#include "pmpi/libraries/real.hpp"
#include "pmpi/process/heritage.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/emit.hpp"

namespace meridian {
namespace {

/// Formats an address as "10.0.0.1:4711"; empty if it has no such form.
void socket_name(const sockaddr_storage& address, char* name, std::size_t room) noexcept {
  char host[INET6_ADDRSTRLEN] = "";
  name[0] = '\0';
  if (address.ss_family == AF_INET) {
    const auto& ip = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &ip.sin_addr, host, sizeof host);
    snprintf(name, room, "%s:%u", host, ntohs(ip.sin_port));
  } else if (address.ss_family == AF_INET6) {
    const auto& ip = reinterpret_cast<const sockaddr_in6&>(address);
    inet_ntop(AF_INET6, &ip.sin6_addr, host, sizeof host);
    snprintf(name, room, "%s:%u", host, ntohs(ip.sin6_port));
  }
}

/// Inode of the socket at the other end of a Unix socket, from netlink; 0: unknown.
std::uint32_t unix_peer(std::uint32_t inode) noexcept {
  struct {
    nlmsghdr head;
    unix_diag_req body;
  } question{};
  question.head.nlmsg_len = sizeof question;
  question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.head.nlmsg_flags = NLM_F_REQUEST;
  question.body.sdiag_family = AF_UNIX;
  question.body.udiag_states = ~0u;
  question.body.udiag_ino = inode;
  question.body.udiag_show = UDIAG_SHOW_PEER;
  question.body.udiag_cookie[0] = question.body.udiag_cookie[1] = ~0u;
  const int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG);
  if (fd < 0) return 0;
  alignas(nlmsghdr) char answer[1024];
  ssize_t length = -1;  // the kernel has answered when send() returns
  if (send(fd, &question, sizeof question, 0) == static_cast<ssize_t>(sizeof question))
    length = recv(fd, answer, sizeof answer, 0);
  close(fd);
  const auto* const head = reinterpret_cast<const nlmsghdr*>(answer);
  if (length < static_cast<ssize_t>(NLMSG_LENGTH(sizeof(unix_diag_msg))) || head->nlmsg_type != SOCK_DIAG_BY_FAMILY)
    return 0;
  constexpr std::size_t kHead = sizeof(nlattr);
  constexpr std::size_t kAligned = 4;
  const char* at = answer + NLMSG_LENGTH(sizeof(unix_diag_msg));
  const char* const end = answer + std::min<std::size_t>(head->nlmsg_len, static_cast<std::size_t>(length));
  while (end - at >= static_cast<std::ptrdiff_t>(kHead)) {
    nlattr attribute;
    memcpy(&attribute, at, sizeof attribute);
    if (attribute.nla_len < kHead || attribute.nla_len > end - at) return 0;
    if (attribute.nla_type == UNIX_DIAG_PEER && attribute.nla_len >= kHead + sizeof(std::uint32_t)) {
      std::uint32_t peer = 0;
      memcpy(&peer, at + kHead, sizeof peer);
      return peer;
    }
    at += (attribute.nla_len + kAligned - 1) / kAligned * kAligned;
  }
  return 0;
}

/// Names the two ends of a connected socket, equally on both sides; "-": unknown.
void name_ends(int fd, char* ends, std::size_t room) noexcept {
  snprintf(ends, room, "-");
  sockaddr_storage own{}, peer{};
  socklen_t own_bytes = sizeof own, peer_bytes = sizeof peer;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&own), &own_bytes) != 0) return;
  if (own.ss_family == AF_UNIX) {
    struct stat status {};
    if (fstat(fd, &status) != 0) return;
    const auto inode = static_cast<std::uint32_t>(status.st_ino);
    const std::uint32_t other = unix_peer(inode);
    if (other == 0) return;
    snprintf(ends, room, "unix:%016llx:%u:%u", static_cast<unsigned long long>(g_session.ring->domain),
             std::min(inode, other), std::max(inode, other));
    return;
  }
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &peer_bytes) != 0) return;
  char a[80], b[80];
  socket_name(own, a, sizeof a);
  socket_name(peer, b, sizeof b);
  if (a[0] == '\0' || b[0] == '\0') return;
  const bool is_first = strcmp(a, b) < 0;
  snprintf(ends, room, "tcp:%s:%s", is_first ? a : b, is_first ? b : a);
}

}  // namespace

void store_link(MPI_Comm comm, const char* kind, const char* what) noexcept {
  char text[MPI_MAX_PORT_NAME + 64];
  snprintf(text, sizeof text, "%s %s", kind, what);
  emit_text(kCommLinkKey, text, strlen(text), handle_word(comm));
}

void store_port_link(MPI_Comm comm, int root, MPI_Comm made, const char* kind, const char* port) noexcept {
  int rank = -1;
  if (made == g_mpi.comm_null || g_real.Comm_rank(comm, &rank) != MPI_SUCCESS || rank != root) return;
  store_link(made, kind, port);
}

void store_join_link(MPI_Comm made, int fd) noexcept {
  if (made == g_mpi.comm_null) return;
  char ends[256];
  name_ends(fd, ends, sizeof ends);
  store_link(made, "join", ends);
}

void store_leaders_link(MPI_Comm local, int leader, MPI_Comm peer, int remote_leader, int tag, MPI_Comm made) noexcept {
  int rank = -1;
  if (made == g_mpi.comm_null) return;
  if (g_real.Comm_rank(local, &rank) != MPI_SUCCESS || rank != leader) return;
  int rank_there = -1;
  if (g_real.Comm_rank(peer, &rank_there) != MPI_SUCCESS) return;
  char text[80];
  snprintf(text, sizeof text, "%016llx %d %d %d", static_cast<unsigned long long>(handle_word(peer)), rank_there,
           remote_leader, tag);
  store_link(made, "leaders", text);
}

void store_tag_link(int tag, MPI_Comm made) noexcept {
  if (made == g_mpi.comm_null) return;
  char text[16];
  snprintf(text, sizeof text, "%d", tag);
  store_link(made, "tag", text);
}

void store_label_link(const char* label, MPI_Comm made) noexcept {
  if (made == g_mpi.comm_null || label == nullptr) return;
  std::uint64_t hash = kRanksHashSeed;
  for (; *label != '\0'; ++label) hash = hash_rank(hash, static_cast<unsigned char>(*label));
  char text[20];
  snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  store_link(made, "string", text);
}

void store_parent_comm() noexcept {
  MPI_Comm parents = g_mpi.comm_null;
  if (g_real.Comm_get_parent(&parents) != MPI_SUCCESS || parents == g_mpi.comm_null) return;
  CommBirth birth;
  describe_comm(birth, g_mpi.comm_null, parents, false);
  const std::uint64_t now = read_ticks();
  emit(Payload::comm, words_of<RecordHead> + words_of<CommBirth>, now, now,
       [&](std::uint64_t* body) { *reinterpret_cast<CommBirth*>(body) = birth; });
  store_members(g_mpi.comm_null, parents, false);
  if (birth.local_rank != 0) return;
  Heritage heritage;
  read_heritage(heritage);
  store_link(parents, "spawned", heritage.token[0] != '\0' ? heritage.token : "-");
}

}  // namespace meridian
