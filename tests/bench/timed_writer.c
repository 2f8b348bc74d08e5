// SPDX-License-Identifier: Apache-2.0
/* Stands in place of a writer, which has no parent that could ask for what it has used: starts BENCH_WRITER with its own arguments,
 * waits, and appends a line to BENCH_WRITER_USAGE: processor time in us, most memory in kB. BENCH_PRIORITY: see tools.py. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The writer is a session of its own, which a scheduler that groups processes by session weighs like the whole program. */
static void favour(const char* priority) {
  FILE* const file = priority != NULL ? fopen("/proc/self/autogroup", "w") : NULL;
  if (file == NULL) return;
  fputs(priority, file);
  fclose(file);
}

static long long us_of(struct timeval time) { return time.tv_sec * 1000000LL + time.tv_usec; }

int main(int argc, char** argv) {
  const char *program = getenv("BENCH_WRITER"), *usage_file = getenv("BENCH_WRITER_USAGE");
  if (argc < 2 || program == NULL || usage_file == NULL) {
    fprintf(stderr, "usage: BENCH_WRITER=program BENCH_WRITER_USAGE=file timed_writer arguments\n");
    return 1;
  }
  const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT}; /* launchers end whole groups; the writer lives on */
  for (unsigned i = 0; i < sizeof signals / sizeof *signals; ++i) signal(signals[i], SIG_IGN);
  favour(getenv("BENCH_PRIORITY"));
  const pid_t child = fork();
  if (child == 0) {
    execv(program, argv);
    _exit(127);
  }
  int status = 0;
  struct rusage used;
  while (wait4(child, &status, 0, &used) < 0)
    if (errno != EINTR) return 1;
  FILE* file = fopen(usage_file, "a");
  if (file == NULL) return 1;
  fprintf(file, "%lld %ld\n", us_of(used.ru_utime) + us_of(used.ru_stime), used.ru_maxrss);
  fclose(file);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
