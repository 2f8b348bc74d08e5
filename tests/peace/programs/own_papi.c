// SPDX-License-Identifier: Apache-2.0
// Counts with PAPI itself, in event sets that run when MPI_Init, and the first MPI call of a thread, find them.
//
// own_papi EVENT     ends with 77 where the machine does not count it
#include <papi.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "manners.h"

enum { PAGES = 100, PAGE_BYTES = 4096 };

static char* event;

/// Touches fresh pages. Other things touch some, too.
static const char* counted(int set) {
  long long before = -1, after = -1;
  const int first = PAPI_read(set, &before);
  char* const pages = mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(pages, PAGES * PAGE_BYTES, MADV_NOHUGEPAGE);
  for (int i = 0; i < PAGES; ++i) ((volatile char*)pages)[i * PAGE_BYTES] = 1;
  const int second = PAPI_read(set, &after);
  munmap(pages, PAGES * PAGE_BYTES);
  if (first != PAPI_OK || second != PAPI_OK) return "cannot be read";
  return after - before >= PAGES && after - before < 2 * PAGES ? "right" : "wrong";
}

static int start(int* set) {
  *set = PAPI_NULL;
  int answer = PAPI_create_eventset(set);
  if (answer == PAPI_OK) answer = PAPI_add_named_event(*set, event);
  return answer == PAPI_OK ? PAPI_start(*set) : answer;
}

static void stop(const char* when, int set) {
  long long value = -1;
  const int stopped = PAPI_stop(set, &value);
  const int cleaned = PAPI_cleanup_eventset(set);
  say("%s: stopped %d, cleaned %d, destroyed %d, counted %d", when, stopped, cleaned, PAPI_destroy_eventset(&set),
      value > 0);
}

static void* count_in_thread(void* unused) {
  int set = PAPI_NULL, own = -1;
  say("started in a thread: %d", start(&set));
  say("in a thread, before MPI: %s", counted(set));
  for (int i = 0; i < 100; ++i) MPI_Comm_rank(MPI_COMM_SELF, &own);
  say("in a thread of rank %d: %s", own, counted(set));
  stop("in a thread", set);
  say("unregistered: %d", PAPI_unregister_thread());
  return unused;
}

int main(int argc, char** argv) {
  int set = PAPI_NULL;
  pthread_t thread;
  if (argc != 2) return 3;
  event = argv[1];
  if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
      PAPI_thread_init((unsigned long (*)(void))pthread_self) != PAPI_OK || start(&set) != PAPI_OK)
    return 77;
  say("before: %s", counted(set));
  begin(&argc, &argv);
  say("behind MPI_Init: %s", counted(set));
  exchange();
  pthread_create(&thread, NULL, count_in_thread, NULL);
  pthread_join(thread, NULL);
  say("meanwhile: %s", counted(set));
  exchange();
  MPI_Finalize();
  say("behind MPI_Finalize: %s", counted(set));
  stop("at the end", set);
  say("started again: %d", start(&set));
  say("again: %s", counted(set));
  stop("again", set);
  return last_code(7);
}
