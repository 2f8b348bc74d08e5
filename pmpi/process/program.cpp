// SPDX-License-Identifier: Apache-2.0

#include "pmpi/process/program.hpp"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pmpi/process/read_beginning.hpp"

namespace meridian {
namespace {

constexpr std::size_t kCommandBytes = 8192;

/// "python", "python3", "python3.11".
bool is_python(const char* path) noexcept {
  const char* const slash = strrchr(path, '/');
  const char* const name = slash != nullptr ? slash + 1 : path;
  constexpr std::size_t kLength = 6;
  return strncmp(name, "python", kLength) == 0 && name[kLength + strspn(name + kLength, "0123456789.")] == '\0';
}

/// The option's letter if its value is the next word: the last letter of "-X" and "-uW"; otherwise 0. Other letters before these three
/// are options without a value.
char takes_next_word(const char* option) noexcept {
  const char* const letter = strpbrk(option, "mcWX");
  return letter != nullptr && letter[1] == '\0' ? *letter : '\0';
}

}  // namespace

const char* find_script(const char* words, std::size_t bytes) noexcept {
  const char* const end = words + bytes;
  const auto next = [end](const char* word) { return word + strnlen(word, static_cast<std::size_t>(end - word)) + 1; };
  for (const char* word = next(words); word < end; word = next(word)) {
    if (word[0] != '-') return word;
    if (word[1] == '\0') return nullptr;  // from standard input
    if (word[1] == '-') {
      if (strcmp(word, "--check-hash-based-pycs") == 0) word = next(word);
      continue;
    }
    const char letter = takes_next_word(word);
    const bool is_module = letter == 'm' || word[1] == 'm';
    if (letter == 'c' || word[1] == 'c') return nullptr;
    const char* const value = letter != '\0' ? next(word) : word + 2;
    if (value >= end) return nullptr;
    if (letter != '\0') word = value;
    // Modules that run a script, which follows.
    const bool is_runner = strcmp(value, "mpi4py") == 0 || strcmp(value, "mpi4py.run") == 0;
    if (is_module && !is_runner) return value;
  }
  return nullptr;
}

void read_program(char* path, std::size_t room) noexcept {
  const ssize_t length = readlink("/proc/self/exe", path, room - 1);
  path[length > 0 ? length : 0] = '\0';
  if (!is_python(path)) return;
  char words[kCommandBytes];
  const std::size_t bytes = read_beginning("/proc/self/cmdline", words, sizeof words);
  const char* const script = bytes != 0 ? find_script(words, bytes) : nullptr;
  if (script == nullptr) return;
  char whole[PATH_MAX];
  const char* const found = realpath(script, whole);
  const char* const name = found != nullptr ? found : script;
  if (strlen(name) < room) strcpy(path, name);
}

}  // namespace meridian
