// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shared by the programs that tests disturb: memory that outlives them, and messages to and from the test, which are
// names in a directory. These take no file descriptor, and the tracer records none of their calls.

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

/// From the launcher, because MPI is not initialized yet.
inline std::string launched_rank() {
  for (const char* const name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
    if (const char* const rank = std::getenv(name)) return rank;
  return "0";
}

/// A T of zeros that is the file `path`.
template <class T>
T* share(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, sizeof(T)) != 0) std::exit(3);
  void* const at = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (at == MAP_FAILED) std::exit(3);
  return static_cast<T*>(at);
}

/// Makes `directory/word-RANK`.
inline void say(const std::string& directory, const std::string& word) {
  mkdir((directory + "/" + word + "-" + launched_rank()).c_str(), 0700);
}

/// Until `directory/word` exists.
inline void wait_for(const std::string& directory, const std::string& word) {
  while (access((directory + "/" + word).c_str(), F_OK) != 0) poll(nullptr, 0, 1);
}
