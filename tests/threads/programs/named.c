// SPDX-License-Identifier: Apache-2.0
// Semaphores that have names: made, opened twice, shared by threads, closed, removed, made anew, and refused.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "tally.h"

enum { kTimes = 50 };
static sem_t* shared;

static void* post(void* unused) {
  for (int i = 0; i < kTimes; ++i) sem_post(shared);
  return unused;
}

static sem_t* open_new(const char* name, unsigned value) {
  errno = 7;
  sem_t* const made = sem_open(name, O_CREAT | O_EXCL, 0600, value);
  result("made", made != SEM_FAILED);
  tally("calls", "sem_open", 1);
  return made;
}

int main(int argc, char** argv) {
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char first[64], second[64];
  snprintf(first, sizeof first, "/meridian-first-%d-%d", rank, (int)getpid());
  snprintf(second, sizeof second, "/meridian-second-%d-%d", rank, (int)getpid());

  errno = 0;
  result("missing", sem_open(first, 0) == SEM_FAILED);
  result("missing errno", errno);
  tally("calls", "sem_open", 1);
  shared = open_new(first, 3);
  errno = 0;
  result("there already", sem_open(first, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED);
  result("there already errno", errno);
  sem_t* const again = sem_open(first, 0);
  tally("calls", "sem_open", 2);
  result("the same", again == shared);
  int value = 0;
  sem_getvalue(again, &value);
  result("value", value);

  pthread_t thread;
  pthread_create(&thread, NULL, post, NULL);
  for (int i = 0; i < kTimes + 3; ++i) sem_wait(again);
  pthread_join(thread, NULL);
  result("closed", sem_close(again));
  sem_post(shared);
  result("waited", sem_wait(shared));
  result("closed", sem_close(shared));
  result("removed", sem_unlink(first));
  errno = 0;
  result("removed twice", sem_unlink(first));
  result("removed twice errno", errno);
  tally("calls", "sem_close", 2);
  tally("calls", "sem_unlink", 2);

  sem_t* const other = open_new(second, 1);
  sem_wait(other);
  result("closed", sem_close(other));
  result("removed", sem_unlink(second));
  tally("calls", "sem_close", 1);
  tally("calls", "sem_unlink", 1);
  tally("acquired", "semaphore", kTimes + 3 + 1 + 1);
  if (other == shared) {  // the same place, mapped anew
    char both[160];
    snprintf(both, sizeof both, "%s,%s", first, second);
    tally_text_only("named", both, kTimes + 3 + 1 + 1);
  } else {
    tally_text_only("named", first, kTimes + 3 + 1);
    tally_text_only("named", second, 1);
  }
  print_tally();
  MPI_Finalize();
  return 0;
}
