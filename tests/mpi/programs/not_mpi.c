// SPDX-License-Identifier: Apache-2.0
// A program that has nothing to do with MPI, but a library that looks whether MPI is there, as profilers and runtimes
// do.
#include <dlfcn.h>
#include <stdio.h>

extern int MPI_Initialized(int* flag) __attribute__((weak));

int main(void) {
  int flag = 0;
  if (MPI_Initialized != NULL) MPI_Initialized(&flag);
  int (*const finalized)(int*) = (int (*)(int*))dlsym(RTLD_DEFAULT, "MPI_Finalized");
  if (finalized != NULL && flag == 0) finalized(&flag);
  printf("not MPI: %d\n", flag);
  return 5;
}
