// SPDX-License-Identifier: Apache-2.0
#include "trace/ring/ring_note.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sstream>

#include "trace/ring/ring_layout.hpp"

namespace meridian {

// Two lines: host, ring file. Nothing else may call itself a note, so that a foreign file is not taken for one.
std::optional<RingNote> read_ring_note(const std::filesystem::path& path) {
  constexpr std::size_t kLongestNote = 8192;
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  std::string text(kLongestNote + 1, '\0');
  const ssize_t length = ::pread(file.get(), text.data(), text.size(), 0);
  if (length <= 0 || static_cast<std::size_t>(length) > kLongestNote) return std::nullopt;
  std::istringstream in{text.substr(0, static_cast<std::size_t>(length))};
  RingNote note{{}, {}, status.st_uid};
  std::string ring;
  if (!std::getline(in, note.host) || !std::getline(in, ring) || !ring.starts_with('/')) return std::nullopt;
  note.ring = ring;
  return note;
}

Result<RingFile> open_noted_ring(const std::filesystem::path& path, const RingNote& note, RingFile::Access access) {
  MERIDIAN_TRY(RingFile ring, RingFile::open(note.ring, access));
  if (note.owner == 0 || note.owner == ring.owner()) return ring;
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
