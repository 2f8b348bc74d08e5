/* SPDX-License-Identifier: Apache-2.0 */
/* A correct program whose threads use one channel at the same time, and make communicators at the same time, as MPI
   allows. MPI gives no order between threads: a tracer may call pairs ambiguous, but there is no error to report.
   Prints how many messages each rank receives. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { kRounds = 120, kLongest = 64, kThreads = 4, kTag = 5, kOther = 7, kMade = 12 };
enum Kind { kBlocking, kAnySource, kWithRequests, kAnyTag, kSendrecv, kMatched, kTagged, kLabelled, kKinds };

static int g_rank, g_size;
static enum Kind g_kind;
static MPI_Group g_world;
static MPI_Comm g_all;
static int g_received[kThreads];

static int length(int round, int thread) { return 1 + (round * 7 + thread * 13) % kLongest; }

static void receive(int source, int tag, int thread) {
  char buffer[kLongest];
  MPI_Recv(buffer, kLongest, MPI_CHAR, source, tag, g_all, MPI_STATUS_IGNORE);
  ++g_received[thread];
}

static void use_and_free(MPI_Comm* made, int thread) {
  MPI_Barrier(*made);
  if (thread == g_rank) usleep(500);
  MPI_Barrier(*made);
  MPI_Comm_free(made);
}

static void one_round(int i, int thread) {
  char out[2][kLongest] = {{0}}, in[2][kLongest];
  MPI_Request requests[4];
  const int next = (g_rank + 1) % g_size, before = (g_rank + g_size - 1) % g_size;
  const int has_partner = g_rank % 2 == 1 || g_rank + 1 < g_size;
  MPI_Comm made;
  switch (g_kind) {
    case kBlocking:
    case kAnySource:
      if (g_rank % 2 == 1)
        receive(g_kind == kBlocking ? before : MPI_ANY_SOURCE, kTag, thread);
      else if (has_partner)
        MPI_Send(out, length(i, thread), MPI_CHAR, next, kTag, g_all);
      break;
    case kWithRequests:
    case kAnyTag:
      for (int k = 0; k < 2; ++k)
        MPI_Irecv(in[k], kLongest, MPI_CHAR, before, g_kind == kAnyTag ? MPI_ANY_TAG : kTag, g_all, &requests[k]);
      for (int k = 0; k < 2; ++k)
        MPI_Isend(out[k], length(i + k, thread), MPI_CHAR, next, g_kind == kAnyTag && k == 1 ? kOther : kTag, g_all,
                  &requests[2 + k]);
      for (int k = 0; k < 4; ++k) {
        int which;
        MPI_Waitany(4, requests, &which, MPI_STATUS_IGNORE);
      }
      g_received[thread] += 2;
      break;
    case kSendrecv:
      MPI_Sendrecv(out[0], length(i, thread), MPI_CHAR, next, kTag, in[0], kLongest, MPI_CHAR, before, kTag, g_all,
                   MPI_STATUS_IGNORE);
      ++g_received[thread];
      break;
    case kMatched:
      if (g_rank % 2 == 1) {
        MPI_Message message;
        MPI_Mprobe(before, kTag, g_all, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(in[0], kLongest, MPI_CHAR, &message, MPI_STATUS_IGNORE);
        ++g_received[thread];
      } else if (has_partner) {
        MPI_Ssend(out, length(i, thread), MPI_CHAR, next, kTag, g_all);
      }
      break;
    case kTagged:
      if (i >= kMade) break;
      MPI_Comm_create_group(MPI_COMM_WORLD, g_world, thread, &made);
      use_and_free(&made, thread);
      break;
    case kLabelled:
#if MPI_VERSION >= 4
      if (i >= kMade) break;
      char label[32];
      snprintf(label, sizeof label, "races.%d", thread);
      MPI_Comm_create_from_group(g_world, label, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
      use_and_free(&made, thread);
#endif
      break;
    default:
      break;
  }
}

static void* work(void* number) {
  for (int i = 0; i < kRounds; ++i) one_round(i, (int)(long)number);
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g_size);
  MPI_Comm_group(MPI_COMM_WORLD, &g_world);
  MPI_Comm_dup(MPI_COMM_WORLD, &g_all);
  for (int kind = 0; kind < kKinds; ++kind) {
    g_kind = (enum Kind)kind;
    MPI_Barrier(MPI_COMM_WORLD);
    pthread_t threads[kThreads];
    for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  }
  int received = 0;
  for (int i = 0; i < kThreads; ++i) received += g_received[i];
  MPI_Comm_free(&g_all);
  MPI_Group_free(&g_world);
  printf("%d received %d\n", g_rank, received);
  MPI_Finalize();
  return 0;
}
