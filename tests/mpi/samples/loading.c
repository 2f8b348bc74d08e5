// SPDX-License-Identifier: Apache-2.0
// Loads libraries after MPI_Init, one after the other, and computes in each for half a second of processor time.
//
//   loading close|keep|kill LIBRARY...   (close: each before the next is loaded; kill: itself, at the end)
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

int main(int count, char** words) {
  MPI_Init(&count, &words);
  for (int i = 2; i < count; i++) {
    void* library = dlopen(words[i], RTLD_NOW);
    double (*compute)(void) = library != NULL ? (double (*)(void))dlsym(library, "compute") : NULL;
    if (compute == NULL) {
      printf("%s\n", dlerror());
      return 1;
    }
    printf("%d\n", compute() > 0);
    if (strcmp(words[1], "close") == 0) dlclose(library);
  }
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(words[1], "kill") == 0) raise(SIGKILL);
  MPI_Finalize();
  return 0;
}
