// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <execinfo.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "paths.h"

__attribute__((noinline)) void note_path(const char* function) {
  void* found[1000];
  const int count = backtrace(found, 1000);
  char line[24000];
  int length = snprintf(line, sizeof line, "%s", function);
  for (int i = 1; i < count; ++i)
    length += snprintf(line + length, sizeof line - (size_t)length, " %lx", (unsigned long)found[i]);
  line[length++] = '\n';
  char path[4096];
  snprintf(path, sizeof path, "%s/%d", getenv("PATHS_DIR"), (int)getpid());
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (file < 0 || write(file, line, (size_t)length) != length) abort();
  close(file);
}
