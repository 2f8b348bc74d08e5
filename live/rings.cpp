// SPDX-License-Identifier: Apache-2.0
#include "live/rings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "trace/definitions/worlds.hpp"
#include "trace/ring/ring_note.hpp"

namespace meridian {

namespace fs = std::filesystem;

FoundRings find_rings(const fs::path& directory) {
  FoundRings found;
  std::error_code ignored;
  for (const fs::path& world : world_directories(directory)) {
    for (const fs::directory_entry& entry : fs::directory_iterator{world, ignored}) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with("rank-") || !name.ends_with(".ring")) continue;
      const auto note = read_ring_note(entry.path());
      if (!note) continue;
      if (note->host != own_hostname() || !fs::exists(note->ring, ignored)) {
        ++found.elsewhere;
        continue;
      }
      const FoundRing ring{entry.path(), *note, world.lexically_relative(directory)};
      const auto opened = open_ring(ring, RingFile::Access::read_only);
      if (opened || opened.error().code != Errc::invalid_argument) found.rings.push_back(ring);
    }
  }
  std::ranges::sort(found.rings, {}, [](const FoundRing& ring) { return std::pair{ring.world, ring.note.ring}; });
  return found;
}

Result<RingFile> open_ring(const FoundRing& ring, RingFile::Access access) {
  return open_noted_ring(ring.note_path, ring.note, access);
}

Error nothing_runs(const std::string& directory, const FoundRings& found) {
  return {Errc::not_found, fmt::format("no rank of a running program records into '{}' on this host", directory),
          found.elsewhere != 0 ? "its ranks are on other hosts: run the command there"
                               : "give the directory that the tracer printed at the start"};
}

std::string say_elsewhere(const FoundRings& found) {
  return found.elsewhere == 0 ? "" : fmt::format(" ({} are on other hosts)", found.elsewhere);
}

}  // namespace meridian
