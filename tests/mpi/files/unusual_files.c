// SPDX-License-Identifier: Apache-2.0
// Files used in unusual ways: in signal handlers on a stack of 4 KB above a page that nobody may touch, in calls that are left by a jump or a cancellation, in children, under
// very large descriptors, behind closed standard output, thousands of them. Prints what each use gave.
//
//   unusual_files FILE   (a name to begin others with)
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;
static int pipe_[2];
static char name[4096];
static void jump(int s) { siglongjmp(back, 1); }
static void say(int s) {
  int f = open(name, O_WRONLY | O_APPEND);
  write(f, "handler\n", 8);
  close(f);
}
static void* reader(void* p) {
  char c;
  read(pipe_[0], &c, 1);
  return p;
}
int main(int c, char** v) {
  MPI_Init(&c, &v);
  int r;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  snprintf(name, sizeof name, "%s.%d", v[1], r);
  unlink(name);
  int f = open(name, O_CREAT | O_RDWR, 0600);
  printf("w %zd\n", write(f, "hello\n", 6));
  errno = 77;
  printf("bad %zd", read(9999, &c, 4));
  printf(" %d\n", errno);
  errno = 0;
  printf("null %d", open(NULL, O_RDONLY));
  printf(" %d\n", errno);
  pipe(pipe_);
  signal(SIGALRM, jump);
  if (!sigsetjmp(back, 1)) {
    alarm(1);
    char x;
    read(pipe_[0], &x, 1);
    printf("never\n");
  } else
    printf("jumped\n");
  pthread_t t;
  pthread_create(&t, 0, reader, 0);
  usleep(100000);
  pthread_cancel(t);
  void* res;
  pthread_join(t, &res);
  printf("cancelled %d\n", res == PTHREAD_CANCELED);
  static char st[8192];
  const size_t page = (size_t)sysconf(_SC_PAGESIZE),
               small = ((size_t)sysconf(_SC_MINSIGSTKSZ) + 4096 + page - 1) / page * page;
  char* room = mmap(0, page + small, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(room + page, small, PROT_READ | PROT_WRITE);
  stack_t ss = {.ss_sp = room + page, .ss_size = small};
  printf("small stack %d\n", sigaltstack(&ss, 0));
  struct sigaction a = {.sa_handler = say, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &a, 0);
  raise(SIGUSR1);
  raise(SIGUSR1);
  struct rlimit l;
  getrlimit(RLIMIT_NOFILE, &l);
  l.rlim_cur = l.rlim_max < 200000 ? l.rlim_max : 200000;
  setrlimit(RLIMIT_NOFILE, &l);
  int big = dup2(f, 100000);
  if (big > 0) {
    printf("big %zd\n", write(big, "big\n", 4));
    close(big);
  } else
    printf("big %d\n", (int)4);
  pid_t p = fork();
  if (!p) {
    int g = open(name, O_WRONLY | O_APPEND);
    write(g, "child\n", 6);
    close(g);
    _exit(3);
  }
  int stt;
  waitpid(p, &stt, 0);
  printf("child %d\n", WEXITSTATUS(stt));
  p = vfork();
  if (!p) {
    execl("/bin/sh", "sh", "-c", "exit 5", (char*)0);
    _exit(9);
  }
  waitpid(p, &stt, 0);
  printf("exec %d\n", WEXITSTATUS(stt));
  FILE* q = popen("echo popen", "r");
  char b[100];
  fgets(b, 100, q);
  printf("%s", b);
  pclose(q);
  int tmp = open("/tmp", O_TMPFILE | O_RDWR, 0600);
  printf("tmp %zd\n", write(tmp, b, 10));
  close(tmp);
  int w = fcntl(f, F_DUPFD_CLOEXEC, 50);
  printf("dupfd %zd\n", write(w, "x\n", 2));
  close(w);
  FILE* s = fdopen(dup(f), "a+");
  fwrite(st, 1, 5000, s);
  fflush(s);
  fclose(s);
  fflush(NULL);
  for (int i = 0; i < 20000; i++) {
    int k = open(name, O_RDONLY);
    if (k < 0) {
      printf("open failed %d\n", i);
      break;
    }
    read(k, b, 10);
    close(k);
  }
  for (int i = 0; i < 7000; i++) {
    char n[5000];
    snprintf(n, sizeof n, "%s.many.%d", name, i);
    int k = open(n, O_CREAT | O_WRONLY, 0600);
    write(k, n, 5);
    close(k);
    unlink(n);
  }
  int out = dup(1);
  close(1);
  int o2 = open(name, O_WRONLY | O_APPEND);
  printf("to file %d\n", o2);
  fflush(stdout);
  dup2(out, 1);
  printf("back\n");
  MPI_Barrier(MPI_COMM_WORLD);
  close_range(200, 300, 0);
  MPI_Finalize();
  int z = open(name, O_RDONLY);
  long total = 0;
  ssize_t g;
  while ((g = read(z, st, 8192)) > 0) total += g;
  printf("size %ld\n", total);
  close(z);
  return 0;
}
