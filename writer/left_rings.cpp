// SPDX-License-Identifier: Apache-2.0
#include "writer/left_rings.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <optional>

#include "trace/records/finish/finish_rank.hpp"
#include "trace/records/finish/places.hpp"
#include "trace/ring/process_start.hpp"
#include "trace/ring/ring_file.hpp"
#include "trace/ring/ring_name.hpp"
#include "trace/ring/ring_note.hpp"
#include "writer/recover.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

std::uint64_t bytes_on_disk(const fs::path& path) {
  constexpr std::uint64_t kStatBlock = 512;
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_blocks) * kStatBlock : 0;
}

/// Whether the name is of a process of this host and container that has ended.
bool has_ended(const RingName& name) {
  RingName own;
  set_host(own, own_hostname().c_str());
  return std::string_view{own.host} == name.host && name.pid_namespace != 0 &&
         name.pid_namespace == own_pid_namespace() && !is_running(name.pid, name.start);
}

/// Whether the process was killed before it had laid out the file.
bool is_blank(const fs::path& path) {
  std::uint64_t magic = 0;
  std::ifstream file{path, std::ios::binary};
  file.read(reinterpret_cast<char*>(&magic), sizeof magic);
  return magic == 0;
}

bool has_note(const RingFile& ring, const fs::path& output_dir) {
  const auto note = read_ring_note(note_in_output(output_dir, ring.world_rank()));
  return note && note->ring == ring.path();
}

RingFate fate_of(const RingFile& ring, const fs::path& output_dir) {
  if (ring.is_process_alive() || !ring.lock()) return RingFate::in_use;
  if (ring.header().is_complete.load(std::memory_order_acquire) != 0) return RingFate::empty;
  if (output_dir.empty()) return RingFate::empty;
  return has_note(ring, output_dir) ? RingFate::mergeable : RingFate::unreachable;
}

Error refuse(const char* action, const fs::path& path, const std::string& reason) {
  return {Errc::io, std::string{action}.append(" '").append(path.string()).append("': ").append(reason), ""};
}

/// A writer that is about to begin must find the ring unlocked. A ring that has a rank is its business.
bool may_lock(const RingFile& ring) {
  return ring.output_dir().empty() || ring.header().is_complete.load(std::memory_order_acquire) != 0;
}

LeftRing look_at(const fs::path& path, const RingName& name, bool has_mergeable) {
  LeftRing left{path, RingFate::in_use, bytes_on_disk(path), {}, {}};
  if (!has_ended(name)) return left;
  const auto ring = RingFile::open(path, RingFile::Access::drain);
  if (!ring) {
    if (ring.error().code == Errc::damaged) left.fate = is_blank(path) ? RingFate::empty : RingFate::unreachable;
    return left;
  }
  left.output_dir = ring->output_dir();
  left.executable = ring->executable();
  if (has_mergeable || may_lock(*ring)) left.fate = fate_of(*ring, left.output_dir);
  return left;
}

std::vector<LeftRing> find(const fs::path& directory, bool has_mergeable) {
  std::vector<LeftRing> found;
  std::error_code problem;
  for (fs::directory_iterator entry{directory, problem}, end; !problem && entry != end; entry.increment(problem)) {
    RingName name;
    if (read_ring_name(entry->path().filename().c_str(), name))
      found.push_back(look_at(entry->path(), name, has_mergeable));
  }
  std::ranges::sort(found, {}, &LeftRing::path);
  return found;
}

}  // namespace

std::vector<LeftRing> find_left_rings(const fs::path& directory) { return find(directory, true); }

Status remove_left_ring(const LeftRing& left) {
  auto ring = RingFile::open(left.path, RingFile::Access::drain);
  if (!ring && ring.error().code == Errc::damaged) {  // nothing in it says what belongs to it
    std::error_code problem;
    fs::remove(left.path, problem);
    if (problem) return refuse("cannot remove", left.path, problem.message());
    return {};
  }
  if (!ring) return ring.error();
  if (ring->is_process_alive() || !ring->lock()) return refuse("cannot remove", left.path, "it is in use");
  remove_leftovers(*ring, left.output_dir);
  return {};
}

void remove_empty_rings(const fs::path& directory) noexcept {
  try {
    for (const LeftRing& ring : find(directory, false))
      if (ring.fate == RingFate::empty) static_cast<void>(bool{remove_left_ring(ring)});
  } catch (const std::exception&) {  // out of memory: the next start tries again
  }
}

}  // namespace meridian
