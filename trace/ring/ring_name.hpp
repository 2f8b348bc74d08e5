// SPDX-License-Identifier: Apache-2.0
#pragma once

// The name of a ring file: <host>-<pid>-<start>-<namespace>.ring. It identifies the process that made the file even
// if the file has no contents yet. Needs only libc: the tracer writes it, the writer and the commands read it.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cstdint>

namespace meridian {

struct RingName {
  char host[201] = {};  ///< shortened; characters other than letters, digits, '.', '_' and '-' are '_'
  std::int32_t pid = 0;
  std::uint64_t start = 0;          ///< process_start()
  std::uint64_t pid_namespace = 0;  ///< in which `pid` is meant: containers may share a scratch directory
};

/// Identifies this process's pid namespace; 0: not available.
inline std::uint64_t own_pid_namespace() noexcept {
  struct stat status {};
  return stat("/proc/self/ns/pid", &status) == 0 ? static_cast<std::uint64_t>(status.st_ino) : 0;
}

/// The host's name as part of a file name: a name that somebody gave the machine may contain any character.
inline void set_host(RingName& name, const char* host) noexcept {
  snprintf(name.host, sizeof name.host, "%.200s", host);
  for (char* c = name.host; *c != '\0'; ++c)
    if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-", *c) == nullptr) *c = '_';
}

/// Writes "<directory>/<name>". False: `room` is not enough.
inline bool write_ring_path(const char* directory, const RingName& name, char* path, std::size_t room) noexcept {
  const int length =
      snprintf(path, room, "%s/%s-%d-%llu-%llu.ring", directory, name.host, name.pid,
               static_cast<unsigned long long>(name.start), static_cast<unsigned long long>(name.pid_namespace));
  return length > 0 && static_cast<std::size_t>(length) < room;
}

/// Reads the name of a file, without its directory. False: it is not the name of a ring file.
inline bool read_ring_name(const char* file, RingName& name) noexcept {
  const std::size_t length = strlen(file);
  constexpr std::size_t kSuffix = sizeof ".ring" - 1;
  if (length <= kSuffix || strcmp(file + length - kSuffix, ".ring") != 0) return false;
  const char* end = file + length - kSuffix;
  std::uint64_t numbers[3] = {};  // from the last one
  for (std::uint64_t& number : numbers) {
    const char* begin = end;
    while (begin > file && begin[-1] >= '0' && begin[-1] <= '9') --begin;
    if (begin == end || begin == file || begin[-1] != '-') return false;
    number = strtoull(begin, nullptr, 10);
    end = begin - 1;
  }
  const auto host_length = static_cast<std::size_t>(end - file);
  if (host_length >= sizeof name.host || numbers[2] == 0 || numbers[2] > INT32_MAX) return false;
  memcpy(name.host, file, host_length);
  name.host[host_length] = '\0';
  name.pid = static_cast<std::int32_t>(numbers[2]);
  name.start = numbers[1];
  name.pid_namespace = numbers[0];
  return true;
}

}  // namespace meridian
