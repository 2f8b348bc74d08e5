// SPDX-License-Identifier: Apache-2.0
// Options from the environment and from the configuration file.

#include "pmpi/process/options.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pmpi/process/heritage.hpp"
#include "pmpi/process/session_state.hpp"
#include "trace/model/found_file.hpp"

extern "C" char** environ;  // NOLINT: the C library's own name

namespace meridian {
namespace {

/// Applies one setting from `origin` and reports its errors. False: it has one.
bool take(const Setting& setting, OptionSource source, const char* origin, bool report) noexcept {
  const OptionProblem problem = assign(g_session.options, setting.key, setting.value, source);
  if (problem == OptionProblem::none) return true;
  if (!report) return false;
  const int key_length = static_cast<int>(setting.key.size());
  if (problem == OptionProblem::unknown_key) {
    const std::string_view near = nearest_option_key(setting.key);
    if (near.empty()) {
      say("unknown option MERIDIAN_%.*s in %s", key_length, setting.key.data(), origin);
    } else {
      say("unknown option MERIDIAN_%.*s in %s; did you mean MERIDIAN_%.*s?", key_length, setting.key.data(), origin,
          static_cast<int>(near.size()), near.data());
    }
    return false;
  }
  const OptionInfo& option = info(option_by_key(setting.key));
  say("%s has the value '%.*s' in %s, which is %s; the default '%.*s' is used", option.variable.data(),
      static_cast<int>(setting.value.size()), setting.value.data(), origin,
      problem == OptionProblem::out_of_range ? "out of range" : "not understood",
      static_cast<int>(option.fallback.size()), option.fallback.data());
  return false;
}

struct FileText {
  std::string_view text;
  bool is_readable = false;
  const char* distrust = nullptr;  ///< why a file that was not named by an option is not used
};

/// Reads up to `room` bytes and returns their number.
std::size_t read_all(int fd, char* text, std::size_t room) noexcept {
  std::size_t length = 0;
  while (length < room) {
    const ssize_t got = pread(fd, text + length, room - length, static_cast<off_t>(length));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    length += static_cast<std::size_t>(got);
  }
  return length;
}

/// Reads the text of a file into memory that stays for the lifetime of the process, because option values point into it.
/// Not a mapping of the file: it may be shortened at any time. Does not block on a FIFO.
FileText read_text(const char* path, bool is_named) noexcept {
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return {};
  struct stat status {};
  void* text = MAP_FAILED;
  std::size_t length = 0;
  if (fstat(fd, &status) != 0) status = {};
  const char* const reason = is_named ? nullptr : distrust(status, geteuid());
  if (reason == nullptr && S_ISREG(status.st_mode) && status.st_size > 0) {
    const auto room = static_cast<std::size_t>(status.st_size);
    text = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (text != MAP_FAILED) length = read_all(fd, static_cast<char*>(text), room);
  }
  close(fd);
  if (text == MAP_FAILED) return {{}, true, reason};
  return {{static_cast<const char*>(text), length}, true, nullptr};
}

bool read_file(bool report) noexcept {
  char of_parents[kPathBytes];  // takes precedence over any file found here
  const bool is_child = find_spawned_config(of_parents, sizeof of_parents) && access(of_parents, R_OK) == 0;
  const char* const named = is_child ? of_parents : getenv("MERIDIAN_CONFIG");
  const char* const path = named != nullptr && *named != '\0' ? named : kFoundConfig;
  const FileText file = read_text(path, path == named && !is_child);
  std::string_view text = file.text;
  if (text.empty() && path == named && access(path, R_OK) != 0) {
    if (report) say("cannot read the configuration file '%s' of MERIDIAN_CONFIG: %s", path, strerror(errno));
    return false;
  }
  if (file.distrust != nullptr) {
    if (report) say("'%s' is ignored: %s; %s", path, file.distrust, kDistrustHint);
    return false;
  }
  bool is_good = true;
  while (!text.empty()) {
    const std::size_t end = find_char(text, '\n');
    const Setting setting = parse_setting({text.data(), end});
    text.remove_prefix(end < text.size() ? end + 1 : end);
    if (setting.is_malformed) {
      if (report)
        say("'%s' has a line that is no setting: '%.*s'", path, static_cast<int>(setting.key.size()),
            setting.key.data());
      is_good = false;
    } else if (setting.is_ours) {
      is_good = take(setting, OptionSource::file, path, report) && is_good;
    }
  }
  return is_good;
}

}  // namespace

bool load_file(std::string_view path, std::string_view& text) noexcept {
  char name[kPathBytes];
  if (path.size() >= sizeof name) return false;
  memcpy(name, path.data(), path.size());
  name[path.size()] = '\0';
  const FileText file = read_text(name, true);
  text = file.text;
  return file.is_readable;
}

bool read_options(bool report) noexcept {
  g_session.options = default_options();
  // `meridian run` has already reported everything.
  report = report && getenv(kRunVariable.data()) == nullptr;
  bool is_good = read_file(report);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const Setting setting = parse_variable(*entry);
    if (setting.is_ours) is_good = take(setting, OptionSource::environment, "the environment", report) && is_good;
  }
  return is_good || !g_session.options.is_on(OptionId::strict);
}

}  // namespace meridian
