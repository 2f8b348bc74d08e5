// SPDX-License-Identifier: Apache-2.0
// Removes its whole environment before MPI_Init, as programs do that start with more rights than their user.
#include <stdlib.h>

#include "manners.h"

int main(int argc, char** argv) {
  if (clearenv() != 0) return 98;
  begin(&argc, &argv);
  exchange();
  MPI_Finalize();
  say("finalized");
  return 3;
}
