// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shared by the programs of this folder. Each is a plain MPI program on one subject; its exit code is 0 only if MPI gave
// the right results. ../expectations.py has the contents of its trace.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, next, previous;

/// Ends the program with exit code 3 unless `claim` holds.
#define REQUIRE(claim)                                                                   \
  do {                                                                                   \
    if (!(claim)) {                                                                      \
      fprintf(stderr, "%s:%d: rank %d: not so: %s\n", __FILE__, __LINE__, rank, #claim); \
      MPI_Abort(MPI_COMM_WORLD, 3);                                                      \
    }                                                                                    \
  } while (0)

/// Fills in who this rank is; two MPI calls.
static inline void look_around(void) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
}

static inline void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  look_around();
}

/// Rank 0 says that all went well; the line is compared with that of the untraced run.
static inline int end(const char* subject) {
  if (rank == 0) printf("%s on %d ranks: done\n", subject, size);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
