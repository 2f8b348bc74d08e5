// SPDX-License-Identifier: Apache-2.0
#include "pmpi/session/lost_tracer.hpp"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pmpi/libraries/file_name.hpp"
#include "pmpi/process/last_words.hpp"
#include "pmpi/process/launch.hpp"
#include "pmpi/process/program.hpp"
#include "pmpi/process/session_state.hpp"

namespace meridian {
namespace {

/// The value of a variable; null: it is not there.
const char* value_in(char* const* environment, const char* name) noexcept {
  const std::size_t length = strlen(name);
  for (; environment != nullptr && *environment != nullptr; ++environment)
    if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') return *environment + length + 1;
  return nullptr;
}

/// The path of a program as execvp() finds it. False: it does not.
bool find_executable(const char* file, char* path, std::size_t room) noexcept {
  if (strchr(file, '/') != nullptr)
    return snprintf(path, room, "%s", file) < static_cast<int>(room) && access(path, X_OK) == 0;
  const char* folders = getenv("PATH");
  if (folders == nullptr) folders = "/bin:/usr/bin";
  for (;;) {
    const std::size_t length = strcspn(folders, ":");
    const int bytes = snprintf(path, room, "%.*s%s%s", static_cast<int>(length), folders, length != 0 ? "/" : "", file);
    if (bytes > 0 && static_cast<std::size_t>(bytes) < room && access(path, X_OK) == 0) return true;
    if (folders[length] == '\0') return false;
    folders += length + 1;
  }
}

/// Reads parts of a program's file.
class Program {
 public:
  explicit Program(const char* path) noexcept : fd_{open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)} {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (fd_ >= 0) close(fd_);
  }

  /// Whether it names an MPI library among those that it needs.
  bool needs_mpi() noexcept {
    ElfW(Ehdr) head{};
    if (!read_at(0, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return false;
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(ElfW(Phdr))) return false;
    count_ = head.e_phnum < kMostParts ? head.e_phnum : kMostParts;
    if (!read_at(head.e_phoff, parts_, count_ * sizeof *parts_)) return false;
    for (std::size_t i = 0; i < count_; ++i)
      if (parts_[i].p_type == PT_DYNAMIC) return has_mpi(parts_[i].p_offset, parts_[i].p_filesz);
    return false;
  }

 private:
  static constexpr std::size_t kMostParts = 32;

  bool read_at(std::uint64_t offset, void* to, std::size_t bytes) noexcept {
    return fd_ >= 0 && pread(fd_, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
  }
  std::uint64_t offset_of(std::uint64_t address) const noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      const ElfW(Phdr)& part = parts_[i];
      if (part.p_type == PT_LOAD && address >= part.p_vaddr && address - part.p_vaddr < part.p_filesz)
        return address - part.p_vaddr + part.p_offset;
    }
    return 0;
  }
  bool has_mpi(std::uint64_t offset, std::uint64_t bytes) noexcept {
    static constexpr char kMpiPrefix[] = "libmpi";
    std::uint64_t strings = 0;
    for (const bool is_first : {true, false})  // the table of strings may be named behind the libraries
      for (std::uint64_t at = 0; at + sizeof(ElfW(Dyn)) <= bytes; at += sizeof(ElfW(Dyn))) {
        ElfW(Dyn) entry{};
        if (!read_at(offset + at, &entry, sizeof entry) || entry.d_tag == DT_NULL) break;
        if (is_first && entry.d_tag == DT_STRTAB) strings = offset_of(entry.d_un.d_ptr);
        char name[sizeof kMpiPrefix - 1];
        if (!is_first && entry.d_tag == DT_NEEDED && read_at(strings + entry.d_un.d_val, name, sizeof name) &&
            memcmp(name, kMpiPrefix, sizeof name) == 0)
          return true;
      }
    return false;
  }

  int fd_;
  ElfW(Phdr) parts_[kMostParts];
  std::size_t count_ = 0;
};

/// Whether the program that starts takes the place of the one that the user named.
bool is_program_of_run() noexcept {
  return is_loaded_here() && (is_run_process() || (launched_as().rank == 0 && is_first_of_rank()));
}

}  // namespace

void report_lost_tracer(const char* file, char* const* environment) noexcept {
  const char* const preload = value_in(environment, "LD_PRELOAD");
  if (preload != nullptr && strstr(preload, "libmeridian.so") != nullptr) return;
  if (!may_speak_at_end() || launched_as().rank > 0 || g_session.is_initialized.load() || file == nullptr) return;
  const int saved = errno;
  char path[PATH_MAX];
  char self[kPathBytes];
  if (find_executable(file, path, sizeof path) && strcmp(file_name(path), "meridian") != 0 &&
      (Program{path}.needs_mpi() || is_program_of_run())) {
    read_program(self, sizeof self);
    say_at_end(
        "nothing is recorded of '%s': '%s' starts it without the tracer, because LD_PRELOAD in its environment is "
        "%s%.200s%s",
        file_name(path), file_name(self), preload != nullptr ? "'" : "", preload != nullptr ? preload : "missing",
        preload != nullptr ? "'" : "");
  }
  errno = saved;
}

}  // namespace meridian
