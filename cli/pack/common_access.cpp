// SPDX-License-Identifier: Apache-2.0
#include "cli/pack/common_access.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace meridian {
namespace {

Error problem_with(const char* action, const std::filesystem::path& file) {
  return {Errc::io, fmt::format("cannot {} '{}': {}", action, file.string(), std::strerror(errno)), ""};
}

}  // namespace

Result<CommonAccess> CommonAccess::common(std::span<const std::filesystem::path> files) {
  CommonAccess access;
  bool is_first = true;
  for (const std::filesystem::path& file : files) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) return problem_with("look at", file);
    const bool is_own = status.st_uid == ::geteuid() || ::geteuid() == 0;
    if (!is_own || (!is_first && status.st_uid != access.owner))
      return Error{Errc::invalid_argument, fmt::format("'{}' belongs to another user", file.string()),
                   "let the user pack the trace who recorded it"};
    const mode_t mode = status.st_mode & 0666;
    if (!is_first && status.st_gid != access.group) access.mode &= 0600;
    access = {status.st_uid, status.st_gid, is_first ? mode : access.mode & mode};
    is_first = false;
  }
  return access;
}

Status CommonAccess::give_to(const std::filesystem::path& file) const {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return problem_with("look at", file);
  const bool needs_owner = status.st_uid != owner;
  bool has_group = status.st_gid == group;
  if (needs_owner || !has_group) has_group = ::chown(file.c_str(), needs_owner ? owner : uid_t(-1), group) == 0;
  if (needs_owner && !has_group) return problem_with("give its owner to", file);
  if (::chmod(file.c_str(), (has_group ? mode : mode & 0600) | 0600) != 0)
    return problem_with("set permissions of", file);
  return {};
}

}  // namespace meridian
