// SPDX-License-Identifier: Apache-2.0
#include "trace/ring/ring_note.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "trace/ring/ring_layout.hpp"

namespace meridian {

// Two lines: host, ring file. Nothing else may call itself a note, so that a foreign file is not taken for one.
std::optional<RingNote> read_ring_note(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::file_size(path, ignored) > 8192 || ignored) return std::nullopt;
  std::ifstream in{path};
  RingNote note;
  std::string ring;
  if (!std::getline(in, note.host) || !std::getline(in, ring) || !ring.starts_with('/')) return std::nullopt;
  note.ring = ring;
  return note;
}

Status may_follow(const std::filesystem::path& path, const RingNote& note) {
  struct stat of_note {};
  struct stat of_ring {};
  if (::lstat(path.c_str(), &of_note) != 0 || ::lstat(note.ring.c_str(), &of_ring) != 0) return {};  // one is gone
  if (S_ISREG(of_note.st_mode) && (of_note.st_uid == 0 || of_note.st_uid == of_ring.st_uid)) return {};
  return Error{Errc::invalid_argument,
               std::string{"'"}
                   .append(path.string())
                   .append("' leads to the ring file '")
                   .append(note.ring.string())
                   .append("', which is of another user"),
               "whoever wrote the one has no say over the other: remove it"};
}

std::string own_hostname() {
  char name[kNameBytes] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace meridian
