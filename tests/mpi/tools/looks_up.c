// SPDX-License-Identifier: Apache-2.0
// Opens the MPI library and looks up its functions, as interpreters do: looks_up LIBRARY local|global. It is not linked with MPI.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void* library;

#define LOOK_UP(function) __typeof__(&function) look_##function = (__typeof__(&function))dlsym(library, #function)

#ifdef HAS_OWN
// A tool's function, which calls the one that it has looked up.
static int (*next_barrier)(MPI_Comm);
static int own_barriers;
int MPI_Barrier(MPI_Comm comm) {
  ++own_barriers;
  return next_barrier(comm);
}
#endif

int main(int argc, char** argv) {
  enum { rounds = 20 };
  if (argc != 3) return 2;
  library = dlopen(argv[1], RTLD_NOW | (strcmp(argv[2], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL));
  if (library == NULL) return 3;
  LOOK_UP(MPI_Init);
  LOOK_UP(MPI_Comm_size);
  LOOK_UP(MPI_Barrier);
  LOOK_UP(MPI_Finalize);
#ifdef OPEN_MPI
  MPI_Comm world = (MPI_Comm)dlsym(library, "ompi_mpi_comm_world");
#else
  MPI_Comm world = MPI_COMM_WORLD;
#endif
  int size = 0;
  look_MPI_Init(&argc, &argv);
  look_MPI_Comm_size(world, &size);
#ifdef HAS_OWN
  next_barrier = look_MPI_Barrier;
  for (int i = 0; i < rounds; ++i) MPI_Barrier(world);
  printf("size %d, own %d\n", size, own_barriers);
#else
  for (int i = 0; i < rounds; ++i) look_MPI_Barrier(world);
  printf("size %d\n", size);
#endif
  look_MPI_Finalize();
  // An unknown name and the next definition are as untraced.
  printf("%d %d\n", dlsym(library, "MPI_Nothing") == NULL, dlsym(RTLD_NEXT, "main") == NULL);
  return 0;
}
