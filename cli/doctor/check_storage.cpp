// SPDX-License-Identifier: Apache-2.0
// HDF5, directories, settings.

#include <fmt/format.h>
#include <hdf5.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/doctor/checks.hpp"
#include "cli/run/settings.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLittleSpace = 256u << 20;

struct Place {
  bool is_writable = false;
  std::string reason;  ///< why not
  std::uint64_t free_bytes = 0;
};

Place look_at(const fs::path& directory) {
  Place place;
  std::error_code problem;
  if (!fs::is_directory(directory, problem)) {
    place.reason = fs::exists(directory, problem) ? "not a directory" : "not there";
    return place;
  }
  place.is_writable = ::access(directory.c_str(), W_OK | X_OK) == 0;
  if (!place.is_writable) place.reason = std::strerror(errno);
  struct statvfs space {};
  if (::statvfs(directory.c_str(), &space) == 0)
    place.free_bytes = static_cast<std::uint64_t>(space.f_bavail) * static_cast<std::uint64_t>(space.f_frsize);
  return place;
}

/// The directories that the tracer tries for the rings, in its order.
std::vector<fs::path> scratch_candidates(const Settings& settings) {
  if (const auto chosen = settings.values.path(OptionId::scratch); !chosen.empty()) return {fs::path{chosen}};
  std::vector<fs::path> candidates{"/dev/shm"};
  if (const char* const temporary = std::getenv("TMPDIR"); temporary != nullptr && *temporary != '\0')
    candidates.emplace_back(temporary);
  candidates.emplace_back("/tmp");
  return candidates;
}

Check check_scratch(const Settings& settings) {
  std::string refused;
  for (const fs::path& directory : scratch_candidates(settings)) {
    const Place place = look_at(directory);
    if (!place.is_writable) {
      refused += fmt::format("{}{}: {}", refused.empty() ? "" : "; ", directory.string(), place.reason);
      continue;
    }
    const std::string text = fmt::format("{}, {} free", directory.string(), human_bytes(place.free_bytes));
    if (place.free_bytes < kLittleSpace)
      return {"scratch", Health::warn, text,
              fmt::format("each thread needs MERIDIAN_BUFFER ({}); choose another directory with MERIDIAN_SCRATCH",
                          short_size(settings.values.number(OptionId::buffer)))};
    return {"scratch", Health::ok, text, ""};
  }
  return {"scratch", Health::fail, refused, "set MERIDIAN_SCRATCH to a writable directory of this node"};
}

Check check_output(const Settings& settings) {
  const fs::path chosen = settings.values.path(OptionId::dir);
  std::error_code problem;
  fs::path directory = chosen.empty() ? fs::current_path(problem) : fs::absolute(chosen, problem);
  while (!fs::exists(directory, problem) && directory.has_relative_path()) directory = directory.parent_path();
  const Place place = look_at(directory);
  if (!place.is_writable)
    return {"output", Health::warn, fmt::format("{}: {}", directory.string(), place.reason),
            "start the program in another directory, or name one with -o or MERIDIAN_DIR"};
  const std::string text = fmt::format("{}, {} free", directory.string(), human_bytes(place.free_bytes));
  if (place.free_bytes < kLittleSpace)
    return {"output", Health::warn, text, "free some space, or choose another directory with -o"};
  return {"output", Health::ok, text, ""};
}

}  // namespace

std::vector<Check> check_hdf5() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  H5get_libversion(&major, &minor, &release);
  const std::string text = fmt::format("version {}.{}.{}", major, minor, release);
  if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) return {{"HDF5", Health::ok, text, ""}};
  return {{"HDF5", Health::fail, text + " without the deflate filter", "use an HDF5 that was built with zlib"}};
}

std::vector<Check> check_directories() {
  Settings settings;
  read_settings(settings);
  return {check_scratch(settings), check_output(settings)};
}

namespace {

/// The limits on the size of a trace, and what the tracer does at each of them.
Check describe_limits(const Settings& settings) {
  const auto number = [&](OptionId id) { return static_cast<std::uint64_t>(settings.values.number(id)); };
  const std::uint64_t most = number(OptionId::max_size), spool = number(OptionId::spool);
  std::string text = most == 0 ? "a rank records without limit (MERIDIAN_MAX_SIZE)"
                               : fmt::format("a rank records {}, then it counts (MERIDIAN_MAX_SIZE)",
                                             human_bytes(static_cast<double>(most)));
  if (spool != 0)
    text += fmt::format("; of that, at most {} wait on disk before they are compressed (MERIDIAN_SPOOL)",
                        human_bytes(static_cast<double>(spool)));
  if (const std::uint64_t calls = kShortCallsAThrottle * number(OptionId::throttle); calls != 0)
    text +=
        fmt::format("; a place with {} calls of less than 1 us is recorded as sums from then on (MERIDIAN_THROTTLE)",
                    human_count(calls));
  return {"limits", Health::ok, text + ". MERIDIAN_MODE=profile stores sums alone, whose size does not grow", ""};
}

}  // namespace

std::vector<Check> check_settings() {
  Settings settings;
  read_settings(settings);
  std::vector<Check> checks;
  for (const Error& problem : settings.problems)
    checks.push_back({"settings", Health::warn, problem.what, problem.hint});
  if (!checks.empty()) return checks;
  std::string text;
  for (std::size_t i = 0; i < kOptionCount; ++i) {
    const OptionValue& value = settings.values.values[i];
    if (value.source != OptionSource::fallback)
      text += fmt::format("{}{}={}", text.empty() ? "" : ", ", kOptions[i].variable, value.text);
  }
  return {{"settings", Health::ok, text.empty() ? "all at their defaults" : text, ""}, describe_limits(settings)};
}

}  // namespace meridian
