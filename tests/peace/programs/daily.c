// SPDX-License-Identifier: Apache-2.0
// Actions of programs besides computing: start others, close what they did not open, change limits, directories and
// masks.  daily children|descriptors|limits|places DIRECTORY
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <meridian/user.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "manners.h"

extern char** environ;
static volatile sig_atomic_t ended;

static void on_child(int signal) {
  (void)signal;
  ++ended;
}

static int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }

static int wait_for(pid_t pid) {
  int status = -1;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return code_of(status);
}

static void close_all(void) {
  for (int fd = 3; fd < 1024; ++fd) close(fd);
}

/// Calls that both parent and child may make, because they do not communicate.
static int ask_mpi(void) {
  int is_initialized = 0, is_finalized = 1;
  for (int i = 0; i < 100; ++i) {
    MPI_Initialized(&is_initialized);
    MPI_Finalized(&is_finalized);
    if (MPI_Wtime() < 0) return 1;
    MERIDIAN_REGION_BEGIN("asking");
    MERIDIAN_REGION_END("asking");
  }
  return is_initialized && !is_finalized ? 5 : 1;
}

/// Children of which no handler of fork() learns.
static void silent_children(void) {
  say("the parent: %d", ask_mpi());
  pid_t pid = _Fork();
  if (pid == 0) _exit(ask_mpi());
  say("_Fork: %d", wait_for(pid));
  pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
  if (pid == 0) _exit(ask_mpi());
  say("clone: %d", wait_for(pid));
  pid = vfork();
  if (pid == 0) {
    int is_initialized = 0;
    MPI_Initialized(&is_initialized);
    _exit(is_initialized ? 6 : 1);
  }
  say("vfork: %d", wait_for(pid));
}

static void children(void) {
  exchange();
  silent_children();
  say("system: %d", code_of(system("exit 3")));
  pid_t pid = 0;
  char* const words[] = {(char*)"sh", (char*)"-c", (char*)"echo $0 is silent >/dev/null; exit 4", NULL};
  const int spawned = posix_spawn(&pid, "/bin/sh", NULL, NULL, words, environ);
  say("posix_spawn: %d, %d", spawned, wait_for(pid));
  FILE* const pipe = popen("echo from a pipe; exit 5", "r");
  char text[64] = "";
  if (fgets(text, sizeof text, pipe) != NULL) text[strcspn(text, "\n")] = '\0';
  say("popen: %s, %d", text, code_of(pclose(pipe)));
  pid = vfork();
  if (pid == 0) {
    execl("/bin/sh", "sh", "-c", "exit 6", (char*)NULL);
    _exit(1);
  }
  say("vfork: %d", wait_for(pid));
  pid = fork();
  if (pid == 0) {  // as a daemon does
    setsid();
    close_all();
    if (chdir("/") != 0) _exit(1);
    umask(0);
    exit(fork() == 0 ? 0 : 7);
  }
  say("a daemon's parent: %d", wait_for(pid));
  pid = fork();
  if (pid == 0) {
    const pid_t own = fork();
    if (own == 0) exit(1);
    exit(wait_for(own) + 7);
  }
  say("a child with a child: %d", wait_for(pid));
  signal(SIGCHLD, on_child);
  pid = fork();
  if (pid == 0) _exit(9);
  say("one more: %d", wait_for(pid));
  errno = 0;
  const pid_t nobody = waitpid(-1, NULL, WNOHANG);
  say("nobody is left: %d %d, %d has said so", (int)nobody, errno, (int)ended);
  exchange();
}

/// Descriptors that the tracer might open: files and counters. Sockets are those of the MPI library.
static void say_descriptors(const char* when) {
  int files = 0, shared = 0, counters = 0;
  DIR* const directory = opendir("/proc/self/fd");
  for (struct dirent* entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
    char text[512];
    const ssize_t length = readlinkat(dirfd(directory), entry->d_name, text, sizeof text - 1);
    if (length <= 0 || atoi(entry->d_name) == dirfd(directory) || atoi(entry->d_name) < 3) continue;
    text[length] = '\0';
    shared += strncmp(text, "/dev/shm", 8) == 0;
    files += text[0] == '/';
    counters += strstr(text, "perf") != NULL;
  }
  closedir(directory);
  say("%s: %d files, %d of them in /dev/shm, %d counters", when, files, shared, counters);
}

static void* from_a_thread(void* unused) {
  int own = -1;
  for (int i = 0; i < 100; ++i) MPI_Comm_rank(MPI_COMM_SELF, &own);
  say("rank of one in a thread: %d", own);
  return unused;
}

static void run_thread(void) {
  pthread_t thread;
  say("pthread_create: %d", pthread_create(&thread, NULL, from_a_thread, NULL));
  say("pthread_join: %d", pthread_join(thread, NULL));
}

/// The thread comes when no file can be opened; later on, none can get longer.
static void limits(void) {
  exchange();
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  const struct rlimit no_more_files = {4, files.rlim_max}, short_files = {1 << 16, 1 << 16}, none = {0, 0};
  say("setrlimit: %d", setrlimit(RLIMIT_NOFILE, &no_more_files));
  run_thread();
  const int again[] = {setrlimit(RLIMIT_NOFILE, &files), setrlimit(RLIMIT_FSIZE, &short_files),
                       setrlimit(RLIMIT_CORE, &none)};
  say("setrlimit: %d %d %d", again[0], again[1], again[2]);
  run_thread();
  for (int i = 0; i < 50; ++i) exchange();
}

static void places(const char* directory) {
  exchange();
  umask(0777);
  say("chdir: %d", chdir(directory));
  run_thread();
  say("umask: %o", (unsigned)umask(0));
  char here[4096];
  say("getcwd: %d", getcwd(here, sizeof here) != NULL && strcmp(here, directory) == 0);
  setenv("HOME", "/nowhere", 1);
  unsetenv("PATH");
  unsetenv("LD_PRELOAD");
  exchange();
}

int main(int argc, char** argv) {
  const char* const what = argv[1];
  if (strcmp(what, "children") == 0) {
    char own[] = "MANNERS=own";
    putenv(own);
  }
  begin(&argc, &argv);
  if (strcmp(what, "children") == 0) children();
  if (strcmp(what, "limits") == 0) limits();
  if (strcmp(what, "places") == 0) places(argv[2]);
  if (strcmp(what, "descriptors") == 0) {
    say_descriptors("after MPI_Init");
    exchange();
    run_thread();
    say_descriptors("before MPI_Finalize");
  }
  MPI_Finalize();
  int flag = 0;
  MPI_Finalized(&flag);
  say("finalized: %d", flag);
  if (strcmp(what, "descriptors") == 0) {
    close_all();
    const int null = open("/dev/null", O_RDWR);
    for (int fd = null + 1; fd < 64; ++fd) dup2(null, fd);
    MPI_Finalized(&flag);
  }
  return last_code(6);
}
