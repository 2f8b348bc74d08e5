// SPDX-License-Identifier: Apache-2.0
/* Parallel regions of every kind. Prints how many it executed, and with how many threads: "RANK counted NAME COUNT".
 * regions [rounds = 10] */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int regions, shares, barriers, tasks;

static void count(int* counter) {
#pragma omp atomic
  ++*counter;
}

static void share(void) {
  if (omp_get_thread_num() == 0) count(&regions);
  count(&shares);
}

/* A sum that is the same with and without tracer. */
static long nested(void) {
  long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    share();
    long inner = 0;
#pragma omp parallel num_threads(2) reduction(+ : inner)
    {
      share();
      inner += omp_get_thread_num() + 10 * omp_get_level();
    }
    sum += inner;
  }
  return sum;
}

static long cancelled(void) {
  long sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
  {
    share();
#pragma omp for
    for (int i = 0; i < 30; ++i) {
      ++sum;
#pragma omp cancel for if (i == 100)
    }
  }
  return sum;
}

static long with_tasks(int rank) {
  long sum = 0;
#pragma omp parallel num_threads(3)
  {
    share();
#pragma omp single nowait
    {
      for (int i = 0; i < 12; ++i) {
        char block[40] = {(char)i};
#pragma omp task firstprivate(i, block) shared(sum)
        {
          count(&tasks);
#pragma omp atomic
          sum += i + block[0] + rank;
        }
      }
#pragma omp taskwait
#pragma omp task if (0) firstprivate(rank) shared(sum)
      {
        count(&tasks);
#pragma omp atomic
        sum += rank;
      }
    }
#pragma omp barrier
    count(&barriers);
  }
  return sum;
}

int main(int argc, char** argv) {
  int provided, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  omp_set_max_active_levels(2);
  omp_set_dynamic(0);
  long sum = 0, named = 0;
  for (int round = 0; round < rounds; ++round) {
#pragma omp parallel num_threads(4)
    {
      share();
#pragma omp barrier
      count(&barriers);
#pragma omp critical
      sum += omp_get_thread_num();
#pragma omp critical(named)
      named += 2; /* another lock: another variable */
    }
#pragma omp parallel num_threads(1)
    share();
#pragma omp parallel num_threads(2)
    {
      share();
      if (omp_get_thread_num() == 0) MPI_Barrier(MPI_COMM_WORLD); /* MPI inside a share */
    }
  }
#pragma omp parallel for num_threads(3) schedule(dynamic, 1) reduction(+ : sum)
  for (int i = 0; i < 30; ++i) sum += i;
#pragma omp parallel for num_threads(3) schedule(static) reduction(+ : sum)
  for (int i = 0; i < 30; ++i) sum += i;
#pragma omp parallel for num_threads(3) schedule(runtime) ordered reduction(+ : sum)
  for (int i = 0; i < 6; ++i) {
#pragma omp ordered
    sum += i;
  }
  int section = 0;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    count(&section);
#pragma omp section
    count(&section);
  }
  sum += named;
  regions += 4;
  shares += 3 + 3 + 3 + 2;
  sum += section;
  sum += nested() + cancelled() + with_tasks(rank);
  const pid_t child = fork();
  if (child == 0) {
    long alone = 0;
#pragma omp parallel num_threads(1) reduction(+ : alone)
    alone += 7;
    _exit(alone == 7 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    share();
    omp_set_lock(&lock);
    sum += 3;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  printf("%d sum %ld\n%d child %d\n", rank, sum, rank, status);
  printf("%d counted regions %d\n%d counted shares %d\n", rank, regions, rank, shares);
  printf("%d counted barriers %d\n%d counted tasks %d\n", rank, barriers, rank, tasks);
  MPI_Finalize();
  return 0;
}
