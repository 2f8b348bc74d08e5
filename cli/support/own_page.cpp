// SPDX-License-Identifier: Apache-2.0
#include "cli/support/own_page.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace meridian {
namespace {

namespace fs = std::filesystem;

/// Permits replacing an existing page only if Meridian wrote it.
Status may_replace_page(const fs::path& output, const OwnPage& kind) {
  std::error_code problem;
  const fs::file_status status = fs::symlink_status(output, problem);
  if (!fs::exists(status)) return {};
  std::string begin(kind.mark.size(), '\0');
  if (fs::is_regular_file(status) &&
      std::ifstream{output}.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == kind.mark)
    return {};
  return Error{Errc::invalid_argument, fmt::format("'{}' exists and is not a {}", output.string(), kind.name),
               "choose another file with --output, or remove it"};
}

}  // namespace

Status write_page(const fs::path& output, const std::string& page, const OwnPage& kind) {
  MERIDIAN_TRY_DO(may_replace_page(output, kind));
  fs::path part = output;
  part += ".part";
  const auto failure = [&](const char* action) {
    return Error{Errc::io, fmt::format("cannot {} '{}': {}", action, part.string(), std::strerror(errno)),
                 "choose a file that can be written with --output"};
  };
  ::unlink(part.c_str());
  const int file = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return failure("create");
  std::size_t done = 0;
  while (done < page.size()) {
    const ssize_t written = ::write(file, page.data() + done, page.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  Status status;
  if (done < page.size()) status = failure("write");
  if (::close(file) != 0 && status) status = failure("write");
  if (status && ::rename(part.c_str(), output.c_str()) != 0) status = failure("rename");
  if (!status) ::unlink(part.c_str());
  return status;
}

}  // namespace meridian
