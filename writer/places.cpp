#include "writer/places.hpp"

#include <cstdio>

namespace meridian {
namespace {

std::filesystem::path in_output(const std::filesystem::path& output_dir, std::int32_t rank, const char* extension) {
  char name[40];
  std::snprintf(name, sizeof name, "rank-%05d.%s", rank, extension);
  return output_dir / name;
}

std::filesystem::path beside(std::filesystem::path ring, const char* extension) { return ring += extension; }

}  // namespace

std::filesystem::path spool_in_output(const std::filesystem::path& output_dir, std::int32_t rank) {
  return in_output(output_dir, rank, "spool");
}
std::filesystem::path spill_in_output(const std::filesystem::path& output_dir, std::int32_t rank) {
  return in_output(output_dir, rank, "spill");
}
std::filesystem::path note_in_output(const std::filesystem::path& output_dir, std::int32_t rank) {
  return in_output(output_dir, rank, "ring");
}
std::filesystem::path spool_beside(const std::filesystem::path& ring) { return beside(ring, ".spool"); }
std::filesystem::path spill_beside(const std::filesystem::path& ring) { return beside(ring, ".spill"); }

std::vector<std::filesystem::path> spools_of(const std::filesystem::path& ring, const std::filesystem::path& output_dir,
                                             std::int32_t rank) {
  std::vector<std::filesystem::path> paths{spool_beside(ring)};
  if (!output_dir.empty() && rank >= 0) paths.push_back(spool_in_output(output_dir, rank));
  paths.push_back(spill_beside(ring));
  if (!output_dir.empty() && rank >= 0) paths.push_back(spill_in_output(output_dir, rank));
  return paths;
}

}  // namespace meridian
